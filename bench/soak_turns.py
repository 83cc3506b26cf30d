"""The kinds of turns that a working day has. Each plays one and sees that it did what it should."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.acp_process import SECONDS, Json, silent
from bench.soak_client import SoakClient, reject
from bench.soak_model import JOB, orders

SERVER = "helper"
SAMPLE = "sample.py"
_DONE = ("Done ", "as ", "you ", "said.")
_LONG = tuple(f"Sentence {number} of a longer explanation. " for number in range(120))


@dataclass
class Session:
    """A session that is open: where, and in which process."""

    id: str
    folder: Path
    client: SoakClient
    served: bool
    """Whether it has an MCP server."""

    def prompt(self, turn: int, **more: Any) -> str:
        return self.typed(orders(turn, **{"pieces": _DONE, **more}))

    def typed(self, text: str) -> str:
        """A whole turn; why it ended."""
        return self.client.ending(self.id, self.client.start_turn(self.id, text))

    @property
    def said(self) -> str:
        return self.client.said_in.get(self.id, "")

    @property
    def sample(self) -> Path:
        return self.folder / SAMPLE

    def done(self, turn: int, **more: Any) -> None:
        """A turn that must end well."""
        ending = self.prompt(turn, **more)
        expect("ending", ending, "end_turn")
        expect("answer", self.said[-len("Done as you said.") :], "Done as you said.")


class WentWrong(Exception):
    """A turn did not do what it should."""


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise WentWrong(f"{what}: {str(found)[-400:]!r} instead of {str(wanted)[-200:]!r}")


def bash(command: str, **more: Any) -> tuple[str, Json]:
    return "bash", {"command": command, **more}


def text(session: Session, turn: int) -> None:
    session.done(turn)


def long_text(session: Session, turn: int) -> None:
    session.done(turn, pieces=(*_LONG, *_DONE))


def reading(session: Session, turn: int) -> None:
    look = [("read_file", {"path": SAMPLE}), ("grep", {"pattern": "value"})]
    session.done(turn, rounds=[look, [("glob", {"pattern": "**/*.md"}), ("list_files", {})]])


def planning(session: Session, turn: int) -> None:
    items = [{"content": f"Step {at}", "status": "pending"} for at in range(5)]
    session.done(turn, rounds=[[("todo", {"items": items})]])


def editing(session: Session, turn: int) -> None:
    session.done(turn, rounds=_edit(session, turn))
    expect("file", _value(session), _line(turn))


def refused_edit(session: Session, turn: int) -> None:
    before = _value(session)
    session.client.questions[session.id] = reject
    session.done(turn, rounds=_edit(session, turn))
    expect("file", _value(session), before)


def shell(session: Session, turn: int) -> None:
    session.done(turn, rounds=[[bash(f"echo {turn} > made.txt; ls | wc -l")]])
    expect("file", (session.folder / "made.txt").read_text(), f"{turn}\n")


def job(session: Session, turn: int) -> None:
    begun = bash("echo begun; sleep 100", background=True)
    look, stop = ("bash_output", {"job_id": JOB}), ("stop_job", {"job_id": JOB})
    session.done(turn, rounds=[[begun], [look], [stop]])


def undo(session: Session, turn: int) -> None:
    before = _value(session)
    editing(session, turn)
    expect("ending", session.typed("/undo"), "end_turn")
    expect("file", _value(session), before)


def compact(session: Session, turn: int) -> None:
    expect("ending", session.typed("/compact keep the orders"), "end_turn")


def command(session: Session, turn: int) -> None:
    expect("ending", session.typed("/permissions"), "end_turn")


def model_fails(session: Session, turn: int) -> None:
    ending = session.prompt(turn, fail=True)
    if "the soak wants this" not in ending + session.said:
        raise WentWrong(f"an error that does not say why: {ending!r} {session.said!r}")


def server_tool(session: Session, turn: int) -> None:
    if session.served:
        session.done(turn, rounds=[[(f"{SERVER}__work", {"number": turn})]])
    else:
        session.done(turn)


def sub_agents(session: Session, turn: int) -> None:
    """Two at once; what they are told to do are turns of their own for the model."""
    look = [[("read_file", {"path": SAMPLE})]]
    prompts = (orders(-10 * turn - number, rounds=look, pieces=_DONE) for number in range(2))
    calls = [("agent", {"description": "a look", "prompt": prompt}) for prompt in prompts]
    session.done(turn, rounds=[calls])


def cancelled_answer(session: Session, turn: int) -> None:
    number = _held(session, turn, pieces=_DONE, hold=True)
    session.client.pump(lambda: bool(session.said))
    _cancel(session, number)


def cancelled_command(session: Session, turn: int) -> None:
    mark = session.folder / "running"
    mark.unlink(missing_ok=True)
    number = _held(session, turn, rounds=[[bash("touch running; sleep 100")]])
    session.client.pump(mark.exists)
    _cancel(session, number)


def cancelled_question(session: Session, turn: int) -> None:
    before = _value(session)
    session.client.questions[session.id] = silent
    number = _held(session, turn, rounds=_edit(session, turn))
    session.client.pump(lambda: bool(session.client.asked))
    _cancel(session, number)
    expect("file", _value(session), before)


KINDS: dict[Callable[[Session, int], None], int] = {
    text: 23,
    long_text: 4,
    reading: 20,
    planning: 3,
    editing: 14,
    refused_edit: 3,
    shell: 12,
    job: 1,
    undo: 3,
    compact: 1,
    command: 2,
    model_fails: 1,
    server_tool: 4,
    sub_agents: 2,
    cancelled_answer: 3,
    cancelled_command: 2,
    cancelled_question: 2,
}
"""How often each of them comes, of a hundred."""


def project(folder: Path) -> Path:
    """A small project to work in."""
    (folder / "docs").mkdir(parents=True)
    (folder / SAMPLE).write_text(f"# A sample.\n{_line(0)}\n" + "# More of it.\n" * 40)
    for number in range(20):
        (folder / f"docs/page{number}.md").write_text(f"# Page {number}\n\nvalue {number}\n" * 10)
    return folder


def _edit(session: Session, turn: int) -> list[list[tuple[str, Json]]]:
    edits = [{"old_text": _value(session), "new_text": _line(turn)}]
    change = ("edit_file", {"path": SAMPLE, "edits": edits})
    return [[("read_file", {"path": SAMPLE})], [change]]


def _line(number: int) -> str:
    return f"value = {number}  # end"


def _value(session: Session) -> str:
    return session.sample.read_text().splitlines()[1]


def _held(session: Session, turn: int, **more: Any) -> int:
    return session.client.start_turn(session.id, orders(turn, **more))


def _cancel(session: Session, number: int) -> None:
    began = time.monotonic()
    session.client.cancel(session.id)
    expect("ending", session.client.ending(session.id, number), "cancelled")
    taken = time.monotonic() - began
    if taken > SECONDS / 4:
        raise WentWrong(f"a cancelled turn took {json.dumps(taken)} s to end")
