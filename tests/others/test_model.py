"""The model of strangers decides by what is asked, so that agents may ask as they like."""

import json
from pathlib import Path
from typing import Any

from tests.coder.providers.fakes.reply import Call, Received, Reply, Say, Status
from tests.others.model import ANSWER, ASIDE, LenientChat, LenientGemini, WriteTool, chat, gemini

CALL = WriteTool("openai", "write", "filePath").call(Path("/p/a"), "text")


def test_the_call_has_the_names_of_the_agent() -> None:
    made = WriteTool("gemini", "write_file", "file_path").call(Path("/p/a"), "text")
    assert made == Call("write_file", {"file_path": "/p/a", "content": "text"})


def test_chat_calls_the_tool_and_then_says_that_it_did() -> None:
    step = chat(CALL.name, Reply((CALL,)))
    tools = [{"type": "function", "function": {"name": "write"}}]
    asked = {"stream": True, "tools": tools, "messages": [{"role": "user"}]}
    answered = {**asked, "messages": [{"role": "user"}, {"role": "tool"}]}
    assert step(_chat(asked)) == Reply((CALL,))
    assert step(_chat(answered)) == Reply((Say((ANSWER,)),))


def test_chat_without_the_tool_or_without_a_stream_is_an_aside() -> None:
    step = chat(CALL.name, Reply((CALL,)))
    assert step(_chat({"stream": True, "messages": []})) == Reply((Say((ASIDE,)),))
    whole = step(_chat({"messages": []}))
    assert isinstance(whole, Status)
    assert whole.code == 200
    assert json.loads(whole.body or b"")["choices"][0]["message"]["content"] == ASIDE


def test_gemini_calls_the_tool_and_then_says_that_it_did() -> None:
    step = gemini(CALL.name, Reply((CALL,)))
    tools: list[Any] = [{"functionDeclarations": [{"name": "write"}]}, {"googleSearch": {}}]
    asked = {"tools": tools, "contents": [{"parts": [{"text": "x"}]}]}
    answered: dict[str, Any] = {**asked, "contents": [{"parts": [{"functionResponse": {}}]}]}
    assert step(_gemini(asked)) == Reply((CALL,))
    assert step(_gemini(answered)) == Reply((Say((ANSWER,)),))
    assert step(_gemini({"contents": []})) == Reply((Say((ASIDE,)),))


def test_gemini_counts_and_answers_without_a_stream() -> None:
    step = gemini(CALL.name, Reply((CALL,)))
    counted, whole = step(_gemini({}, "countTokens")), step(_gemini({}, "generateContent"))
    assert isinstance(counted, Status)
    assert isinstance(whole, Status)
    assert json.loads(counted.body or b"") == {"totalTokens": 10}
    assert "candidates" in json.loads(whole.body or b"")


def test_only_a_path_that_nobody_knows_is_refused() -> None:
    for api, known in ((LenientChat(), _chat({})), (LenientGemini(), _gemini({}))):
        assert api.judge(known) is None
        assert api.judge(Received("POST", "/elsewhere", "", {}, None)) is not None


def _chat(body: Any) -> Received:
    return Received("POST", "/v1/chat/completions", "", {}, body)


def _gemini(body: Any, method: str = "streamGenerateContent") -> Received:
    return Received("POST", f"/v1beta/models/gemini-2.5-pro:{method}", "", {}, body)
