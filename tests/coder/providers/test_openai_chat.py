"""The chat provider against a server that speaks the format and refuses what the real one would."""

import asyncio

import pytest

from parley.coder.errors import ProviderError
from parley.coder.message import (
    AgentMessage,
    CallPart,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResult,
)
from parley.coder.providers.http import Timeouts
from parley.coder.providers.openai_chat import OpenAIChat
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
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
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
    huge_event,
    says,
)
from tests.coder.providers.fakes.samples import KEY, agent, request, results, user
from tests.coder.providers.fakes.server import WAIT, FakeServer

MODEL = ModelInfo("gpt-5", thinking=True, images=True)
QUICK = Timeouts(connect=1, first_byte=0.2, between=0.2, error_body=0.2)
HELLO = says("Hel", "lo")


def provider(server: FakeServer, key: str = KEY, **options: object) -> OpenAIChat:
    return OpenAIChat(server.url, key, name="acme", key_hint="ACME_KEY", **options)  # type: ignore[arg-type]


async def asked(
    source: OpenAIChat, wanted: ModelRequest, into: list[ModelEvent] | None = None
) -> Answer:
    seen: list[ModelEvent] = [] if into is None else into
    async with asyncio.timeout(WAIT), source.stream(wanted) as events:
        async for event in events:
            seen.append(event)
    assert isinstance(seen[-1], Answer)
    return seen[-1]


def one(
    step: Scripted, wanted: ModelRequest | None = None, fake: OpenAIChatFake | None = None
) -> list[ModelEvent]:
    """All events of one request."""
    events: list[ModelEvent] = []

    async def scenario(server: FakeServer) -> None:
        source = provider(server, timeouts=QUICK if isinstance(step, (Silent, Stall)) else None)
        try:
            await asked(source, wanted or request(MODEL), events)
        finally:
            await source.aclose()

    with FakeServer(fake or OpenAIChatFake(KEY), [step]) as server:
        asyncio.run(scenario(server))
    assert server.violations == []
    return events


def test_text_comes_in_pieces_and_then_as_a_whole() -> None:
    usage = ModelUsage(input=100, output=10, thought=4, cached_read=64)
    reply = Reply((Say(("Hel", "lo")),), Tokens(100, 10, 4, 64))
    assert one(reply) == [
        TextDelta("Hel"),
        TextDelta("lo"),
        Answer(AgentMessage((TextPart("Hello"),)), "end", usage),
    ]


@pytest.mark.parametrize("style", ["pieces", "whole", "object"])
def test_calls_are_the_same_however_they_are_streamed(style: str) -> None:
    wanted = calls(Call("read_file", {"path": "ä.py"}, "a"), Call("bash", {"command": "ls"}, "b"))
    events = one(wanted, fake=OpenAIChatFake(KEY, style=style))  # type: ignore[arg-type]
    message = AgentMessage(
        (
            CallPart("a", "read_file", {"path": "ä.py"}, provider="acme"),
            CallPart("b", "bash", {"command": "ls"}, provider="acme"),
        )
    )
    assert events == [
        CallBegun("a", "read_file"),
        CallBegun("b", "bash"),
        Answer(message, "tool_calls", ModelUsage(100, 10)),
    ]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_are_kept_and_given_back_in_the_same_turn_only(field: str) -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        first = await asked(source, request(MODEL, user("go")))
        assert first.message.content[0] == ThinkingPart("Hmm so", "acme", {"field": field})
        turn = (
            user("go"),
            first.message,
            results(ToolResult("c1", "read_file", "text")),
        )
        second = await asked(source, request(MODEL, *turn))
        await asked(source, request(MODEL, *turn, second.message, user("more")))
        await source.aclose()

    script = [Reply((Think(("Hmm", " so")), Call("read_file", {}, "c1"))), HELLO, HELLO]
    with FakeServer(OpenAIChatFake(KEY, thought_field=field), script) as server:
        asyncio.run(scenario(server))
    assert server.violations == []
    echoed = [[field in message for message in each.body["messages"]] for each in server.requests]
    assert [any(each) for each in echoed] == [False, True, False]


def test_thoughts_are_events_of_their_own() -> None:
    events = one(Reply((Think(("Hm",)), Say(("Hi",)))))
    assert events[:2] == [ThoughtDelta("Hm"), TextDelta("Hi")]


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
    answer = one(reply)[-1]
    assert isinstance(answer, Answer)
    assert (answer.cause, answer.message.text) == (cause, text)


def test_a_conversation_with_calls_and_failures_is_accepted_by_a_strict_server() -> None:
    seen: set[str] = set()

    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        talk = [user("go")]
        for _ in range(12):
            answer = await asked(source, request(MODEL, *talk))
            given = tuple(ToolResult(c.id, c.name, "", is_error=True) for c in answer.message.calls)
            seen.update(call.id for call in answer.message.calls)
            talk += [answer.message, ToolMessage(given)] if given else [answer.message, user("?")]
        await source.aclose()

    script = [
        calls(Call("read_file", {"path": "a"}, "")),
        calls(Call("read_file", "{not json", "twice"), Call("bash", "", "twice")),
        calls(Call("read_file", "[1]", "twice"), Call("bash", {}, "")),
        says("ok"),
    ] * 3
    with FakeServer(OpenAIChatFake(KEY), script) as server:
        asyncio.run(scenario(server))
    assert server.violations == []
    assert len(seen) == 15


def test_a_local_server_needs_no_key() -> None:
    async def scenario(server: FakeServer) -> None:
        source = OpenAIChat(server.url)
        await asked(source, request(MODEL))
        assert await source.models() == (
            ModelInfo("qwen", "", 4096, 4096, price_input=0, price_output=0, price_cached=0),
        )
        await source.aclose()

    models = ({"id": "qwen", "meta": {"n_ctx_train": 4096}}, {"id": "nomic-embed"})
    with FakeServer(OpenAIChatFake("", models=models), [HELLO]) as server:
        asyncio.run(scenario(server))
    assert "authorization" not in server.requests[0].headers


def test_a_call_that_a_small_model_writes_as_text_is_one() -> None:
    text = '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```'
    answer = one(says(text))[-1]
    assert isinstance(answer, Answer)
    assert answer.cause == "tool_calls"
    assert answer.message.text == text
    assert answer.message.calls[0].arguments == {"path": "a"}


def listed(fake: OpenAIChatFake, models: tuple[ModelInfo, ...] = ()) -> list[str]:
    async def scenario(server: FakeServer) -> list[str]:
        source = OpenAIChat(server.url, KEY, name="openai", models=models)
        found = await source.models()
        await source.aclose()
        return [model.id for model in found]

    with FakeServer(fake, []) as server:
        return asyncio.run(scenario(server))


def test_models_are_those_of_the_server_the_configured_and_preferred_first() -> None:
    fake = OpenAIChatFake(KEY, models=({"id": "zeta"}, {"id": "gpt-4.1"}, {"id": "gpt-5"}))
    assert listed(fake, (ModelInfo("mine"),)) == ["mine", "gpt-5", "gpt-4.1", "zeta"]


def test_models_are_those_known_when_the_server_does_not_tell() -> None:
    assert listed(OpenAIChatFake("another key"))[0] == "gpt-5"
    assert listed(OpenAIChatFake("another key"), (ModelInfo("mine"),)) == ["mine"]


@pytest.mark.parametrize(
    ("fault", "kind", "retryable"),
    [
        (Status(429, {"retry-after-ms": "1500"}), "limit", True),
        (Status(500), "server", True),
        (Status(404), "request", False),
        (Status(400, error_code="context_length_exceeded"), "context", False),
        (Cut(HELLO, after=2), "network", True),
        (Cut(HELLO, after=3, cleanly=True), "network", True),
        (Inject(HELLO, 1, MALFORMED), "server", True),
        (Inject(HELLO, 1, b'data: {"choices": 7}\n\n'), "server", True),
        (Inject(HELLO, 1, b'data: {"error": {"message": "x", "code": 502}}\n\n'), "server", True),
        (Inject(HELLO, 1, b"event: error\ndata: {}\n\n"), "server", True),
        (Inject(HELLO, 1, huge_event(8 * 1024 * 1024)), "server", False),
        (Stall(HELLO, after=2), "network", True),
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
        one(HELLO, fake=OpenAIChatFake("another"))
    assert KEY not in str(caught.value)


def test_a_slow_stream_is_an_answer_and_a_connection_is_used_again() -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        for _ in range(3):
            await asked(source, request(MODEL))
        await source.aclose()

    with FakeServer(OpenAIChatFake(KEY), [Slow(HELLO, 0.02), HELLO, HELLO]) as server:
        asyncio.run(scenario(server))
    assert (len(server.requests), server.connections, server.hung_up) == (3, 1, 0)


def test_leaving_the_stream_ends_it() -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        async with source.stream(request(MODEL)) as events:
            assert await anext(events) == TextDelta("Hel")
        await asyncio.to_thread(server.wait, lambda: server.hung_up == 1)
        await source.aclose()

    with FakeServer(OpenAIChatFake(KEY), [Stall(HELLO, after=2)]) as server:
        asyncio.run(scenario(server))


@pytest.mark.parametrize(
    ("messages", "violation"),
    [
        ((agent(TextPart("x")),), "last message"),
        ((user("x"), agent(CallPart("a", "bash")), user("y")), "without a tool message"),
        ((user("x"), results(ToolResult("a", "bash", "x"))), "must follow"),
    ],
)
def test_the_fake_refuses_what_is_not_well_formed(
    messages: tuple[object, ...], violation: str
) -> None:
    async def scenario(server: FakeServer) -> None:
        source = provider(server)
        try:
            await asked(source, request(MODEL, *messages))  # type: ignore[arg-type]
        finally:
            await source.aclose()

    with (
        FakeServer(OpenAIChatFake(KEY), [HELLO]) as server,
        pytest.raises(ProviderError, match=violation),
    ):
        asyncio.run(scenario(server))
    assert len(server.violations) == 1


def test_an_address_that_cannot_be_read_is_an_error_and_no_exception() -> None:
    async def scenario() -> None:
        source = OpenAIChat("http://[x", KEY, models=(ModelInfo("m"),))
        assert [model.id for model in await source.models()] == ["m"]
        async with source.stream(request(MODEL)):
            pass

    with pytest.raises(ProviderError, match="base URL"):
        asyncio.run(scenario())
