"""The coding agent in the place of the echo agent of the hostile suite.

The suite talks to a session `s` and asks in words what is to be said. The real agent has sessions
of its own making and a scripted model, so the name of the session is replaced on its way, and the
script says what the words ask for. `adapted` holds what the two agents may answer differently.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from bench.acp_process import PARLEY, environment
from tests.hostile.case import INVALID_PARAMS, Answer, Case
from tests.hostile.raw_client import RawAgent

_NAME = b'"sessionId":"s"'
_ENOUGH = 60
# Characters by which the script recognises a text that it is to repeat.
_STREAMED = (100_000, 20_000)
# What a session costs that is open, in megabytes.
_SESSION = 0.02
_OBJECT = 4
# The variant of wrong types in which the value is an object.


class HostileTarget(RawAgent):
    """`parley acp` with a script, which plays the part of the echo agent."""

    def __init__(self, home: Path, version: int, cases: Iterable[Case] = ()) -> None:
        script = home / "script.json"
        script.write_text(json.dumps(list(_answers(cases))))
        command = (*PARLEY, "acp", "--provider", "scripted", "--script", str(script))
        super().__init__(version, command=command, env=environment(home))
        self._session: str | None = None

    def renew(self) -> None:
        """Let the session of the suite be a new one."""
        if self._session is not None:
            self.request("session/close", {"sessionId": self._session})
        self._session = self.new_session()
        self.forget()

    def send(self, writes: Iterable[bytes]) -> None:
        super().send(map(self._named, writes))

    def _named(self, data: bytes) -> bytes:
        if self._session is None:
            return data
        return data.replace(_NAME, b'"sessionId":"%b"' % self._session.encode())


def adapted(each: Case, version: int) -> Case | None:
    """The case with what the real agent answers; `None` if it makes no sense for it."""
    match each.name:
        case "line_of_exactly_the_limit":
            return None  # The name of a real session makes it longer.
        case "session_new_mcpServers_is_strict" if version == 1:
            # The dialects of version 1 take servers by their names.
            answers = [Answer(a.id, None if a.id == _OBJECT else a.code) for a in each.answers]
            return replace(each, answers=tuple(answers))
        case "session_prompt_block_of_an_unknown_kind":
            return _refusing(each)  # It was not advertised.
        case "session_prompt_with_a_count_that_is_none" if version == 1:
            return _forgiving(each)
        case "initialize_info_is_strict" | "initialize_info_name_is_strict":
            return _forgiving(each)  # Drafts of version 2 had another name for it.
        case "initialize_info_version_is_strict":
            return _forgiving(each)
        case "line_20mb":
            # A prompt is kept twice: as the client sees it, and as the model does.
            return replace(each, megabytes=6 * 20 + 32)
        case "an_echo_of_ten_megabytes":
            return replace(each, megabytes=8 * 10 + 32)
        case "many_small_requests" | "many_concurrent_session_new":
            # Each of them makes a session on the disk, which stays open.
            megabytes = 16 + each.inputs * _SESSION
            return replace(each, megabytes=megabytes, seconds=10 + each.inputs * 0.02)
        case name if version == 2 and name.startswith("session_prompt_"):
            return _refusing(each)  # There is a sound in it, which was not advertised.
        case _:
            return each


def _forgiving(each: Case) -> Case:
    return replace(each, answers=tuple(Answer(a.id) for a in each.answers))


def _refusing(each: Case) -> Case:
    return replace(each, answers=tuple(Answer(a.id, INVALID_PARAMS) for a in each.answers))


def _answers(cases: Iterable[Case]) -> Iterator[object]:
    said = {text for each in cases for text in each.chunks}
    for text in sorted(said, key=len, reverse=True):
        yield {"when": f"echo {text[:_ENOUGH]}", "text": text, "repeat": True}
    for count in _STREAMED:
        yield {"when": f"stream {count}", "text": ["x" * 40] * count, "repeat": True}
    yield {"repeat": True}
