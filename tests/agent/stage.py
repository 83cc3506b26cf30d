"""A running agent that plays a script, and the sessions that a test opens in it.

Both versions look alike here, as far as they mean the same. Every session has a folder of its own,
so that tests can share a process and look at files without seeing each other.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from tests.agent.raw_client import RawClient, Turn
from tests.agent.raw_process import Json
from tests.cli.raw_agent import allow

Script = list[Json] | Json
"""What the provider `scripted` plays: answers, or an object with models as well."""
PERMISSION = "session/request_permission"


class Scene:
    """One session of a test."""

    def __init__(self, client: RawClient, folder: Path, id: str) -> None:
        self.client = client
        self.folder = folder
        self.id = id

    def prompt(self, *content: Any) -> Json:
        return self.client.prompt(self.id, *content)

    def begin(self, *content: Any) -> Turn:
        return self.client.start_prompt(self.id, *content)

    def stop_reason(self, *content: Any) -> str:
        return self.prompt(*content)["stopReason"]

    def updates(self, kind: str | None = None) -> list[Json]:
        found = self.client.updates(self.id)
        return [each for each in found if kind in (None, each["sessionUpdate"])]

    def said(self) -> str:
        return self.client.said(self.id)

    def calls(self) -> dict[str, list[Json]]:
        """What was told of each tool call, by the name of its tool; a tool is called once."""
        names: dict[str, str] = {}
        found: dict[str, list[Json]] = {}
        for update in self.updates():
            if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
                name = names.setdefault(update["toolCallId"], update.get("name", ""))
                found.setdefault(name, []).append(update)
        return found

    def statuses(self, tool: str) -> list[str]:
        """The statuses of the call of a tool, each named once."""
        told = [each["status"] for each in self.calls()[tool] if "status" in each]
        return [each for before, each in zip(["", *told], told, strict=False) if each != before]

    def questions(self) -> list[Json]:
        """What the person was asked in this session."""
        asked = [each["params"] for each in self.client.requests(PERMISSION)]
        return [each for each in asked if each["sessionId"] == self.id]

    def wait_for_question(self) -> Json:
        """The request, once it is there."""

        def asked() -> list[Json]:
            found = self.client.requests(PERMISSION)
            return [each for each in found if each["params"]["sessionId"] == self.id]

        self.client.wait(asked)
        return asked()[-1]


class Stage:
    """One process."""

    def __init__(self, client: RawClient, home: Path, greeting: Json) -> None:
        self.client = client
        self.home = home
        self.greeting = greeting
        """The answer to `initialize`."""
        self.version = client.version
        self._rooms = count(1)

    def room(self) -> Path:
        """A folder that nobody has used."""
        room = self.home / f"room{next(self._rooms)}"
        room.mkdir()
        (room / "a.txt").write_text("one\ntwo\n")
        return room

    def open(self) -> Scene:
        """A new session."""
        room = self.room()
        return Scene(self.client, room, self.client.open(room))

    def again(self, scene: Scene) -> Scene:
        """A session of another process, seen from this one."""
        return Scene(self.client, scene.folder, scene.id)

    def error(self, method: str, **params: Any) -> Json:
        return self.client.answer(self.client.start(method, **params))["error"]


@contextmanager
def staged(
    script: Script,
    home: Path,
    version: int,
    *arguments: str,
    env: Mapping[str, str] | None = None,
) -> Iterator[Stage]:
    """A process that has been initialised."""
    file = home / "script.json"
    file.write_text(json.dumps(script))
    flags = ("--provider", "scripted", "--script", str(file), *arguments)
    with RawClient(*flags, home=home, env=env, answers=allow, version=version) as client:
        yield Stage(client, home, client.begin())


def block_of(kind: str, mime_type: str) -> Json:
    """Media as a block of a prompt."""
    return {"type": kind, "data": "AAAA", "mimeType": mime_type}


def asked_call(question: Json) -> Json:
    """The tool call that a question is about."""
    return question["toolCall"] if "toolCall" in question else question["subject"]["toolCall"]


def select(option_id: str) -> Json:
    """The standard answer to a question."""
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def call(tool: str, **arguments: Any) -> Json:
    """A tool call in a script."""
    return {"name": tool, "arguments": arguments}


def texts(updates: Iterable[Json]) -> list[str]:
    return [each["content"]["text"] for each in updates]
