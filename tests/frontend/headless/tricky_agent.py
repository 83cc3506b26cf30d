"""An agent that puts tricks into every field it controls: lines of JSON, no code of Parley.

Usage: tricky_agent.py MODE TRICKS, where TRICKS is a file with a list of texts. Each text stands
between marks that name the field, so that what is shown of it can be found again.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
_GROUP = 12


class Wire:
    """Lines of JSON on stdio."""

    id: Any = None
    """Of the request that is to be answered."""

    def ask(self, method: str, **params: Any) -> None:
        self.send({"id": "q", "method": method, "params": {"sessionId": "s1", **params}})
        while line := sys.stdin.buffer.readline():
            if json.loads(line).get("id") == "q":
                return
        sys.exit(0)

    def answer(self, result: Json) -> None:
        self.send({"id": self.id, "result": result})

    def fail(self, text: str, code: int = -32603) -> None:
        self.send({"id": self.id, "error": {"code": code, "message": text, "data": text}})

    def update(self, update: str, **fields: Any) -> None:
        params = {"sessionId": "s1", "update": {"sessionUpdate": update, **fields}}
        self.send({"method": "session/update", "params": params})

    def send(self, message: Json) -> None:
        view = memoryview(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        while view:
            view = view[os.write(1, view) :]


class Agent(Wire):
    """Version 1 and 2 are told apart by the mode."""

    def __init__(self, mode: str, tricks: list[str]) -> None:
        self.mode = mode
        self.version = 2 if mode == "v2" else 1
        self.tricks = tricks
        # Half a pair of surrogates makes the whole message unreadable.
        self.whole = [n for n, text in enumerate(tricks) if text.isprintable() or _is_whole(text)]

    def serve(self) -> None:
        while line := sys.stdin.buffer.readline():
            message = json.loads(line)
            if "id" in message and "method" in message:
                self.id = message["id"]
                method = message["method"].replace("/", "_")
                getattr(self, f"on_{method}", self.done)()

    def mark(self, field: str, number: int) -> str:
        return f"<{field}.{number}:\n{self.tricks[number]}\n:{field}.{number}>"

    def all_of(self, field: str) -> str:
        return " ".join(self.mark(field, number) for number in self.whole)

    def groups(self) -> Iterator[list[int]]:
        for start in range(0, len(self.whole), _GROUP):
            yield self.whole[start : start + _GROUP]

    # What the client asks for.

    def on_initialize(self) -> None:
        if self.mode == "initialize":
            self.fail(self.all_of("error"))
            return
        info = {key: self.all_of(key) for key in ("name", "title", "version")}
        result: Json = {"protocolVersion": self.version, "agentInfo": info, "info": info}
        login = {"id": "x", "name": self.all_of("login"), "description": self.all_of("login")}
        result |= {"authMethods": [login], "capabilities": {"session": {}}}
        self.answer(result)

    def on_session_new(self) -> None:
        if self.mode == "login":
            self.fail(self.all_of("error"), -32000)
        elif self.mode == "session":
            self.fail(self.all_of("error"))
        else:
            self.answer({"sessionId": "s1", "configOptions": [self.option("first")]})

    def on_session_prompt(self) -> None:
        prompt, turn = self.id, getattr(self, f"in_{self.mode}", self.in_fields)
        if self.version == 2:
            self.answer({"messageId": "u1"})
            self.update("state_update", state="running")
        turn()
        self.id = prompt
        reason = "end_turn" if self.mode == "final" else self.all_of("reason")
        if self.mode == "prompt":
            self.fail(self.all_of("error"))
        elif self.version == 2:
            self.update("state_update", state="idle", stopReason=reason)
        else:
            self.answer({"stopReason": reason})

    def done(self) -> None:
        self.answer({})

    # The turn.

    def in_fields(self) -> None:
        for number in range(len(self.tricks)):
            self.fields(number)
        usage = {"amount": 1, "currency": self.all_of("currency")}
        self.update("usage_update", used=1, size=2, cost=usage)

    def fields(self, number: int) -> None:
        def mark(field: str) -> str:
            return self.mark(field, number)

        self.update("agent_message_chunk", content=_text(mark("message")), messageId=mark("id"))
        self.update("agent_thought_chunk", content=_text(mark("thought")))
        for field in ("title", "name", "kind"):
            call: Json = {"toolCallId": f"{number}{field}", field: mark(field), "title": ""}
            content = {"type": "content", "content": _text(self.tricks[number])}
            call |= {"title": mark("title")} if field == "title" else {}
            self.update("tool_call", **call, locations=[{"path": mark("path")}])
            self.update("tool_call_update", **call, status="failed", content=[content])
        entry = {"content": mark("plan"), "priority": mark("plan"), "status": "in_progress"}
        self.update("plan", entries=[entry])
        content = {"type": "markdown", "planId": "p", "content": mark("markdown")}
        self.update("plan_update", plan=content)
        self.update(
            "notice", title=mark("notice"), description=mark("more"), severity=mark("grade")
        )
        self.update("session_info_update", title=mark("session"))
        self.update("config_option_update", configOptions=[self.option(mark("mode"))])
        self.update("subagent_update", sessionId=mark("x"), title=mark("subagent"))
        self.update("compaction_update", compactionId="c", status=mark("compaction"))
        self.update("terminal_output_chunk", terminalId="t", data=mark("terminal"))
        self.update(mark("update"))
        self.send({"method": f"session/{mark('method')}", "params": {}})
        self.send({"method": "session/update", "params": {mark("x"): 1}})
        self.send({"id": mark("id"), "method": mark("asked"), "params": {}})
        self.send({"id": mark("id"), "result": {}})

    def in_final(self) -> None:
        for number in range(len(self.tricks)):
            self.update("agent_message_chunk", content=_text(self.mark("message", number)))

    def in_v2(self) -> None:
        for number in range(len(self.tricks)):
            mark = self.mark("message", number)
            self.update("agent_message", messageId=f"m{number}", content=[_text(mark)])
            fields = {"toolCallId": f"t{number}", "title": self.mark("title", number)}
            self.update("tool_call_update", **fields, status="completed")
            output = {"terminalId": f"t{number}", "output": self.mark("terminal", number)}
            self.update("terminal_update", **output, command=self.mark("command", number))

    def in_stderr(self) -> None:
        for number in range(len(self.tricks)):
            text = self.mark("stderr", number).encode("utf-8", "surrogatepass")
            os.write(2, text + b"\n")
        if self.mode == "stderr":
            os._exit(3)

    def in_permission(self) -> None:
        for group in self.groups():
            fields = {name: self.joined(name, group) for name in _ASKED}
            call: Json = {"toolCallId": f"t{group[0]}", "status": "pending"}
            call |= {"title": fields["title"], "kind": fields["kind"]}
            call["rawInput"] = {"command": fields["command"], "cwd": fields["cwd"]}
            call["locations"] = [{"path": fields["path"], "line": 1}]
            # Two, since lines that both texts have would be shown once.
            gone = {"type": "diff", "path": fields["file"], "oldText": fields["old"]}
            come = {"type": "diff", "path": fields["file"], "newText": fields["new"]}
            text = {"type": "content", "content": _text(fields["content"])}
            call["content"] = [{**gone, "newText": ""}, come, text]
            kinds = ("allow_once", "allow_always", "reject_once", "reject_always")
            options = [{"optionId": k, "name": fields["option"], "kind": k} for k in kinds]
            self.ask("session/request_permission", toolCall=call, options=options)

    def in_form(self) -> None:
        for group in self.groups():
            label, name = self.joined("label", group), self.joined("key", group)
            field = {"type": "string", "title": label, "enum": [self.joined("choice", group)]}
            schema = {"type": "object", "properties": {name: field}, "required": [name]}
            asked = {"message": self.joined("form", group), "requestedSchema": schema}
            self.ask("elicitation/create", mode="form", **asked)
            address = {"url": self.joined("url", group), "elicitationId": "e"}
            self.ask("elicitation/create", mode="url", message="?", **address)

    def joined(self, field: str, numbers: list[int]) -> str:
        return " ".join(self.mark(field, number) for number in numbers)

    def option(self, current: str) -> Json:
        choices = [{"value": self.mark("value", n), "name": self.mark("x", n)} for n in self.whole]
        choices.append({"value": current, "name": current})
        select = {"type": "select", "currentValue": current, "options": choices}
        return {"id": "mode", "name": self.mark("x", 0), "category": "mode", **select}


_ASKED = (*("title", "kind", "command", "cwd", "path", "file", "old", "new", "content", "option"),)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        Agent(sys.argv[1], json.load(file)).serve()
