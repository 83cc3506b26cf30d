"""`parley run`: prompts for an agent, from a script or a terminal."""

import argparse
import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TextIO

from parley import __version__
from parley.cli.run_arguments import add_run_arguments
from parley.cli.run_link import ProcessLink, opened_record
from parley.cli.run_log import records_to
from parley.client.agents import Start, choose_agent, find_agents, own_agent
from parley.client.roots import Roots
from parley.coder.config import load
from parley.errors import AcpError, ConfigError
from parley.frontend.headless.answers import Answers
from parley.frontend.headless.asking import Asking
from parley.frontend.headless.context import Context, attached, image
from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.final_output import FinalOutput
from parley.frontend.headless.json_output import JsonOutput
from parley.frontend.headless.keyboard import TerminalKeyboard, keyboard
from parley.frontend.headless.outlet import Outlet
from parley.frontend.headless.output import Answered, Output, Result, Trouble
from parley.frontend.headless.request import RunRequest
from parley.frontend.headless.rules import Rules, parse_rule
from parley.frontend.headless.run_files import prompts_of, rules_of, servers_of
from parley.frontend.headless.runner import Run, Views
from parley.frontend.headless.screen import Facts, ProgressText, Screen, Tone
from parley.frontend.headless.services import RuledFiles, RuledTerminals
from parley.frontend.headless.standard_input import is_given, read_all
from parley.frontend.headless.status_lines import NoStatusLines, StatusLines
from parley.frontend.headless.text_output import TextOutput
from parley.frontend.headless.trouble import START, AgentNotFound, TimeIsUp, trouble_of
from parley.frontend.visible import one_line
from parley.protocol.settings import Settings
from parley.sdk.client import Client

TAKES_AGENT = True
"""What follows `--` is the command of an agent."""

_OUTPUTS: Mapping[str, type[TextOutput] | type[JsonOutput] | type[FinalOutput]] = {
    "text": TextOutput,
    "json": JsonOutput,
    "final": FinalOutput,
}
_FLUSH_SECONDS = 5.0
# Who pipes something in has usually done so by then.
_UNUSUAL_SECONDS = 2.0
_AGENTS_FAULT = (ExitCode.NO_AGENT, ExitCode.AGENT_DIED, ExitCode.PROTOCOL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)


def run(options: argparse.Namespace) -> int:
    return int(asyncio.run(_run(options)))


async def _run(options: argparse.Namespace) -> ExitCode:
    stage = _Stage(options)
    try:
        with ExitStack() as files, records_to(stage.say, verbose=options.verbose) as log:
            code = await stage.play(files)
            if code in _AGENTS_FAULT:
                log.tell_kept()
            return code
    except AcpError as error:
        # Before there was anything to run.
        return stage.refuse(trouble_of(error, START, None))
    finally:
        await stage.screen.aclose(_FLUSH_SECONDS)


class _Stage:
    """Everything that one run needs, put together."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._run: Run | None = None
        self.screen = Screen(Outlet(1, self._broke), facts_of(options))
        self._progress = ProgressText()
        clock = asyncio.get_running_loop().time
        # JSON tells everything itself.
        silent = options.quiet or (options.output == "json" and not options.verbose)
        lines = NoStatusLines if silent else StatusLines
        self._status = lines(self.screen, self._progress, clock, verbose=options.verbose)
        self._output: Output = _OUTPUTS[options.output](self.screen)

    async def play(self, files: ExitStack) -> ExitCode:
        options = self._options
        rules = rules_from(options)
        request = await self._request()
        record = None if options.record is None else opened_record(options.record)
        if record is not None:
            files.callback(record.close)
        link = self._link(record, request.cwd)
        async with keyboard() as keys:
            return await self._go(request, link, rules, keys)

    async def _go(
        self, request: RunRequest, link: ProcessLink, rules: Rules, keys: TerminalKeyboard | None
    ) -> ExitCode:
        roots = Roots([request.cwd, *request.directories])
        asking = Asking(rules, request.cwd, self.screen, keys, self._answered)
        client = Client(
            "parley-run",
            __version__,
            title="Parley",
            permission=asking.answer,
            files=RuledFiles(roots, rules, self._agent),
            terminals=RuledTerminals(roots, rules),
        )
        answers = Answers(dict(self._options.answer), self.screen, keys)
        if keys is not None or self._options.answer:
            client.elicitation(answers.answer)
        views = Views(self._output, self._status)
        self._run = Run(request, link, client, views, asking, self.screen, self._progress)
        return await self._run.go()

    def say(self, text: str, tone: Tone = "plain") -> None:
        self._status.say(text, tone)

    def refuse(self, trouble: Trouble) -> ExitCode:
        for view in (self._output, self._status):
            view.failed(trouble)
            view.finished(Result(trouble.code))
        return trouble.code

    async def _request(self) -> RunRequest:
        options = self._options
        cwd, *folders = _folders(options)
        prompts, stdin = await self._prompts()
        context = Context(
            tuple(attached(name) for name in options.file),
            tuple(image(name) for name in options.image),
            stdin,
        )
        return RunRequest(
            prompts,
            cwd,
            context,
            tuple(folders),
            tuple(servers_of(options.mcp)) if options.mcp else (),
            options.session,
            options.latest,
            options.model,
            options.mode,
            tuple(options.set),
            options.timeout,
            # The deadline of an answer holds for this one, too.
            min(options.grace, options.deadline),
        )

    async def _prompts(self) -> tuple[tuple[str, ...], str]:
        """The prompts, and what stdin adds to the first of them."""
        options = self._options
        prompt = " ".join(options.prompt).strip()
        several = options.prompts
        if several is not None:
            text = await self._stdin() if several == "-" else _text_of(several)
            found = prompts_of(text, several)
            return ((prompt, *found) if prompt else tuple(found)), ""
        stdin = await self._stdin() if not options.no_stdin and is_given() else ""
        if not prompt:
            prompt, stdin = stdin.strip(), ""
        if not prompt:
            raise ConfigError("parley run", "PROMPT", "is missing", 'parley run "what to do"')
        return (prompt,), stdin

    async def _stdin(self) -> str:
        """What was piped in. Somebody may hold the other end open for ever, so that is told."""
        text = "waiting for the end of stdin (--no-stdin ignores it)"
        told = asyncio.get_running_loop().call_later(_UNUSUAL_SECONDS, self.say, text, "dim")
        try:
            async with asyncio.timeout(self._options.timeout):
                return await read_all()
        except TimeoutError:
            raise TimeIsUp("stdin did not end in time\nhint: --no-stdin ignores it") from None
        finally:
            told.cancel()

    def _link(self, record: TextIO | None, cwd: str) -> ProcessLink:
        options = self._options
        settings = Settings(deadline=options.deadline)
        on_stderr = self._complain if options.verbose else None
        start = started(options)
        return ProcessLink(
            start.command,
            settings,
            env=start.env,
            cwd=start.cwd or cwd,
            record=record,
            on_stderr=on_stderr,
        )

    def _complain(self, line: str) -> None:
        self._status.say(f"agent: {one_line(line)}", "dim")

    def _answered(self, answered: Answered) -> None:
        for view in (self._output, self._status):
            view.answered(answered)

    def _agent(self) -> str | None:
        profile = self._run.profile if self._run else None
        return profile.info.name if profile else None

    def _broke(self, error: OSError) -> None:
        if self._run is not None:
            self._run.output_broke(error)


def facts_of(options: argparse.Namespace) -> Facts:
    """What is known of stdout and stderr."""
    out, err = _is_terminal(1), _is_terminal(2)
    able = err and os.environ.get("TERM", "dumb") != "dumb"
    colour = able and not options.no_color and not os.environ.get("NO_COLOR")
    return Facts(
        stdout_is_terminal=out,
        stderr_is_terminal=err,
        colour=colour,
        moving=able and not options.quiet,
        columns=_columns(),
    )


def started(options: argparse.Namespace) -> Start:
    """How to start the agent that was asked for.

    Raises:
        AgentNotFound: there is none, or it is not installed.
    """
    if options.agent_command and options.agent:
        raise ConfigError("parley run", "--agent", "is one agent too many", "leave out one of them")
    if options.agent_command:
        return Start(_from_here(options.agent_command))
    if options.agent is None:
        return own_agent().start or Start(())
    config = load(os.environ, {}).folders.config
    try:
        agent = choose_agent(find_agents(os.environ.get("PATH", os.defpath), config), options.agent)
    except ConfigError as error:
        raise AgentNotFound(f"`{options.agent}` {error.problem}\nhint: {error.hint}") from None
    if agent.start is None:
        how = agent.install or "install it first"
        raise AgentNotFound(f"`{agent.name}` is not installed\nhint: {how}")
    return agent.start


def _from_here(command: Sequence[str]) -> tuple[str, ...]:
    """A path means what it means here, also where the agent starts in another folder."""
    program, *arguments = command
    if os.sep in program and os.path.exists(program):
        program = os.path.abspath(program)
    return program, *arguments


def rules_from(options: argparse.Namespace) -> Rules:
    """The rules of the command line, together with those of the file.

    Raises:
        ConfigError: one of them is none.
    """
    filed = rules_of(options.permissions) if options.permissions else Rules()
    return Rules(
        (*(parse_rule(text, "--allow") for text in options.allow), *filed.allow),
        (*(parse_rule(text, "--deny") for text in options.deny), *filed.deny),
        "allow" if options.yes else "refuse" if options.no else filed.otherwise,
    )


def _folders(options: argparse.Namespace) -> Iterator[str]:
    """The folder of the session, then its further ones, as absolute paths."""
    given = [
        ("--cwd", options.cwd or os.getcwd()),
        *(("--add-dir", each) for each in options.add_dir),
    ]
    for option, path in given:
        if not os.path.isdir(path):
            raise ConfigError("parley run", option, f"is no folder: {path}", "name one that exists")
        yield os.path.abspath(path)


def _text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise ConfigError(path, "--prompts", problem, "name a file that exists") from None
    except UnicodeDecodeError:
        raise ConfigError(path, "--prompts", "is no text in UTF-8", "save it as UTF-8") from None


def _is_terminal(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False


def _columns() -> int:
    try:
        return os.get_terminal_size(2).columns or 80
    except OSError:
        return 80
