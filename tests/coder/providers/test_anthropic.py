"""The provider of Anthropic's models against a server that speaks its format and judges it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, Message, TextPart, ThinkingPart, ToolResult
from parley.coder.providers.anthropic import Anthropic
from parley.coder.providers.catalogue import known, offered_by
from parley.coder.providers.http import Timeouts
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
from tests.coder.providers.fakes.anthropic import AnthropicFake, signature
from tests.coder.providers.fakes.reply import (
    MALFORMED,
    Call,
    Cut,
    Inject,
    Raw,
    Reply,
    Say,
    Script,
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
from tests.coder.providers.fakes.samples import KEY, request, results, user
from tests.coder.providers.fakes.server import FakeServer

WAIT = 5.0
MODEL = ModelInfo("claude-haiku-4-5", max_output=16_000, images=True, thinking=True)
QUICK = Timeouts(connect=2.0, first_byte=0.2, between=0.2, error_body=0.2)


def played(
    script: Script,
    scenario: Callable[[Anthropic, FakeServer], Awaitable[None]],
    *,
    key: str = KEY,
    timeouts: Timeouts | None = None,
) -> FakeServer:
    """Run a scenario with a provider of its own against a scripted server."""

    async def run(server: FakeServer) -> None:
        provider = Anthropic(server.url, key, timeouts=timeouts)
        try:
            async with asyncio.timeout(WAIT):
                await scenario(provider, server)
        finally:
            await provider.aclose()

    with FakeServer(AnthropicFake(KEY), script) as server:
        asyncio.run(run(server))
    return server


async def all_of(provider: Anthropic, wanted: ModelRequest) -> list[ModelEvent]:
    async with provider.stream(wanted) as events:
        return [event async for event in events]


def failure(step: Scripted, *, key: str = KEY, timeouts: Timeouts | None = None) -> ProviderError:
    """The error that a request ends with; no error ever shows the key."""
    caught: list[ProviderError] = []

    async def scenario(provider: Anthropic, _: FakeServer) -> None:
        with pytest.raises(ProviderError) as raised:
            await all_of(provider, request(MODEL, thought_level="low"))
        caught.append(raised.value)

    played([step], scenario, key=key, timeouts=timeouts)
    assert key not in str(caught[0])
    assert caught[0].__cause__ is None
    return caught[0]


def test_an_answer_streams_thoughts_text_and_calls_and_ends_with_the_whole() -> None:
    reply = Reply(
        (
            Think(("Look ", "first.")),
            Say(("I ", "read.")),
            Call("read_file", {"path": "a.py"}),
        ),
        Tokens(input=100, output=20, cached_read=60, cached_write=30),
    )

    async def scenario(provider: Anthropic, _: FakeServer) -> None:
        thinking = ThinkingPart(
            "Look first.",
            "anthropic",
            {"signature": signature("Look first."), "model": MODEL.id},
        )
        call = CallPart("toolu_0001", "read_file", {"path": "a.py"}, provider="anthropic")
        message = AgentMessage((thinking, TextPart("I read."), call))
        assert await all_of(provider, request(MODEL, thought_level="low")) == [
            ThoughtDelta("Look "),
            ThoughtDelta("first."),
            TextDelta("I "),
            TextDelta("read."),
            CallBegun("toolu_0001", "read_file"),
            Answer(message, "tool_calls", ModelUsage(100, 20, 0, 60, 30)),
        ]

    assert played([reply], scenario).violations == []


def test_a_session_of_many_rounds_is_accepted_by_a_strict_server() -> None:
    rounds = 12
    script: list[Scripted] = [
        Reply((Think((f"Step {n}.",)), Call("bash", {"command": "ls"}), Call("read_file")))
        for n in range(rounds)
    ]

    async def scenario(provider: Anthropic, _: FakeServer) -> None:
        messages: list[Message] = [user("Go")]
        for _ in range(rounds + 1):
            wanted = request(MODEL, *messages, thought_level="low")
            answer = (await all_of(provider, wanted))[-1]
            assert isinstance(answer, Answer)
            messages.append(answer.message)
            done = (ToolResult(call.id, call.name, "ok") for call in answer.message.calls)
            messages.append(results(*done))
        assert messages[-2] == AgentMessage((TextPart("Done."),))

    assert played([*script, says("Done.")], scenario).violations == []


def test_a_local_server_needs_no_key() -> None:
    async def scenario(provider: Anthropic, server: FakeServer) -> None:
        with pytest.raises(ProviderError):
            await all_of(provider, request(MODEL))
        assert "x-api-key" not in server.requests[0].headers

    played([], scenario, key="")


def test_a_wrong_key_is_an_error_that_names_the_variable_and_not_the_key() -> None:
    error = failure(says("never"), key="sk-some-wrong-key")
    assert (error.kind, error.retryable) == ("auth", False)
    assert "ANTHROPIC_API_KEY" in str(error)


@pytest.mark.parametrize(
    ("step", "kind", "retryable", "wait"),
    [
        (Status(429, {"retry-after": "7"}), "limit", True, 7.0),
        (Status(500), "server", True, None),
        (Status(529), "server", True, None),
        (Status(400, message="max_tokens: too large"), "request", False, None),
        (Status(400, message="prompt is too long: 9 > 8 maximum"), "context", False, None),
        (Status(413), "context", False, None),
        (Status(404, message="model: unknown"), "request", False, None),
    ],
)
def test_each_error_status_has_its_kind(
    step: Status, kind: str, retryable: bool, wait: float | None
) -> None:
    error = failure(step)
    assert (error.kind, error.retryable, error.retry_after) == (kind, retryable, wait)


@pytest.mark.parametrize("after", range(7))
@pytest.mark.parametrize("cleanly", [False, True])
def test_a_stream_that_ends_before_its_last_event_is_a_dropped_one(
    after: int, cleanly: bool
) -> None:
    error = failure(Cut(says("Hello"), after, cleanly))
    assert (error.kind, error.retryable) == ("network", True)


def error_event(kind: str) -> bytes:
    error: dict[str, Any] = AnthropicFake().error(0, "a reason", kind)
    return f"event: error\ndata: {error}\n\n".replace("'", '"').encode()


@pytest.mark.parametrize(
    ("step", "kind", "retryable"),
    [
        (Inject(says("Hello"), 4, error_event("overloaded_error")), "server", True),
        (Inject(says("Hello"), 4, error_event("api_error")), "server", True),
        (Inject(says("Hello"), 4, error_event("rate_limit_error")), "limit", True),
        (Inject(says("Hello"), 4, error_event("invalid_request_error")), "request", False),
        (Inject(says("Hello"), 0, MALFORMED), "server", True),
        (Inject(says("Hello"), 3, b'data: {"type": 5}\n\n'), "server", True),
        (Raw((huge_event(9 * 1024 * 1024),)), "server", False),
    ],
)
def test_each_fault_inside_a_stream_has_its_kind(
    step: Scripted, kind: str, retryable: bool
) -> None:
    error = failure(step)
    assert (error.kind, error.retryable) == (kind, retryable)


@pytest.mark.parametrize("step", [Silent(), Stall(says("Hello"), 3)])
def test_a_server_that_stops_talking_is_given_up(step: Scripted) -> None:
    error = failure(step, timeouts=QUICK)
    assert (error.kind, error.retryable) == ("network", True)


def test_a_slow_stream_is_waited_for() -> None:
    async def scenario(provider: Anthropic, _: FakeServer) -> None:
        events = await all_of(provider, request(MODEL))
        assert isinstance(events[-1], Answer)
        assert events[-1].message.text == "slow"

    played([Slow(says("s", "l", "o", "w"), 0.01)], scenario)


def test_leaving_a_stream_hangs_up() -> None:
    async def scenario(provider: Anthropic, server: FakeServer) -> None:
        async with provider.stream(request(MODEL)) as events:
            assert await anext(events) == TextDelta("Hello")
        await asyncio.to_thread(server.wait, lambda: server.hung_up == 1)

    played([Stall(says("Hello"), 4)], scenario)


def test_many_streams_are_open_at_once() -> None:
    async def scenario(provider: Anthropic, _: FakeServer) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(all_of(provider, request(MODEL))) for _ in range(8)]
        assert [task.result()[0] for task in tasks] == [TextDelta("Hello")] * 8

    played(lambda _: says("Hello"), scenario)


def test_malformed_arguments_come_back_as_the_model_wrote_them() -> None:
    async def scenario(provider: Anthropic, _: FakeServer) -> None:
        answer = (await all_of(provider, request(MODEL)))[-1]
        assert isinstance(answer, Answer)
        assert answer.message.calls[0].malformed == '{"path": '

    played([calls(Call("read_file", '{"path": '))], scenario)


def test_the_models_are_asked_for_and_described() -> None:
    async def scenario(_: Anthropic, server: FakeServer) -> None:
        provider = Anthropic(f"{server.url}/v1/", KEY)
        haiku, opus = await provider.models()
        await provider.aclose()
        assert (opus.id, opus.name, opus.price_input) == (
            "claude-opus-4-7",
            "Claude Opus 4.7",
            known("claude-opus-4-7", provider="anthropic").price_input,
        )
        assert (opus.context_window, opus.max_output) == (1_000_000, 128_000)
        assert (opus.images, opus.thinking) == (True, False)
        assert (haiku.id, haiku.images, haiku.thinking) == ("claude-haiku-4-5", True, True)

    played([], scenario)


@pytest.mark.parametrize("named", [(), (ModelInfo("claude-haiku-4-5"),)])
def test_without_a_list_of_models_those_that_are_known_are_offered(
    named: tuple[ModelInfo, ...],
) -> None:
    async def scenario() -> None:
        with FakeServer(AnthropicFake("another key"), []) as server:
            provider = Anthropic(server.url, KEY, models=named)
            wanted = tuple(known(model.id, provider="anthropic") for model in named)
            assert await provider.models() == (wanted or offered_by("anthropic"))
            await provider.aclose()

    asyncio.run(scenario())
