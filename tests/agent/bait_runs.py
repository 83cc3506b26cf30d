"""What people do in a checkout full of baits: nothing in it may be run or obeyed.

    python -m tests.agent.bait_runs

does it all and prints how many baits there were, and which of them were taken.
"""

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.agent.baits import BROKEN, Checkout
from tests.agent.raw_client import SECONDS, Json, RawClient
from tests.agent.stage import asked_call
from tests.cli.raw_agent import environment

# The program as people start it: `python -c` would look for modules in the folder itself.
PARLEY = str(Path(sys.executable).with_name("parley"))
LOOKING = (
    "list .; search value; read value.txt; run ls; run cat value.txt; run grep value value.txt"
)
EDITING = "replace value with worth in value.txt; create new.txt with words"
TYPED = ("/review", "/undo", "/mcp", "/permissions", "/model", "/mode", "/help", "/trust")
COMMANDS = (
    ("run", "list ."),
    ("run", "--mode", "auto-edit", "replace value with worth in value.md"),
    ("run", "/trust"),
    ("run", "/review"),
    ("doctor",),
    ("doctor", "--json"),
    ("sessions",),
    ("agents",),
    ("--version",),
)


class Taken(NamedTuple):
    """Something that must not have happened."""

    what: str
    where: str

    def __str__(self) -> str:
        return f"{self.what} ({self.where})"


class Hunt:
    """One checkout, the address that must not be called, and the ways to use both."""

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        self._folder = folder
        self._listener = listener
        listener.setblocking(False)
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        self.checkout = Checkout(folder, self.address)
        self.home = folder / "home"
        self.home.mkdir()

    def env(self, checkout: Checkout) -> dict[str, str]:
        """A search path and variables that lead into the checkout, as some users have them."""
        here = checkout.folder
        baited = (".", "", "bin", "node_modules/.bin", str(here), f"{here}/bin")
        path = ":".join((*baited, environment(self.home)["PATH"]))
        return {**checkout.variables, "PATH": path}

    def agent(self, version: int, cwd: Path) -> Iterator[Taken]:
        """A whole session, and the same session in another process."""
        where = f"acp in {cwd.name}, version {version}"
        room = self._folder / f"room{version}"
        room.mkdir()
        with self._started(version, cwd) as agent:
            agent.begin()
            session, opened = _opened(agent, self.checkout.folder)
            plain = _opened(agent, room)[1]
            if opened != plain:
                yield Taken("the checkout has set an option", where)
            yield from _worked(agent, session, where)
            yield from _ended(agent, where)
        with self._started(version, cwd) as agent:
            agent.begin()
            agent.load(session, self.checkout.folder)
            agent.prompt(session, LOOKING)
            yield from _ended(agent, where)
        yield from self._taken(self.checkout, where)

    def commands(self, commands: tuple[tuple[str, ...], ...] = COMMANDS) -> Iterator[Taken]:
        """The other commands of the program, started in the checkout."""
        for command in commands:
            where = f"parley {' '.join(command)}"
            ran = subprocess.run(
                (PARLEY, *command),
                cwd=self.checkout.folder,
                env=environment(self.home, self.env(self.checkout)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            if b"Traceback" in ran.stderr or ran.returncode < 0:
                yield Taken(f"it failed: {ran.stderr[-300:]!r}", where)
            if self.address.encode() in ran.stdout or b"full-access" in ran.stdout:
                yield Taken("it shows a setting of the checkout", where)
            yield from self._taken(self.checkout, where)

    def broken(self, kinds: tuple[str, ...] = BROKEN) -> Iterator[Taken]:
        """Files that cannot be read, all at once; the process is started among the first ones."""
        checkouts = {kind: Checkout(self._folder / kind, self.address) for kind in kinds}
        for kind, checkout in checkouts.items():
            checkout.breaks(kind)
        with self._started(1, checkouts[kinds[0]].folder) as agent:
            agent.begin()
            for kind, checkout in checkouts.items():
                where = f"files that are broken: {kind}"
                session, _ = _opened(agent, checkout.folder)
                since = len(agent.messages)
                agent.prompt(session, LOOKING)
                if "All 6 steps done." not in agent.said(session, since):
                    yield Taken("the session did not work", where)
                for typed in ("/review", "/trust", "/mcp"):
                    if agent.prompt(session, typed).get("stopReason") != "end_turn":
                        yield Taken(f"{typed} did not work", where)
                yield from self._taken(checkout, where)
            yield from _ended(agent, "files that are broken")

    def _started(self, version: int, cwd: Path) -> RawClient:
        return RawClient(
            home=self.home,
            cwd=cwd,
            env=self.env(self.checkout),
            version=version,
            command=(PARLEY, "acp"),
            answers=_edits_only,
        )

    def _taken(self, checkout: Checkout, where: str) -> Iterator[Taken]:
        for mark in checkout.marks():
            yield Taken(mark, where)
        try:
            self._listener.accept()[0].close()
        except BlockingIOError:
            return
        yield Taken("the address of the checkout was called", where)


def _opened(agent: RawClient, folder: Path) -> tuple[str, Json]:
    """A new session: its id, and what else the answer said."""
    answer = agent.call("session/new", cwd=str(folder), mcpServers=[])
    return answer["sessionId"], {name: answer[name] for name in answer if name != "sessionId"}


def _worked(agent: RawClient, session: str, where: str) -> Iterator[Taken]:
    agent.prompt(session, LOOKING)
    if "All 6 steps done." not in agent.said(session):
        yield Taken("the session did not work", where)
    if agent.requests("session/request_permission"):
        yield Taken("reading was asked for", where)
    agent.prompt(session, EDITING)
    if "All 3 steps done." not in agent.said(session):
        yield Taken("editing did not work", where)
    before = len(agent.requests("session/request_permission"))
    agent.prompt(session, "run git status")
    # Git obeys its repository, so it is asked for, and refused here.
    if len(agent.requests("session/request_permission")) != before + 1:
        yield Taken("git was not asked for", where)
    for typed in TYPED:
        if agent.prompt(session, typed).get("stopReason") != "end_turn":
            yield Taken(f"{typed} did not work", where)
    said = agent.said(session)
    for setting in ("The mode is `ask`.", "The model is `offline/commands`.", "Rules", "- none"):
        if setting not in said:
            yield Taken(f"{setting!r} is missing", where)


def _ended(agent: RawClient, where: str) -> Iterator[Taken]:
    if agent.end() != 0 or agent.complaints:
        yield Taken(f"it ended badly: {agent.complaints[-300:]!r}", where)


def _edits_only(request: Json) -> Json:
    """Lets files be changed, and refuses everything else."""
    wanted = asked_call(request["params"]).get("kind") == "edit"
    kind = "allow_once" if wanted else "reject_once"
    options = request["params"]["options"]
    chosen = next(each["optionId"] for each in options if each["kind"] == kind)
    return {"outcome": {"outcome": "selected", "optionId": chosen}}


def campaign(progress: Callable[[str], object] = lambda text: None) -> tuple[int, list[str]]:
    """How many baits there were, and everything that was taken."""
    taken: set[str] = set()
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        hunt = Hunt(Path(folder), server)
        runs: dict[str, Iterator[Taken]] = {
            "started inside": hunt.agent(1, hunt.checkout.folder),
            "started outside": hunt.agent(2, hunt.home),
            "other commands": hunt.commands(),
            "broken files": hunt.broken(),
        }
        for title, run in runs.items():
            progress(title)
            taken.update(map(str, run))
        return len(hunt.checkout.baits), sorted(taken)


def main() -> int:
    def progress(title: str) -> None:
        sys.stderr.write(f"{title}\n")

    count, taken = campaign(progress)
    for each in taken:
        sys.stdout.write(f"taken: {each}\n")
    report = {"baits": count, "taken": len(taken), "commands": len(COMMANDS), "broken": len(BROKEN)}
    sys.stdout.write(f"{json.dumps(report)}\n")
    return int(bool(taken))


if __name__ == "__main__":
    sys.exit(main())
