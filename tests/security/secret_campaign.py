"""Looks for secrets in every place that the agent writes to or that others see of it.

    python -m tests.security.secret_campaign

One home with canaries in the environment, the configuration, the keyring and the settings of MCP
servers; real processes of the agent in it that work, fail, are listed and exported; then a look
into each place.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.agent.raw_client import RawClient
from tests.agent.raw_process import Json
from tests.cli.raw_agent import PARLEY, allow, environment
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import Call, Received, Reply, Say, Status
from tests.coder.providers.fakes.server import FakeServer
from tests.security.campaign import Result, table
from tests.security.canaries import (
    BROKEN,
    CANARIES,
    configuration,
    found_in,
    telltale,
    variables,
)
from tests.transport.wires import until

SECONDS = 40.0
_NOSY = (
    "env; set; export -p; cat /proc/self/environ /proc/$PPID/environ; "
    "cat /proc/[0-9]*/environ; cat ~/.config/parley/config.toml; cat -r ~/.local/*/*/*; "
    "cat $PARLEY_CONFIG; ps axeww"
)
# The campaign looks at the processes while this one runs.
_WAITS = "touch begun; while [ ! -e go ]; do sleep 0.02; done"
_TERMINAL: dict[str, Json] = {
    "terminal/create": {"terminalId": "t"},
    "terminal/wait_for_exit": {"exitCode": 0},
    "terminal/output": {"output": "done\n", "truncated": False},
    "terminal/release": {},
    "terminal/kill": {},
}


class Places:
    """Texts by the name of the place that they were found in."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.names: dict[str, int] = {}
        """How many characters were looked at in each."""

    def look(self, name: str, text: str, own: tuple[str, ...] = ()) -> None:
        self.names[name] = self.names.get(name, 0) + len(text)
        self.failures += [f"{each} in {name}" for each in found_in(text, own)]

    def look_into(self, name: str, folder: Path, pattern: str = "*") -> None:
        found = [path for path in sorted(folder.rglob(pattern)) if path.is_file()]
        self.look(name, "".join(_text(path) for path in found))

    def empty(self) -> list[str]:
        """Places without anything in them, which were not really looked at."""
        return [f"nothing was found in {name}" for name, size in self.names.items() if not size]


class Home:
    """The home of one user, with everything in it that the campaign needs."""

    def __init__(self, base: Path, model: FakeServer, server_url: str) -> None:
        self.base = base
        self.home, self.project, self.seen, self.temp = (
            base / name for name in ("home", "project", "seen", "temp")
        )
        for each in (self.home / ".config/parley", self.project, self.seen, self.temp):
            each.mkdir(parents=True)
        config = self.home / ".config/parley/config.toml"
        config.write_text(configuration(self.seen, model.url, server_url))
        config.chmod(0o600)
        (self.project / "value.txt").write_text("value = 1\n")
        self.env = variables() | {"TMPDIR": str(self.temp)}
        self.model = model

    def run(self, *arguments: str) -> str:
        """A command to its end; everything it printed."""
        ran = subprocess.run(
            (*PARLEY, *arguments),
            env=environment(self.home, self.env),
            cwd=self.project,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return (ran.stdout + ran.stderr).decode(errors="replace")


Part = Callable[[Home, Places], None]


def looked_at(base: Path, parts: tuple[Part, ...]) -> Places:
    """Let the agent do some things in a home full of secrets, and look everywhere."""
    places = Places()
    with FakeServer(OpenAIChatFake("canary-keyring"), _script) as model, _far_server() as far:
        home = Home(base, model, f"http://127.0.0.1:{far.server_address[1]}/mcp")
        for part in parts:
            part(home, places)
        for request in model.requests:
            headers = {k: v for k, v in request.headers.items() if k != "authorization"}
            said = json.dumps([request.path, request.query, headers, request.body])
            places.look("requests to the model, without its own key", said)
        asked = json.dumps(_Far.heard)
        places.look("requests to an MCP server", asked, ("canary-mcp-header",))
    _files(home, places)
    return places


def campaign() -> Iterator[Result]:
    with tempfile.TemporaryDirectory(prefix="secrets-") as base:
        places = looked_at(Path(os.path.realpath(base)), (work, terminals, fail, commands))
    size = sum(places.names.values()) / 1000
    how = f"{len(CANARIES)} canaries looked for; {size:.0f} kB of text"
    failures = (*places.failures, *places.empty())
    yield Result("places that secrets could get to", len(places.names), 20, failures, how)


def work(home: Home, places: Places) -> None:
    """A session that works: tools, MCP servers, a hook, a job in the background."""
    client_server = {
        "name": "third",
        **telltale(home.seen / "third"),
        "env": [{"name": "THIRD_TOKEN", "value": "canary-mcp-client"}],
    }
    # Where dumps of memory are on, the agent must switch them off for itself.
    command = ("/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh", *PARLEY, "acp")
    arguments = ("--model", "work/m")
    with RawClient(
        *arguments, home=home.home, cwd=home.project, env=home.env, command=command
    ) as agent:
        places.look("the answer to initialize", json.dumps(agent.begin()))
        opened = agent.call("session/new", cwd=str(home.project), mcpServers=[client_server])
        session = opened["sessionId"]
        names = ("first", "second", "third")
        assert until(lambda: all((home.seen / name).exists() for name in names), SECONDS)
        assert agent.prompt(session, "work")["stopReason"] == "end_turn", agent.messages[-3:]
        turn = agent.start_prompt(session, "wait")
        assert until(lambda: (home.project / "begun").exists(), SECONDS)
        _processes(agent.process.pid, places)
        (home.project / "go").touch()
        assert agent.ended(turn)["stopReason"] == "end_turn"
        agent.prompt(session, "/mcp")
        agent.prompt(session, "/review")
        agent.call("session/list")
        limits = Path(f"/proc/{agent.process.pid}/limits").read_text()
        core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
        places.look("the limit of core dumps", core)
        if core.split()[4] != "0":
            places.failures.append("core dumps are not off")
        assert agent.end() == 0
        printed = [each for each in agent.updates(session) if "HOME=" in str(each)]
        places.look("what commands print of their environment", "".join(map(str, printed)))
        places.look("stdout of the agent", json.dumps(agent.messages))
        places.look("stderr of the agent", "stderr:" + agent.complaints)
    own = {"first": "config", "second": "second", "third": "client"}
    for name, source in own.items():
        text = _text(home.seen / name)
        places.look(
            f"environment and requests of the MCP server {name}", text, (f"canary-mcp-{source}",)
        )
    hook = _text(home.seen / "hook")
    places.look("environment and stdin of a hook", hook)


def _processes(pid: int, places: Places) -> None:
    """The arguments and the environment of everything that the agent started."""
    own = tuple(f"canary-mcp-{name}" for name in ("config", "second", "client"))
    for child in _descendants(pid):
        about = Path(f"/proc/{child}")
        places.look("arguments of children", _text(about / "cmdline"))
        # Each server has its own; that it has no other's is seen in what it wrote down.
        places.look("environment of children", _text(about / "environ"), own)


def terminals(home: Home, places: Places) -> None:
    """The same in an editor that runs commands in terminals of its own."""
    asked: list[Json] = []

    def answers(request: Json) -> Any:
        asked.append(request)
        return _TERMINAL.get(request["method"]) or _allowed(request)

    with RawClient(
        "--model", "work/m", home=home.home, cwd=home.project, env=home.env, answers=answers
    ) as agent:
        agent.begin(terminal=True)
        agent.prompt(agent.open(home.project), "in a terminal")
        assert agent.end() == 0
    created = [each for each in asked if each["method"] == "terminal/create"]
    assert created
    places.look("what a terminal of the editor is told", json.dumps(created))


def _allowed(request: Json) -> Any:
    return allow(request) if "options" in request["params"] else {}


def fail(home: Home, places: Places) -> None:
    """A model that refuses the key and repeats it, requests that are wrong, broken files."""
    arguments = ("--model", "other/m")
    with RawClient(*arguments, home=home.home, cwd=home.project, env=home.env) as agent:
        agent.begin()
        session = agent.open(home.project)
        answers = [agent.answer(agent.start_prompt(session, "fail").request)]
        wrong = [
            {"name": "x", "command": 5, "env": [{"name": "KEY", "value": "canary-mcp-client"}]}
        ]
        answers.append(agent.answer(agent.start("session/new", cwd="/", mcpServers=wrong)))
        answers.append(agent.answer(agent.start("session/new", cwd={"canary-mcp-client": 1})))
        answers.append(agent.answer(agent.start("session/nothing", x="canary-mcp-client")))
        agent.send_line(b'{"canary-mcp-client')
        assert all("error" in each for each in answers), answers
        assert agent.end() == 0
        places.look("errors over the wire", json.dumps(agent.messages), ())
        places.look("stderr of the agent", agent.complaints)
    broken = home.base / "broken.toml"
    broken.write_text(BROKEN)
    broken.chmod(0o600)
    places.look("errors of a broken configuration", home.run("doctor", "--config", str(broken)))
    with RawClient(
        "--config", str(broken), home=home.home, cwd=home.project, env=home.env
    ) as agent:
        agent.begin()
        agent.prompt(agent.open(home.project), "help")
        agent.end()
        said = json.dumps(agent.messages) + agent.complaints
        places.look("errors of a broken configuration", said)
    nowhere = home.run("acp", "--data-dir", "/dev/null/x")
    places.look("a start that fails", f"said: {nowhere}")


def commands(home: Home, places: Places) -> None:
    """What the commands print and write."""
    places.look("parley doctor", home.run("doctor"))
    places.look("parley doctor --json", home.run("doctor", "--json"))
    record = home.base / "record.jsonl"
    ran = home.run(
        "run", "--output", "json", "--record", str(record), "--verbose", "--no", "--no-stdin",
        "--model", "work/m", "work",
    )  # fmt: skip
    places.look("parley run", ran)
    places.look("what parley run records", _text(record))
    listed = home.run("sessions", "--all", "--json")
    places.look("the list of sessions", listed)
    places.look("a search in sessions", home.run("sessions", "search", "value", "--all"))
    session = json.loads(listed)[-1]
    # A dash at its beginning would look like an option.
    id = (session.get("sessionId") or session["id"]).lstrip("-")
    places.look("a session as a transcript", home.run("sessions", "show", id))
    for form in ("markdown", "json", "html"):
        file = home.base / f"export.{form}"
        home.run("sessions", "export", id, "--format", form, "--output", str(file))
        places.look(f"an export as {form}", _text(file))
    places.look("parley agents", home.run("agents", "--json"))
    places.look("parley setup", home.run("setup", "zed"))


def _files(home: Home, places: Places) -> None:
    """Everything that lies around afterwards."""
    share, state = home.home / ".local/share", home.home / ".local/state"
    places.look_into("the log", state)
    places.look_into("the database of the sessions", share / "parley", "*.db*")
    places.look_into("the copies for undo", share / "parley/undo")
    places.look_into("everything in the data folder", share)
    places.look_into("the workspace", home.project)
    places.look("the temp folder", "names:" + " ".join(map(str, home.temp.rglob("*"))))
    places.look_into("the temp folder", home.temp)
    rest = [p for p in home.home.rglob("*") if p.is_file() and p.name != "config.toml"]
    places.look("everything else in the home folder", "".join(map(_text, rest)))


def _script(request: Received) -> Reply | Status:
    """The model: what it does next follows from the request."""
    messages = request.body["messages"]
    last = next(m for m in reversed(messages) if m["role"] == "user")
    prompt = json.dumps(last["content"])
    if "fail" in prompt:
        return Status(401, message=f"no such key: {request.headers}")
    done = sum(m["role"] == "tool" for m in messages[messages.index(last) :])
    steps: list[Call] = []
    if "work" in prompt and "prompt:" not in prompt:
        steps = [
            Call("bash", {"command": _NOSY}),
            Call("write_file", {"path": "new.txt", "content": "new\n"}),
            Call("bash", {"command": "env; echo background", "background": True}),
            Call("first__work", {}),
            Call("bash_output", {"job_id": "job-1"}),
        ]
    elif "wait" in prompt:
        steps = [Call("bash", {"command": _WAITS})]
    elif "in a terminal" in prompt:
        steps = [Call("bash", {"command": "echo x"})]
    return Reply((steps[done],)) if done < len(steps) else Reply((Say(("Done.",)),))


class _Far(BaseHTTPRequestHandler):
    """An MCP server at an address: it writes down what it is sent, and wants none of it."""

    heard: list[list[str]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        self.heard.append([self.path, str(self.headers), body])
        self.send_response(401)
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_DELETE = do_POST

    def log_message(self, format: str, *args: object) -> None:
        """Nobody wants to know."""


@contextmanager
def _far_server() -> Generator[ThreadingHTTPServer]:
    _Far.heard = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Far) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join(5)


def _descendants(pid: int) -> list[int]:
    """The processes below one, by their parents and by the sessions that they lead."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _text(folder / "stat").rpartition(")")[2].split()
        if fields:
            parents[int(folder.name)] = int(fields[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    rows = list(campaign())
    sys.stdout.write("\n".join(table(rows)) + "\n")
    sys.exit(not all(row.holds for row in rows))
