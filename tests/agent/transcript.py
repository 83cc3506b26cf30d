"""What the updates of a session amount to for whoever watches it, in either version.

Two ways of reporting the same, live in small pieces and replayed in large ones, give the same
transcript. What is about a moment and no history, options, commands and states, is left out.
"""

import base64
from itertools import count
from typing import Any

Json = dict[str, Any]

_SPEAKERS = {
    "user_message_chunk": "user",
    "agent_message_chunk": "agent",
    "agent_thought_chunk": "thought",
    "user_message": "user",
    "agent_message": "agent",
    "agent_thought": "thought",
}
_prompts = count(1)
_PASSING = (
    "available_commands_update",
    "config_option_update",
    "current_mode_update",
    "state_update",
)


def said_by_user(text: str) -> Json:
    """A prompt as an update, which a client of version 1 is not sent for its own."""
    content = {"type": "text", "text": text}
    message = f"prompt {next(_prompts)}"
    return {"sessionUpdate": "user_message_chunk", "content": content, "messageId": message}


class Transcript:
    """Messages and tool calls in their order, and the last word on everything else."""

    def __init__(self, updates: list[Json]) -> None:
        self.messages: list[tuple[str, str]] = []
        """Who said what, message by message."""
        self.calls: dict[str, Json] = {}
        self.order: list[str] = []
        """Ids of tool calls and numbers of messages, as they began."""
        self.plans: dict[str, Any] = {}
        self.title: str | None = None
        self.usage: Json | None = None
        self.terminals: dict[str, Json] = {}
        self._ids: list[str | None] = []
        for update in updates:
            self._take(dict(update))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transcript) and self.parts() == other.parts()

    def parts(self) -> Json:
        """All of it, to be compared piece by piece."""
        hidden = {"_ids"}
        return {name: value for name, value in vars(self).items() if name not in hidden}

    def statuses(self) -> list[tuple[str, str]]:
        """How each call was called, and how it ended."""
        return [(call["title"], call["status"]) for call in self.calls.values()]

    def _take(self, update: Json) -> None:
        kind = update.pop("sessionUpdate")
        if kind in _SPEAKERS:
            self._said(_SPEAKERS[kind], update, whole=not kind.endswith("_chunk"))
        elif kind in ("tool_call", "tool_call_update"):
            self._called(update)
        elif kind == "tool_call_content_chunk":
            call = self.calls[update["toolCallId"]]
            call["content"] = [*call.get("content", []), update["content"]]
        elif kind == "plan":
            self.plans["main"] = update["entries"]
        elif kind == "plan_update":
            self.plans[update["plan"]["planId"]] = update["plan"]["entries"]
        elif kind == "session_info_update":
            self.title = update["title"]
        elif kind == "usage_update":
            self.usage = update
        elif kind in ("terminal_update", "terminal_output_chunk"):
            self._wrote(update)
        else:
            assert kind in _PASSING, kind

    def _said(self, speaker: str, update: Json, *, whole: bool) -> None:
        content = update["content"] if whole else [update["content"]]
        text = "".join(block.get("text", str(block)) for block in content)
        message = update.get("messageId")
        last = self.messages[-1] if self.messages else ("", "")
        # Pieces of one message may stand on both sides of a tool call; they are still one message.
        if message in self._ids and message is not None:
            at = self._ids.index(message)
            self.messages[at] = (speaker, text if whole else self.messages[at][1] + text)
        elif message is None and speaker == last[0] and self._ids[-1] is None:
            self.messages[-1] = (speaker, last[1] + text)
        else:
            self.order.append(f"message {len(self.messages)}")
            self.messages.append((speaker, text))
            self._ids.append(message)

    def _called(self, update: Json) -> None:
        name = update.pop("toolCallId")
        if name not in self.calls:
            self.order.append(name)
        known = self.calls.setdefault(name, {})
        known.update(update)
        known.pop("capabilities", None)
        # A list that was emptied and one that never was are the same to look at.
        for member in [each for each, value in known.items() if value == []]:
            del known[member]

    def _wrote(self, update: Json) -> None:
        known = self.terminals.setdefault(update.pop("terminalId"), {"data": b""})
        data = update.pop("data", None)
        if data is not None:
            known["data"] += base64.b64decode(data)
        output = update.pop("output", None)
        if output is not None:
            known["data"] = base64.b64decode(output.get("data", ""))
        known.update(update)
