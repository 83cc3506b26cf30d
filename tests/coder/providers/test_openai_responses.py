"""The Responses provider against a server that speaks the format and refuses as the real one."""

import asyncio
from collections.abc import Sequence

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
)
from parley.coder.providers.http import Timeouts
from parley.coder.providers.openai_responses import OpenAIResponses
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
from tests.coder.providers.fakes.openai_responses import OpenAIResponsesFake
from tests.coder.providers.fakes.reply import (
    MALFORMED,
    Call,
    Cut,
    Inject,
    Reply,
    Say,
    Scripted,
    Silent,
    Slow,
    Stall,
    Status,
    Think,
    Tokens,
    calls,
    says,
)
from tests.coder.providers.fakes.samples import KEY, PIXEL, request, user
from tests.coder.providers.fakes.server import WAIT, FakeServer

MODEL = ModelInfo("gpt-5", thinking=True, images=True)
QUICK = Timeouts(connect=1, first_byte=0.2, between=0.2, error_body=0.2)
HELLO = says("Hel", "lo")


def provider(server: FakeServer, timeouts: Timeouts | None = None) -> OpenAIResponses:
    return OpenAIResponses(server.url, KEY, name="acme", key_hint="ACME_KEY", timeouts=timeouts)


async def asked(source: OpenAIResponses, wanted: ModelRequest) -> list[ModelEvent]:
    async with asyncio.timeout(WAIT), source.stream(wanted) as events:
        return [event async for event in events]


def one(
    step: Scripted, fake: OpenAIResponsesFake | None = None, model: ModelInfo = MODEL
) -> list[ModelEvent]:
    """All events of one request."""

    async def scenario(server: FakeServer) -> list[ModelEvent]:
        source = provider(server, QUICK if isinstance(step, (Silent, Stall)) else None)
        try:
            return await asked(source, request(model))
        finally:
            await source.aclose()

    with FakeServer(fake or OpenAIResponsesFake(KEY), [step]) as server:
        return asyncio.run(scenario(server))


def answer_of(events: Sequence[ModelEvent]) -> Answer:
    assert isinstance(events[-1], Answer)
    return events[-1]


def test_text_comes_in_pieces_and_then_as_a_whole() -> None:
    usage = ModelUsage(input=100, output=10, thought=4, cached_read=64)
    assert one(Reply((Say(("Hel", "lo")),), Tokens(100, 10, 4, 64))) == [
        TextDelta("Hel"),
        TextDelta("lo"),
        Answer(AgentMessage((TextPart("Hello"),)), "end", usage),
    ]


def test_calls_are_known_by_their_call_id() -> None:
    wanted = calls(Call("read_file", {"path": "ä"}, "a"), Call("bash", "{not json", "b"))
    message = AgentMessage(
        (
            CallPart("a", "read_file", {"path": "ä"}, provider="acme"),
            CallPart("b", "bash", malformed="{not json", provider="acme"),
        )
    )
    assert one(wanted) == [
        CallBegun("a", "read_file"),
        CallBegun("b", "bash"),
        Answer(message, "tool_calls", ModelUsage(100, 10)),
    ]


def test_reasoning_is_shown_and_kept_in_its_encrypted_form() -> None:
    events = one(Reply((Think(("So", "Ha")), Say(("Hi",)))))
    assert [event.text for event in events if isinstance(event, ThoughtDelta)] == [
        "S", "o", "\n\n", "H", "a",
    ]  # fmt: skip
    thought = answer_of(events).message.content[0]
    assert isinstance(thought, ThinkingPart)
    assert (thought.text, thought.provider) == ("So\n\nHa", "acme")
    assert thought.opaque is not None
    assert thought.opaque["model"] == "gpt-5"
    assert set(thought.opaque["item"]) == {"type", "id", "summary", "encrypted_content"}


@pytest.mark.parametrize(
    ("reply", "cause", "text"),
    [
        (Reply((Say(("cut",)),), stop="max_tokens"), "max_tokens", "cut"),
        (Reply((Say(("I will not",)),), stop="refusal"), "refusal", "I will not"),
        (Reply((), stop="refusal"), "refusal", ""),
        (Reply(()), "end", ""),
    ],
)
def test_each_cause_is_told(reply: Reply, cause: str, text: str) -> None:
    answer = answer_of(one(reply))
    assert (answer.cause, answer.message.text) == (cause, text)


def test_a_long_conversation_with_another_model_in_between_is_accepted() -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        talk: list[Message] = [user("go")]
        for step in range(12):
            model = ModelInfo("o3", thinking=True) if step % 5 == 4 else MODEL
            answer = answer_of(await asked(source, request(model, *talk)))
            given = tuple(
                ToolResult(call.id, call.name, "", is_error=True, images=(PIXEL,))
                for call in answer.message.calls
            )
            talk += [answer.message, ToolMessage(given) if given else user("and now?")]
        await source.aclose()

    script = [
        Reply((Think(("hm",)), Call("read_file", {"path": "a"}, ""), Call("bash", "[", "x"))),
        Reply((Think(()), Say(("text",)), Call("bash", {}, "x"))),
        Reply((Say(("Done",)), Think(("too long",))), stop="max_tokens"),
    ] * 4
    with FakeServer(OpenAIResponsesFake(KEY), script) as server:
        asyncio.run(scenario(server))
    assert server.violations == []
    kinds = [item["type"] for item in server.requests[-1].body["input"]]
    assert kinds.count("function_call") == kinds.count("function_call_output") == 12
    assert kinds.count("reasoning") == 6


def test_who_may_not_see_summaries_gets_an_answer_all_the_same() -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        for _ in range(2):
            answer = answer_of(await asked(source, request(MODEL)))
            assert answer.message.text == "Hello"
        await source.aclose()

    with FakeServer(OpenAIResponsesFake(KEY, verified=False), [HELLO, HELLO]) as server:
        asyncio.run(scenario(server))
    assert ["reasoning" in each.body for each in server.requests] == [True, False, False]


def test_a_refused_request_is_not_sent_again() -> None:
    with pytest.raises(ProviderError, match="refused the request"):
        one(Status(400, message="no such thing"))


def test_models_are_those_of_the_server() -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        assert [model.id for model in await source.models()] == ["gpt-5"]
        await source.aclose()

    with FakeServer(OpenAIResponsesFake(KEY), []) as server:
        asyncio.run(scenario(server))


@pytest.mark.parametrize(
    ("fault", "kind", "retryable"),
    [
        (Status(429, {"retry-after": "2"}), "limit", True),
        (Status(500), "server", True),
        (Status(400, error_code="context_length_exceeded"), "context", False),
        (Cut(HELLO, after=4), "network", True),
        (Cut(HELLO, after=8, cleanly=True), "network", True),
        (Inject(HELLO, 1, MALFORMED), "server", True),
        (Inject(HELLO, 1, b'data: {"type": 7}\n\n'), "server", True),
        (
            Inject(HELLO, 1, b'data: {"type": "response.output_item.done", "item": 7}\n\n'),
            "server",
            True,
        ),
        (
            Inject(HELLO, 1, b'data: {"type":"error","code":"rate_limit_exceeded"}\n\n'),
            "limit",
            True,
        ),
        (
            Inject(
                HELLO,
                4,
                b'data: {"type":"response.failed","response":{"error":'
                b'{"code":"server_error","message":"x"}}}\n\n',
            ),
            "server",
            True,
        ),
        (Stall(HELLO, after=4), "network", True),
        (Silent(), "network", True),
    ],
)
def test_each_fault_is_an_error_of_its_kind(fault: Scripted, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as caught:
        one(fault)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert KEY not in str(caught.value)


def test_a_wrong_key_names_the_variable_and_not_the_key() -> None:
    with pytest.raises(ProviderError, match="ACME_KEY") as caught:
        one(HELLO, OpenAIResponsesFake("another"))
    assert KEY not in str(caught.value)


def test_a_connection_is_used_again_and_a_slow_stream_is_waited_for() -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        for _ in range(2):
            await asked(source, request(MODEL))
        await source.aclose()

    with FakeServer(OpenAIResponsesFake(KEY), [Slow(HELLO, 0.02), HELLO]) as server:
        asyncio.run(scenario(server))
    assert (server.connections, server.hung_up) == (1, 0)


def test_leaving_the_stream_ends_it() -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        async with source.stream(request(MODEL)) as events:
            assert await anext(events) == TextDelta("Hel")
        await asyncio.to_thread(server.wait, lambda: server.hung_up == 1)
        await source.aclose()

    with FakeServer(OpenAIResponsesFake(KEY), [Stall(HELLO, after=5)]) as server:
        asyncio.run(scenario(server))
