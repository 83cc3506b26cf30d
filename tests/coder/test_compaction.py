"""A conversation that gets shorter for the model and stays whole for the client."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.compaction import Compaction, compact
from parley.coder.cut import SUMMARY_MARK, is_summary
from parley.coder.errors import ProviderError
from parley.coder.message import CallPart, TextPart, ToolMessage, UserMessage
from parley.coder.open_session import OpenSession
from parley.coder.providers.provider import ModelInfo, ModelRequest, ModelUsage
from parley.coder.settings import CoderSettings, RetryLimits
from parley.coder.store.entry import Compacted, Forgotten, OptionSet, Said, Spent, Told
from parley.coder.summary import SUMMARISER
from parley.coder.tools.recall import Recall
from parley.coder.tools.todo import Todo
from parley.coder.tools.tool import Outcome, Progress
from parley.session.content import Text
from parley.session.event import (
    CompactionChanged,
    CompactionSummaryAdded,
    NoticeGiven,
    UsageChanged,
)
from parley.session.profile import ClientCapabilities, ClientProfile
from tests.coder.conversations import steps, user
from tests.coder.stage import (
    Gate,
    SmallTool,
    Stage,
    Step,
    Watcher,
    answered,
    calls,
    failing,
    says,
    staged,
)

SMALL = ModelInfo("one", context_window=8_000, max_output=1_000, price_input=1e6, price_output=1e6)
LONG = "Remember this: " + "word " * 1_100
SUMMARY = "The user wants words."
KEPT = says(SUMMARY, usage=ModelUsage(700, 30))
ONCE = CoderSettings(retry=RetryLimits(tries=1))


def summaries(stage: Stage) -> list[ModelRequest]:
    return [each for each in stage.provider.requests if each.system == SUMMARISER]


def opened(stage: Stage) -> OpenSession:
    return stage.application.sessions.get(stage.session_id)


def compactions(stage: Stage) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in stage.events:
        if isinstance(each, CompactionChanged):
            text = "".join(b.text for b in each.summary or () if isinstance(b, Text))
            found.append((each.status, text))
    return found


async def fill(stage: Stage, turns: int = 4) -> None:
    for number in range(turns):
        await stage.say(f"{number} {LONG}", message_id=f"p{number}")


def turns(*answers: list[Step]) -> tuple[list[Step], ...]:
    """Three answers fit; before the fourth a summary is asked for."""
    return (quiet("one"), quiet("two"), quiet("three"), *answers)


def quiet(text: str) -> list[Step]:
    """An answer of a model that does not count its input, so that the estimate stays as it is."""
    return says(text, usage=ModelUsage(0, 5))


def test_before_the_window_is_full_the_beginning_becomes_a_summary(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, *turns(KEPT, quiet("four")), models=(SMALL,)) as stage:
            await fill(stage)
            (asked,) = summaries(stage)
            assert asked.tools == ()
            assert asked.model.max_output < SMALL.max_output
            first, *rest = stage.provider.requests[-1].messages
            assert isinstance(first, UserMessage)
            (part,) = first.content
            assert isinstance(part, TextPart)
            assert part.text.startswith(SUMMARY_MARK)
            assert SUMMARY in part.text
            assert rest[-1] == user(f"3 {LONG}")
            assert compactions(stage) == [("in_progress", ""), ("completed", SUMMARY)]

    asyncio.run(scenario())


def test_the_client_sees_the_summary_grow_and_the_usage_shrink(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher(profile=ClientProfile(capabilities=ClientCapabilities(compaction=True)))
        async with staged(
            tmp_path, *turns(KEPT, quiet("four")), models=(SMALL,), client=client
        ) as stage:
            await fill(stage)
            kinds = CompactionChanged | CompactionSummaryAdded | UsageChanged | NoticeGiven
            seen = [each for each in stage.events if isinstance(each, kinds)][3:]
            begun, grown, done, usage, _ = seen
            assert isinstance(begun, CompactionChanged)
            assert isinstance(done, CompactionChanged)
            assert grown == CompactionSummaryAdded(begun.id, Text(SUMMARY))
            assert (begun.id, done.status) == (done.id, "completed")
            assert isinstance(usage, UsageChanged)
            assert usage.used < 4_500
            assert usage.size == SMALL.context_window

    asyncio.run(scenario())


def test_a_client_that_does_not_know_compactions_gets_a_notice(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, *turns(KEPT, quiet("four")), models=(SMALL,)) as stage:
            await fill(stage)
            (notice,) = [each for each in stage.events if isinstance(each, NoticeGiven)]
            assert "You keep all of it" in notice.title

    asyncio.run(scenario())


def test_the_request_for_the_summary_is_counted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, *turns(KEPT, quiet("four")), models=(SMALL,)) as stage:
            await fill(stage, 3)
            ending = await stage.say(LONG, message_id="last")
            assert ending.usage is not None
            assert (ending.usage.input, ending.usage.output) == (700, 35)
            entries = await opened(stage).log.entries()
            spent = [each for each in entries if isinstance(each, Spent)]
            assert len(spent) == 5
            assert spent[3] == Spent("played/one", ModelUsage(700, 30), 730.0)
            assert opened(stage).history.usage.input == 700

    asyncio.run(scenario())


def test_a_session_that_is_loaded_goes_on_with_the_same_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, *turns(KEPT, quiet("four")), models=(SMALL,)) as stage:
            await fill(stage)
            live = opened(stage).history.conversation()
            await stage.again()
            await stage.load()
            assert opened(stage).history.conversation() == live
            said = [each.text for each in _loaded_prompts(stage)]
            assert said == [f"{number} {LONG}" for number in range(4)]

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", ["server", "context", "auth"])
def test_a_model_that_cannot_summarise_costs_a_notice_and_no_turn(
    tmp_path: Path, kind: Any
) -> None:
    async def scenario() -> None:
        broken: list[Step] = [failing("no summary", retryable=False, kind=kind)]
        async with staged(tmp_path, *turns(broken, quiet("four")), models=(SMALL,)) as stage:
            await fill(stage, 3)
            assert (await stage.say(LONG, message_id="last")).stop_reason == "end_turn"
            notices = [each.title for each in stage.events if isinstance(each, NoticeGiven)]
            assert "could not summarise the conversation: no summary" in notices[0]
            assert "put together without a model" in compactions(stage)[-1][1]
            assert "Remember this: word word" in compactions(stage)[-1][1]

    asyncio.run(scenario())


def test_an_empty_summary_is_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, *turns(says(" "), quiet("four")), models=(SMALL,)) as stage:
            await fill(stage)
            assert "put together without a model" in compactions(stage)[-1][1]

    asyncio.run(scenario())


def test_a_summary_that_fails_for_the_moment_is_asked_for_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        cut_short: list[Step] = [*says("half")[:1], failing("busy")]
        unfinished = says("unfinished")[:1]
        answers = turns(cut_short, unfinished, KEPT, quiet("four"))
        async with staged(tmp_path, *answers, models=(SMALL,)) as stage:
            await fill(stage)
            begun = ("in_progress", "")
            assert compactions(stage) == [begun, begun, begun, ("completed", SUMMARY)]
            assert len(stage.clock.slept) >= 2
            notices = [each.title for each in stage.events if isinstance(each, NoticeGiven)]
            assert "busy Trying to summarise again in 0.5 s (try 2 of 3)." in notices

    asyncio.run(scenario())


def test_cancelling_while_it_summarises_leaves_the_conversation_as_it_was(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with staged(tmp_path, *turns([gate, *KEPT]), models=(SMALL,)) as stage:
            await fill(stage, 3)
            before = len(opened(stage).history.messages)
            await stage.cancelled_at(gate.reached, LONG)
            assert compactions(stage) == [("in_progress", ""), ("cancelled", "")]
            assert len(opened(stage).history.messages) == before + 1

    asyncio.run(scenario())


def test_a_conversation_that_is_too_long_for_the_provider_is_shortened_once(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        refused: list[Step] = [failing("too long", retryable=False, kind="context")]
        large = ModelInfo("one", context_window=1_000_000)
        answers = (says("a"), says("b"), refused, KEPT, says("c"))
        async with staged(tmp_path, *answers, models=(large,)) as stage:
            await fill(stage, 2)
            assert (await stage.say(LONG, message_id="last")).stop_reason == "end_turn"
            assert len(summaries(stage)) == 1
            assert is_summary(stage.provider.requests[-1].messages[0])

    asyncio.run(scenario())


def test_what_does_not_fit_after_that_ends_the_turn(tmp_path: Path) -> None:
    async def scenario() -> None:
        refused: list[Step] = [failing("too long", retryable=False, kind="context")]
        large = ModelInfo("one", context_window=1_000_000)
        answers = (says("a"), says("b"), refused, KEPT, refused, refused)
        async with staged(tmp_path, *answers, models=(large,)) as stage:
            await fill(stage, 2)
            ending = await stage.say(LONG, message_id="last")
            assert ending.failure is not None
            assert ending.failure.data["kind"] == "context"
            assert len(stage.provider.requests) == 5

    asyncio.run(scenario())


def test_one_prompt_that_is_too_long_alone_ends_the_turn(tmp_path: Path) -> None:
    async def scenario() -> None:
        refused: list[Step] = [failing("too long", retryable=False, kind="context")]
        async with staged(tmp_path, refused, KEPT, says("fine"), models=(SMALL,)) as stage:
            assert (await stage.say(LONG * 9)).stop_reason == "error"
            assert compactions(stage) == []
            assert (await stage.say("And now?", message_id="next")).stop_reason == "end_turn"
            assert compactions(stage)[-1] == ("completed", SUMMARY)

    asyncio.run(scenario())


def test_the_request_for_a_summary_fits_whatever_the_script_of_the_user_is(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, KEPT, quiet("a"), models=(SMALL,)) as stage:
            opened(stage).append(*[Said(user("言葉" * 500)) for _ in range(40)])
            await stage.say()
            (asked,) = summaries(stage)
            assert opened(stage).gauge.tokens(asked) < 6_400
            assert "言葉言葉" in str(asked.messages)

    asyncio.run(scenario())


def test_old_results_are_shortened_before_a_summary_is_asked_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        none = ModelUsage(0, 5)
        answers = [calls(CallPart(f"c{n}", "look", {"n": n}), usage=none) for n in range(5)]
        tool = SmallTool("look", "read", _pages)
        async with staged(
            tmp_path, *answers, says("done"), tools=(tool,), models=(SMALL,)
        ) as stage:
            assert (await stage.say()).stop_reason == "end_turn"
            assert summaries(stage) == []
            assert compactions(stage)[-1][1].startswith("Old results of tools were shortened")
            results = _results(stage.provider.requests[-1])
            assert "characters left out" in results[0]
            assert "characters left out" not in results[-1]

    asyncio.run(scenario())


def test_the_plan_and_the_request_stay_when_a_turn_is_cut_in_the_middle(tmp_path: Path) -> None:
    async def scenario() -> None:
        long, none = "So: " + "word " * 800, ModelUsage(0, 5)
        items = [{"content": "Count", "status": "pending"}]
        plan = calls(CallPart("t", "todo", {"items": items}), usage=none)
        work = [calls(CallPart(f"c{n}", "look"), text=long, usage=none) for n in range(8)]
        tools = (SmallTool("look", "read", answered), Todo())
        answers = (plan, *work[:5], KEPT, *work[5:], says("done"))
        async with staged(tmp_path, *answers, tools=tools, models=(SMALL,)) as stage:
            assert (await stage.say("Count all words.")).stop_reason == "end_turn"
            assert len(summaries(stage)) == 1
            first = stage.provider.requests[-1].messages[0]
            assert isinstance(first, UserMessage)
            (part,) = first.content
            assert isinstance(part, TextPart)
            assert "The plan as it stands:\n[ ] Count" in part.text
            assert part.text.endswith("the request you work on:\nCount all words.")

    asyncio.run(scenario())


def test_a_user_can_have_it_compacted_with_a_wish(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, quiet("a"), quiet("b"), KEPT, models=(SMALL,)) as stage:
            await fill(stage, 2)
            done = await compact(opened(stage), "keep the numbers")
            assert done == Compaction(ModelUsage(700, 30), 1)
            (asked,) = summaries(stage)
            assert "keep the numbers" in str(asked.messages)
            assert is_summary(opened(stage).history.messages[0])

    asyncio.run(scenario())


def test_without_a_model_that_is_known_there_is_no_summary(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            opened(stage).append(OptionSet("model", "gone/one"))
            stage.runtime.adopt(CoderSettings(default_model="gone/one"), {})
            with pytest.raises(ProviderError, match="No model is known for `gone/one`"):
                await compact(opened(stage))

    asyncio.run(scenario())


def test_a_short_conversation_is_not_compacted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("a")) as stage:
            assert await compact(opened(stage)) is None
            await stage.say("hello")
            assert await compact(opened(stage)) is None
            assert compactions(stage) == []

    asyncio.run(scenario())


def test_an_agent_without_a_model_summarises_by_itself(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            session = opened(stage)
            stage.provider.name = "offline"
            stage.runtime.adopt(
                CoderSettings(default_model="offline/one"), {"offline": stage.provider}
            )
            session.append(*map(Said, steps(80)))
            assert await compact(session) == Compaction()
            assert stage.provider.requests == []

    asyncio.run(scenario())


def test_a_compaction_that_a_kill_interrupted_is_over_when_the_session_is_opened(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            opened(stage).append(Told(CompactionChanged("k1", "in_progress")))
            await stage.again()
            await stage.load()
            assert compactions(stage) == [("in_progress", ""), ("cancelled", "")]

    asyncio.run(scenario())


def test_what_was_cut_off_can_be_recalled_unless_the_user_cleared_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        made = calls(CallPart("r", "recall", {"query": "hedgehog"}))
        again = calls(CallPart("r2", "recall", {"query": "hedgehog"}))
        answers = (made, says("a"), again, says("b"))
        async with staged(tmp_path, *answers, tools=(Recall(),)) as stage:
            session = opened(stage)
            session.append(Said(user("The animal is a hedgehog.")), Compacted(1, SUMMARY_MARK))
            await stage.say()
            assert "[message 1 of 3, user]\nThe animal" in _results(stage.provider.requests[-1])[0]
            session.append(Forgotten())
            await stage.say(message_id="second")
            assert "Try others" in _results(stage.provider.requests[-1])[0]

    asyncio.run(scenario())


def _results(request: ModelRequest) -> list[str]:
    found = [each for each in request.messages if isinstance(each, ToolMessage)]
    return [result.text for each in found for result in each.results]


def _loaded_prompts(stage: Stage) -> list[Text]:
    prompts = (each for each in stage.events if getattr(each, "speaker", "") == "user")
    return [block for each in prompts for block in getattr(each, "content", ())]


async def _pages(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    return Outcome(f"page {arguments['n']} " + "text " * 1_000)
