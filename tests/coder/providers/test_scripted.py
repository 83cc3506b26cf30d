"""Scripts: how they are played, matched, held up and refused."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ProviderError
from parley.coder.message import (
    AgentMessage,
    CallPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    ModelUsage,
    TextDelta,
    ThoughtDelta,
)
from parley.coder.providers.scripted import Scripted, malformation, read_script
from parley.errors import ConfigError

BOUND = 5
MODEL = ModelInfo("scripted")
HELLO = UserMessage((TextPart("hello"),))


def provider(folder: Path, answers: Any) -> Scripted:
    path = folder / "script.json"
    path.write_text(json.dumps(answers))
    return Scripted(read_script(path))


async def ask(scripted: Scripted, *messages: Message, session: str = "s") -> list[ModelEvent]:
    request = ModelRequest(MODEL, "", messages or (HELLO,), cache_key=session)
    async with asyncio.timeout(BOUND), scripted.stream(request) as events:
        return [event async for event in events]


def said(events: list[ModelEvent]) -> str:
    last = events[-1]
    assert isinstance(last, Answer)
    return last.message.text


def test_an_answer_is_streamed_in_pieces_and_ends_with_the_whole(tmp_path: Path) -> None:
    scripted = provider(
        tmp_path,
        [
            {
                "thought": "hm",
                "text": ["a", "", "b"],
                "calls": [
                    {"name": "read_file", "arguments": {"path": "x"}},
                    {"name": "bash", "malformed": "{", "id": "own"},
                ],
                "usage": {"input": 3, "output": 2},
            }
        ],
    )
    calls = (CallPart("call_1", "read_file", {"path": "x"}), CallPart("own", "bash", {}, "{"))
    message = AgentMessage((ThinkingPart("hm", "scripted"), TextPart("ab"), *calls))
    assert asyncio.run(ask(scripted)) == [
        ThoughtDelta("hm"),
        TextDelta("a"),
        TextDelta("b"),
        CallBegun("call_1", "read_file"),
        CallBegun("own", "bash"),
        Answer(message, "tool_calls", ModelUsage(3, 2)),
    ]


def test_each_session_plays_the_script_on_its_own(tmp_path: Path) -> None:
    scripted = provider(tmp_path, [{"text": "1"}, {"text": "2", "cause": "max_tokens"}])

    async def scenario() -> list[str]:
        return [said(await ask(scripted, session=each)) for each in ("a", "b", "a", "b")]

    assert asyncio.run(scenario()) == ["1", "1", "2", "2"]
    assert len(scripted.requests) == 4


def test_answers_are_matched_with_the_last_prompt(tmp_path: Path) -> None:
    scripted = provider(
        tmp_path,
        [
            {"when": "bye", "text": "see you"},
            {"when": "hello", "text": "hi", "repeat": True},
        ],
    )

    async def scenario() -> None:
        assert said(await ask(scripted)) == "hi"
        assert said(await ask(scripted)) == "hi"
        bye = UserMessage((TextPart("bye"),))
        assert said(await ask(scripted, bye)) == "see you"
        with pytest.raises(ProviderError, match="no answer left for the prompt 'bye'"):
            await ask(scripted, bye)

    asyncio.run(scenario())


def test_a_reopened_session_goes_on_where_it_was(tmp_path: Path) -> None:
    scripted = provider(tmp_path, [{"text": "1"}, {"fault": {"retryable": True}}, {"text": "2"}])
    before = (HELLO, AgentMessage((TextPart("1"),)), HELLO, AgentMessage((TextPart("2"),)))

    async def scenario() -> None:
        with pytest.raises(ProviderError) as caught:
            await ask(scripted, *before[:2], HELLO, session="one")
        assert caught.value.retryable
        assert said(await ask(scripted, *before[:2], HELLO, session="one")) == "2"
        with pytest.raises(ProviderError, match="no answer left"):
            await ask(scripted, *before, HELLO, session="two")
        await scripted.aclose()

    asyncio.run(scenario())


def test_a_fault_comes_after_the_pieces_before_it(tmp_path: Path) -> None:
    fault = {"text": "dropped", "retryable": True, "retry_after": 2, "kind": "network", "after": 1}
    scripted = provider(tmp_path, [{"text": ["a", "b"], "fault": fault}])
    heard: list[ModelEvent] = []

    async def scenario() -> None:
        async with scripted.stream(ModelRequest(MODEL, "", (HELLO,))) as events:
            async for event in events:
                heard.append(event)

    with pytest.raises(ProviderError, match="dropped") as caught:
        asyncio.run(scenario())
    assert heard == [TextDelta("a")]
    assert (caught.value.retry_after, caught.value.kind) == (2, "network")


def test_a_fault_beyond_the_last_piece_comes_at_the_end(tmp_path: Path) -> None:
    scripted = provider(tmp_path, [{"text": "a", "fault": {"after": 9}}])
    with pytest.raises(ProviderError, match="lets this request fail"):
        asyncio.run(ask(scripted))


def test_an_answer_waits_for_a_file_and_marks_that_it_does(tmp_path: Path) -> None:
    wait = {"for": "go", "mark": "here", "after": 1}
    scripted = provider(tmp_path, [{"text": ["a", "b"], "wait": wait}])

    async def scenario() -> list[ModelEvent]:
        async with asyncio.timeout(BOUND), asyncio.TaskGroup() as group:
            asking = group.create_task(ask(scripted))
            while not (tmp_path / "here").exists():  # noqa: ASYNC110
                await asyncio.sleep(0)
            assert not asking.done()
            (tmp_path / "go").touch()
        return asking.result()

    assert said(asyncio.run(scenario())) == "ab"


def test_what_the_results_must_contain_is_checked(tmp_path: Path) -> None:
    scripted = provider(tmp_path, [{"expect": "42", "text": "ok", "repeat": True}])
    called = AgentMessage((CallPart("1", "bash"),))

    def answered(text: str) -> ToolMessage:
        return ToolMessage((ToolResult("1", "bash", text),))

    assert said(asyncio.run(ask(scripted, HELLO, called, answered("it is 42")))) == "ok"
    for messages in ((HELLO, called, answered("41")), (HELLO,)):
        with pytest.raises(ProviderError, match="expects '42'"):
            asyncio.run(ask(scripted, *messages))


CALLED = AgentMessage((CallPart("1", "bash"),))
RESULT = ToolMessage((ToolResult("1", "bash", "x"),))
SPOKEN = AgentMessage((TextPart("x"),))


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ((), "does not begin with the user"),
        ((SPOKEN, HELLO), "does not begin with the user"),
        ((HELLO, SPOKEN), "ends with the model"),
        ((HELLO, CALLED, HELLO), "calls without results"),
        ((HELLO, CALLED, ToolMessage(())), "not those of the calls"),
        ((HELLO, CALLED, ToolMessage((*RESULT.results, *RESULT.results))), "not those of"),
        ((HELLO, RESULT), "not those of the calls"),
        ((HELLO, ToolMessage(())), "results of no calls"),
        ((HELLO, AgentMessage(()), HELLO), "a message is empty"),
        ((HELLO, CALLED, RESULT, CALLED, RESULT), "used twice"),
    ],
)
def test_a_malformed_conversation_fails_loudly(
    tmp_path: Path, messages: tuple[Message, ...], problem: str
) -> None:
    assert problem in str(malformation(messages))
    scripted = provider(tmp_path, [{"text": "x", "repeat": True}])
    request = ModelRequest(MODEL, "", messages)

    async def scenario() -> None:
        async with scripted.stream(request):
            raise AssertionError("the request was accepted")

    with pytest.raises(ProviderError, match=problem):
        asyncio.run(scenario())


def test_a_conversation_is_checked_again_where_it_grew_or_changed(tmp_path: Path) -> None:
    scripted = provider(tmp_path, [{"text": "x", "repeat": True}])
    good = (HELLO, CALLED, RESULT)
    for messages, problem in (
        (good, None),
        ((*good, SPOKEN, HELLO), None),
        ((*good, CALLED, RESULT), "used twice"),
        (good, None),
        ((HELLO, CALLED, HELLO), "calls without results"),
        ((*good, SPOKEN, HELLO, RESULT), "not those of the calls"),
    ):
        if problem is None:
            asyncio.run(ask(scripted, *messages))
        else:
            with pytest.raises(ProviderError, match=problem):
                asyncio.run(ask(scripted, *messages))


def test_a_well_formed_conversation_is_accepted() -> None:
    assert malformation((HELLO, CALLED, RESULT, SPOKEN, HELLO)) is None


def test_a_script_may_name_its_models(tmp_path: Path) -> None:
    scripted = provider(tmp_path, {"models": [{"id": "m", "price_input": 2.0}], "answers": []})
    assert asyncio.run(scripted.models()) == (ModelInfo("m", price_input=2.0),)


@pytest.mark.parametrize("text", ["[{", '[{"txt": "a"}]', '{"answers": 1}', "3"])
def test_a_bad_script_is_refused_with_its_file_and_problem(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"bad\.json: `script` is not a script"):
        read_script(path)


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_script(tmp_path / "none.json")
