"""The provider of Gemini's models against a server that speaks its format and judges it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, Message, TextPart, ThinkingPart, ToolResult
from parley.coder.providers.catalogue import known, offered_by
from parley.coder.providers.gemini import Gemini
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
from tests.coder.providers.fakes.gemini import GeminiFake, signature
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
MODEL = ModelInfo("gemini-3-flash", max_output=16_000, images=True, thinking=True)
OLDER = ModelInfo("gemini-2.5-pro", max_output=16_000, images=True, thinking=True)
QUICK = Timeouts(connect=2.0, first_byte=0.2, between=0.2, error_body=0.2)


def played(
    script: Script,
    scenario: Callable[[Gemini, FakeServer], Awaitable[None]],
    *,
    key: str = KEY,
    timeouts: Timeouts | None = None,
) -> FakeServer:
    """Run a scenario with a provider of its own against a scripted server."""

    async def run(server: FakeServer) -> None:
        provider = Gemini(server.url, key, timeouts=timeouts)
        try:
            async with asyncio.timeout(WAIT):
                await scenario(provider, server)
        finally:
            await provider.aclose()

    with FakeServer(GeminiFake(KEY), script) as server:
        asyncio.run(run(server))
    return server


async def all_of(provider: Gemini, wanted: ModelRequest) -> list[ModelEvent]:
    async with provider.stream(wanted) as events:
        return [event async for event in events]


def failure(step: Scripted, *, key: str = KEY, timeouts: Timeouts | None = None) -> ProviderError:
    """The error that a request ends with; no error ever shows the key."""
    caught: list[ProviderError] = []

    async def scenario(provider: Gemini, _: FakeServer) -> None:
        with pytest.raises(ProviderError) as raised:
            await all_of(provider, request(MODEL))
        caught.append(raised.value)

    played([step], scenario, key=key, timeouts=timeouts)
    assert key not in str(caught[0])
    assert caught[0].__cause__ is None
    return caught[0]


def test_an_answer_streams_thoughts_text_and_calls_and_ends_with_the_whole() -> None:
    reply = Reply(
        (Think(("Look ", "first.")), Say(("I ", "read.")), Call("read_file", {"path": "a.py"})),
        Tokens(input=100, output=20, thought=12, cached_read=60),
    )
    wire = {"name": "read_file", "args": {"path": "a.py"}, "id": "fc1"}
    opaque = {"model": MODEL.id, "thoughtSignature": signature(wire), "id": "fc1"}

    async def scenario(provider: Gemini, _: FakeServer) -> None:
        call = CallPart("fc1", "read_file", {"path": "a.py"}, None, "gemini", opaque)
        message = AgentMessage((ThinkingPart("Look first.", "gemini"), TextPart("I read."), call))
        assert await all_of(provider, request(MODEL, thought_level="low")) == [
            ThoughtDelta("Look "),
            ThoughtDelta("first."),
            TextDelta("I "),
            TextDelta("read."),
            CallBegun("fc1", "read_file"),
            Answer(message, "tool_calls", ModelUsage(100, 20, 12, 60)),
        ]

    server = played([reply], scenario)
    assert server.violations == []
    assert KEY not in server.requests[0].path + server.requests[0].query


@pytest.mark.parametrize("model", [MODEL, OLDER])
def test_a_session_of_many_rounds_is_accepted_by_a_strict_server(model: ModelInfo) -> None:
    rounds = 12
    wanted_calls = (Call("bash", {"command": "ls"}), Call("read_file"))
    script: list[Scripted] = [
        Reply((Think((f"Step {n}.",)), Say(("On.",)), *wanted_calls)) for n in range(rounds)
    ]

    async def scenario(provider: Gemini, _: FakeServer) -> None:
        messages: list[Message] = [user("Go")]
        for _ in range(rounds + 2):
            answer = (await all_of(provider, request(model, *messages)))[-1]
            assert isinstance(answer, Answer)
            messages.append(answer.message)
            done = [ToolResult(call.id, call.name, "ok") for call in answer.message.calls]
            messages.append(results(*done) if done else user("Again"))
        ids = [
            call.id
            for message in messages
            if isinstance(message, AgentMessage)
            for call in message.calls
        ]
        assert len(set(ids)) == rounds * 2

    assert played([*script, says("Done."), says("Really.")], scenario).violations == []


def test_a_session_may_go_on_with_another_model() -> None:
    async def scenario(provider: Gemini, _: FakeServer) -> None:
        messages: list[Message] = [user("Go")]
        for model in (OLDER, MODEL, OLDER, MODEL):
            answer = (await all_of(provider, request(model, *messages)))[-1]
            assert isinstance(answer, Answer)
            done = (ToolResult(call.id, call.name, "ok") for call in answer.message.calls)
            messages += [answer.message, results(*done)]

    assert played(lambda _: calls(Call("bash"), Call("bash")), scenario).violations == []


def test_a_wrong_key_is_an_error_that_names_the_variable_and_not_the_key() -> None:
    for error in (
        failure(says("never"), key="AIza-some-wrong-key"),
        failure(Status(400, message=f"API key not valid: {KEY}")),
    ):
        assert (error.kind, error.retryable) == ("auth", False)
        assert "GEMINI_API_KEY" in str(error)


def test_without_a_key_none_is_sent() -> None:
    async def scenario(provider: Gemini, server: FakeServer) -> None:
        with pytest.raises(ProviderError):
            await all_of(provider, request(MODEL))
        assert "x-goog-api-key" not in server.requests[0].headers

    played([], scenario, key="")


@pytest.mark.parametrize(
    ("step", "kind", "retryable", "wait"),
    [
        (Status(429, {"retry-after": "7"}), "limit", True, 7.0),
        (
            Status(429, body=b'{"error": {"details": [{"retryDelay": "3s"}], "message": "x"}}'),
            "limit",
            True,
            3.0,
        ),
        (Status(500), "server", True, None),
        (Status(503, message="overloaded"), "server", True, None),
        (Status(400, message="Invalid JSON payload"), "request", False, None),
        (
            Status(400, message="The input token count (9) exceeds the maximum"),
            "context",
            False,
            None,
        ),
        (Status(404, message="model: unknown"), "request", False, None),
    ],
)
def test_each_error_status_has_its_kind(
    step: Status, kind: str, retryable: bool, wait: float | None
) -> None:
    error = failure(step)
    assert (error.kind, error.retryable, error.retry_after) == (kind, retryable, wait)


@pytest.mark.parametrize("after", range(3))
@pytest.mark.parametrize("cleanly", [False, True])
def test_a_stream_that_ends_without_a_reason_is_a_dropped_one(after: int, cleanly: bool) -> None:
    error = failure(Cut(says("Hel", "lo"), after, cleanly))
    assert (error.kind, error.retryable) == ("network", True)


@pytest.mark.parametrize(
    ("step", "kind", "retryable"),
    [
        (Inject(says("Hi"), 1, b'data: {"error": {"code": 503}}\n\n'), "server", True),
        (Inject(says("Hi"), 1, b'data: {"error": {"code": 429}}\n\n'), "limit", True),
        (Inject(says("Hi"), 1, MALFORMED), "server", True),
        (Inject(says("Hi"), 1, b'data: {"candidates": 5}\n\n'), "server", True),
        (Raw((huge_event(9 * 1024 * 1024),)), "server", False),
        (calls(Call("bash", "not an object")), "server", True),
    ],
)
def test_each_fault_inside_a_stream_has_its_kind(
    step: Scripted, kind: str, retryable: bool
) -> None:
    error = failure(step)
    assert (error.kind, error.retryable) == (kind, retryable)


@pytest.mark.parametrize("step", [Silent(), Stall(says("Hel", "lo"), 1)])
def test_a_server_that_stops_talking_is_given_up(step: Scripted) -> None:
    error = failure(step, timeouts=QUICK)
    assert (error.kind, error.retryable) == ("network", True)


def test_a_slow_stream_is_waited_for() -> None:
    async def scenario(provider: Gemini, _: FakeServer) -> None:
        events = await all_of(provider, request(MODEL))
        assert isinstance(events[-1], Answer)
        assert events[-1].message.text == "slow"

    played([Slow(says("s", "l", "o", "w"), 0.01)], scenario)


def test_leaving_a_stream_hangs_up() -> None:
    async def scenario(provider: Gemini, server: FakeServer) -> None:
        async with provider.stream(request(MODEL)) as events:
            assert await anext(events) == TextDelta("Hello")
        await asyncio.to_thread(server.wait, lambda: server.hung_up == 1)

    played([Stall(says("Hello", "!"), 1)], scenario)


def test_the_models_that_talk_are_asked_for_and_described() -> None:
    async def scenario(_: Gemini, server: FakeServer) -> None:
        provider = Gemini(f"{server.url}/v1beta", KEY, models=(ModelInfo("gemini-3-flash"),))
        flash, pro = await provider.models()
        await provider.aclose()
        assert (flash.id, flash.name, flash.max_output) == (
            "gemini-3-flash",
            "Gemini 3 Flash",
            60_000,
        )
        assert flash.thinking is False
        assert pro == known("gemini-2.5-pro", provider="gemini")

    played([], scenario)


def test_without_a_list_of_models_those_that_are_known_are_offered() -> None:
    async def scenario() -> None:
        with FakeServer(GeminiFake("another key"), []) as server:
            provider = Gemini(server.url, KEY)
            assert await provider.models() == offered_by("gemini")
            await provider.aclose()

    asyncio.run(scenario())
