"""`parley acp` as a process, and a client that is nothing but lines of JSON and a list of them.

It knows no more of the protocol than the names of a few methods, so that what it proves does not
rest on the code under test. Any number of requests may be open at once.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.agent.raw_process import SECONDS, Answers, Json, RawProcess
from tests.cli.raw_agent import PARLEY, allow, environment

__all__ = ["SECONDS", "Answers", "Json", "RawClient", "Turn", "allow", "refuse", "silent"]


def refuse(request: Json) -> Json:
    """Answers every question with the option that refuses it once."""
    options = request["params"]["options"]
    chosen = next(each["optionId"] for each in options if each["kind"] == "reject_once")
    return {"outcome": {"outcome": "selected", "optionId": chosen}}


def silent(request: Json) -> None:
    """Never answers."""


class Turn:
    """A turn that was begun."""

    def __init__(self, request: int, session: str, since: int) -> None:
        self.request = request
        """The id of the prompt."""
        self.session = session
        self.since = since
        """How many messages had come before."""


class RawClient(RawProcess):
    """One process of the agent and one conversation with it."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        answers: Answers = allow,
        version: int = 1,
        command: tuple[str, ...] = (*PARLEY, "acp"),
    ) -> None:
        self.version = version
        super().__init__((*command, *arguments), cwd or home, environment(home, env), answers)

    def __enter__(self) -> "RawClient":
        return self

    def begin(self, **capabilities: Any) -> Json:
        """Send `initialize`; its result."""
        if self.version == 1:
            return self.call("initialize", protocolVersion=1, clientCapabilities=capabilities)
        info = {"name": "raw", "version": "1"}
        return self.call("initialize", protocolVersion=2, info=info, capabilities=capabilities)

    def open(self, cwd: Path) -> str:
        """A new session; its id."""
        return self.call("session/new", cwd=str(cwd), mcpServers=[])["sessionId"]

    def load(self, session: str, cwd: Path) -> list[Json]:
        """Open a stored session; what it is told of the history."""
        since = len(self.messages)
        params: Json = {"sessionId": session, "cwd": str(cwd), "mcpServers": []}
        if self.version == 1:
            number = self.start("session/load", **params)
        else:
            number = self.start("session/resume", **params, replayFrom={"type": "start"})
        answer = self.answer(number)
        assert "error" not in answer, answer
        return self.updates(session, since, self.messages.index(answer))

    def prompt(self, session: str, *content: Any) -> Json:
        """A whole turn; how it ended, with `stopReason`, or the error."""
        return self.ended(self.start_prompt(session, *content))

    def start_prompt(self, session: str, *content: Any) -> Turn:
        """Begin a turn. Texts are blocks of text."""
        blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
        since = len(self.messages)
        return Turn(self.start("session/prompt", sessionId=session, prompt=blocks), session, since)

    def ended(self, turn: Turn) -> Json:
        """How a turn ended: the answer of version 1, or the update of version 2."""
        answer = self.answer(turn.request)
        if self.version == 1 or "error" in answer:
            return answer.get("result") or answer

        def idle() -> Json | None:
            return next((u for u in self.updates(turn.session, turn.since) if _is_idle(u)), None)

        self.wait(lambda: idle() is not None)
        ending = idle()
        assert ending is not None
        return ending

    def cancel(self, session: str) -> None:
        self.notify("session/cancel", sessionId=session)

    def updates(
        self, session: str | None = None, since: int = 0, until: int | None = None
    ) -> list[Json]:
        """What was reported, of one session or of all, from one number of messages to another."""
        return [
            message["params"]["update"]
            for message in self.messages[since:until]
            if message.get("method") == "session/update"
            and session in (None, message["params"]["sessionId"])
        ]

    def requests(self, method: str, since: int = 0) -> list[Json]:
        """What the agent asked of us."""
        found = self.messages[since:]
        return [each for each in found if each.get("method") == method and "id" in each]

    def wait_for_request(self, method: str, since: int = 0) -> Json:
        """The first request with this method, from a number of messages on."""
        self.wait(lambda: self.requests(method, since))
        return self.requests(method, since)[0]

    def said(self, session: str | None = None, since: int = 0) -> str:
        """Everything that the agent said as text."""
        return "".join(
            update["content"]["text"]
            for update in self.updates(session, since)
            if update["sessionUpdate"] == "agent_message_chunk"
        )


def _is_idle(update: Json) -> bool:
    return update["sessionUpdate"] == "state_update" and update["state"] == "idle"
