"""What the entries of a session amount to, and how a crash is repaired."""

from parley.coder.history import History, interrupted, is_replayed
from parley.coder.message import (
    INTERRUPTED,
    AgentMessage,
    CallPart,
    ImagePart,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
    repaired,
)
from parley.coder.providers.provider import ModelUsage
from parley.coder.store.entry import (
    Entry,
    Forgotten,
    OptionSet,
    Remembered,
    Said,
    Spent,
    Told,
    TurnBegun,
    TurnOver,
)
from parley.session.content import ContentItem, Text
from parley.session.event import (
    ChunkAdded,
    InfoChanged,
    MessageChanged,
    NoticeGiven,
    OptionsChanged,
    PlanChanged,
    ToolCallChanged,
    ToolContentAdded,
    UsageChanged,
)
from parley.session.option import MAIN_PLAN, PlanEntry, PlanItems
from parley.session.role import Ending

USER = UserMessage((TextPart("go"),))
CALLING = AgentMessage((TextPart("I look."), CallPart("c1", "look")))


def test_everything_that_matters_is_rebuilt_from_the_entries() -> None:
    plan = PlanItems((PlanEntry("step"),))
    history = History.of(
        [
            TurnBegun("t1"),
            Told(InfoChanged("Title")),
            Said(USER),
            Spent("p/m", ModelUsage(10, 5), 0.25),
            Spent("p/m", ModelUsage(20, 5)),
            Spent("p/m", ModelUsage(1, 1), 0.5),
            Told(ToolCallChanged("c1", status="pending")),
            Told(ToolContentAdded("c2", ContentItem(Text("x")))),
            Told(ToolCallChanged("c1", status="completed")),
            Told(PlanChanged(MAIN_PLAN, plan)),
            Told(UsageChanged(1, 100)),
            Told(UsageChanged(7, 100)),
            OptionSet("mode", "plan"),
            Remembered(True, "bash", "git status"),
            TurnOver("t1", Ending()),
        ]
    )
    assert history.messages == [USER]
    assert (history.title, history.turns, history.turn) == ("Title", 1, None)
    assert (history.usage, history.cost) == (ModelUsage(31, 11), 0.75)
    assert (history.call_ids, list(history.open_calls)) == ({"c1", "c2"}, [])
    assert history.plans == {MAIN_PLAN: plan}
    assert history.context == UsageChanged(7, 100)
    assert history.options == {"mode": "plan"}
    assert history.remembered == [Remembered(True, "bash", "git status")]
    assert history.repairs() == ()


def test_what_was_forgotten_is_not_said_to_the_model_again() -> None:
    history = History.of([Said(USER)])
    assert history.conversation() == (USER,)
    history.apply(Forgotten())
    assert history.conversation() == ()
    history.apply(Said(USER))
    assert history.conversation() == (USER,)


def test_images_anywhere_in_the_conversation_are_noticed() -> None:
    picture = ImagePart("aGk=", "image/png")
    results = (ToolResult("c1", "look", "x"), ToolResult("c2", "look", "x", images=(picture,)))
    assert not History.of([Said(USER), Said(CALLING)]).has_images
    assert History.of([Said(ToolMessage(results)), Said(USER)]).has_images
    assert History.of([Said(UserMessage((TextPart("see"), picture)))]).has_images


def test_a_crash_while_a_tool_ran_is_repaired_once() -> None:
    entries: list[Entry] = [
        TurnBegun("t1"),
        Said(USER),
        Told(ChunkAdded("agent", Text("I look."))),
        Told(ToolCallChanged("c1", status="pending")),
        Said(CALLING),
        Told(ToolCallChanged("c1", status="in_progress")),
        Told(ToolCallChanged("c1", title="Look")),
    ]
    repairs = History.of(entries).repairs()
    assert repairs == (
        *map(Told, interrupted("c1")),
        Said(ToolMessage((ToolResult("c1", "look", INTERRUPTED, is_error=True),))),
        TurnOver("t1", Ending("cancelled")),
    )
    mended = History.of([*entries, *repairs])
    assert mended.repairs() == ()
    assert mended.conversation() == tuple(mended.messages)


def test_text_that_a_client_saw_before_a_crash_is_kept_for_the_model() -> None:
    entries: list[Entry] = [
        TurnBegun("t1"),
        Told(MessageChanged("user", "m1", (Text("go"),))),
        Told(ChunkAdded("agent", Text("Configure a model."))),
        Said(USER),
        Told(ChunkAdded("thought", Text("hm"))),
        Told(ChunkAdded("agent", Text("The ans"))),
        Told(ChunkAdded("agent", Text("wer is"))),
    ]
    assert History.of(entries).repairs() == (
        Said(AgentMessage((TextPart("The answer is"),))),
        TurnOver("t1", Ending("cancelled")),
    )


def test_every_cut_of_a_log_is_repaired_to_a_conversation_that_is_well_formed() -> None:
    second = AgentMessage((CallPart("c2", "look"), CallPart("c3", "look")))
    results = tuple(ToolResult(id, "look", "x") for id in ("c2", "c3"))
    entries: list[Entry] = [
        TurnBegun("t1"),
        Said(USER),
        Told(ChunkAdded("agent", Text("I look."))),
        Told(ToolCallChanged("c1", status="pending")),
        Said(CALLING),
        Told(ToolCallChanged("c1", status="completed")),
        Said(ToolMessage((ToolResult("c1", "look", "x"),))),
        Told(ToolCallChanged("c2", status="pending")),
        Told(ToolCallChanged("c3", status="pending")),
        Said(second),
        Told(ToolCallChanged("c3", status="completed")),
        Told(ToolCallChanged("c2", status="failed")),
        Said(ToolMessage(results)),
        Told(ChunkAdded("agent", Text("Done."))),
        Said(AgentMessage((TextPart("Done."),))),
        TurnOver("t1", Ending()),
    ]
    growing = History()
    for entry in entries:
        growing.apply(entry)
        # It is asked for again and again, and looks at what is new only.
        assert growing.conversation() == repaired(tuple(growing.messages))
    for cut in range(len(entries) + 1):
        kept = entries[:cut]
        mended = History.of([*kept, *History.of(kept).repairs()])
        assert mended.turn is None
        assert not mended.open_calls
        messages = tuple(mended.messages)
        assert repaired(messages) == messages


def test_notices_and_options_are_not_history() -> None:
    assert not is_replayed(NoticeGiven("x"))
    assert not is_replayed(OptionsChanged(()))
    assert is_replayed(ChunkAdded("agent", Text("x")))
