"""The client of the soak: one process of the agent, and only what is needed of what it says.

It keeps no messages, so that a whole day of them costs it nothing.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.acp_process import AcpProcess, Json, allow, chosen

Answers = Callable[[Json], Json | None]
_ROOT = Path(__file__).resolve().parents[1]


def reject(request: Json) -> Json:
    """Refuses once."""
    return chosen(request, "reject_once")


class SoakClient(AcpProcess):
    """A process with any number of sessions, and what was said in each since the last prompt."""

    def __init__(self, home: Path, version: int, env: dict[str, str], times: Path) -> None:
        self.said_in: dict[str, str] = {}
        self.endings: dict[str, Json] = {}
        self.asked: list[Json] = []
        """Questions that were left open."""
        self.seen: Counter[str] = Counter()
        self.questions: dict[str, Answers] = {}
        """How questions of a session are answered, where they are not just allowed."""
        super().__init__(
            *("--data-dir", str(home / "data")),
            home=home,
            env={**env, "PYTHONPATH": os.pathsep.join((str(_ROOT), str(_ROOT / "src")))},
            version=version,
            answers=self._asked,
            program=(sys.executable, "-m", "bench.soak_agent", str(times)),
        )

    def start_turn(self, session: str, text: str) -> int:
        self.said_in[session] = ""
        self.endings.pop(session, None)
        self.seen["turns"] += 1
        return self.start_prompt(session, text)

    def ending(self, session: str, number: int) -> str:
        """Why a turn ended; the message of the error if it failed."""
        answer = self.answer(number)
        self._answers.pop(number)
        if "error" in answer:
            return answer["error"]["message"]
        if self.version == 1:
            return answer["result"]["stopReason"]
        self.pump(lambda: session in self.endings)
        found = self.endings.pop(session)
        return found.get("stopReason") or str(found)

    def cancel(self, session: str) -> None:
        self.send({"method": "session/cancel", "params": {"sessionId": session}})
        # What was asked is over as well, and a client says so.
        for request in self.asked:
            self.send({"id": request["id"], "result": {"outcome": {"outcome": "cancelled"}}})
        self.asked.clear()

    def ask(self, method: str, **params: Any) -> Json:
        number = self.start(method, **params)
        answer = self.answer(number)
        self._answers.pop(number)
        return answer

    def _asked(self, request: Json) -> Json | None:
        self.seen["questions"] += 1
        answer = self.questions.get(request["params"]["sessionId"], allow)(request)
        if answer is None:
            self.asked.append(request)
        return answer

    def _take(self, message: Json, *, answering: bool) -> None:
        super()._take(message, answering=answering)
        self.messages.clear()
        self.seen["messages"] += 1
        if message.get("method") != "session/update":
            return
        session, update = message["params"]["sessionId"], message["params"]["update"]
        kind = update["sessionUpdate"]
        self.seen[kind] += 1
        if kind == "agent_message_chunk" and update["content"]["type"] == "text":
            self.said_in[session] = self.said_in.get(session, "") + update["content"]["text"]
        elif kind == "state_update" and update["state"] == "idle":
            self.endings[session] = update
