"""Events become something to read, with everything in its place."""

from msgspec import UNSET

from parley.frontend.story import (
    Call,
    Changed,
    Mark,
    Picture,
    Prose,
    Quoted,
    Ran,
    Speech,
    Step,
    story_of,
    texts_of,
)
from parley.session.content import Text
from parley.session.event import (
    PARENT_CALL,
    ChunkAdded,
    CompactionChanged,
    Failure,
    StateChanged,
    ToolCallChanged,
)
from tests.frontend.stories import INFO, PIXEL, one_turn, strange_things


def test_a_turn_is_told_in_the_order_in_which_it_happened() -> None:
    story = story_of(INFO, one_turn())
    diff = Changed("modify /project/a.py", ("@@ -1,2 +1,2 @@", " a", "-b", "+c"))
    assert story.parts == (
        Speech("user", (Prose("Mend it"), Quoted("link: x (file:///x.txt)"))),
        Speech("thought", (Prose("I should look."),)),
        Call("Edit a.py", "edit", "completed", (diff,)),
        Call("Run pytest", "execute", "failed", (Ran("pytest", "1 failed\n", "exit status 2"),)),
        Speech("agent", (Prose("It is **mended**."),)),
        Mark("the turn ended"),
    )
    assert story.plan == (Step("look", "completed"), Step("mend", "pending"))
    assert (story.title, story.usage) == ("Mend the mean", "10 of 100 tokens, 0.25 USD")


def test_the_end_of_a_turn_stands_between_the_turns() -> None:
    story = story_of(INFO, [*one_turn(), *strange_things()])
    kinds = [type(part).__name__ for part in story.parts]
    assert kinds[5:9] == ["Mark", "Mark", "Mark", "Speech"]
    assert story.parts[-4:] == (
        Mark("a message between sessions: to another"),
        Mark("the turn was cancelled", "warning"),
        Mark("the turn ended: sleepy", "warning"),
        Mark("the turn failed: boom (-32603)", "error"),
    )


def test_what_is_rare_or_unknown_is_told_too() -> None:
    story = story_of(INFO, strange_things())
    assert story.title == "A new title"
    assert story.parts[:2] == (Mark("No model: set a key", "warning"), Mark("Hello"))
    assert story.parts[2] == Speech(
        "user",
        (
            Picture("image/png", PIXEL),
            Picture("image/png", "not base64!"),
            Picture("image/svg+xml", PIXEL),
            Quoted("sound (audio/wav)"),
            Quoted("file: file:///y.txt", "the text of y"),
            Quoted("content of an unknown kind: smell"),
        ),
    )
    assert story.parts[3] == Call(
        "other", "other", "in_progress", (Quoted("", '{\n  "found": 1\n}'),)
    )
    assert story.parts[4] == Call("grep", "other", "cancelled", (Quoted("", "plain"),))
    much = story.parts[5]
    assert isinstance(much, Call)
    assert much.pieces[1:] == (
        Picture("image/png", PIXEL),
        Ran("", ended="ended by SIGKILL"),
        Quoted("a terminal of the client"),
        Quoted("content of an unknown kind: hologram"),
    )
    assert story.parts[6] == Mark("the conversation could not be shortened: too large", "warning")
    assert story.plan == (
        Step("first this"),
        Step("file:///plan.md"),
        Step("a plan of an unknown kind: dance"),
    )


def test_the_calls_of_a_sub_agent_stand_below_the_call_that_started_it() -> None:
    def call(id_: str, parent: str = "") -> ToolCallChanged:
        return ToolCallChanged(id_, id_, meta={PARENT_CALL: parent} if parent else UNSET)

    made = [call("a"), call("b"), call("b1", "b"), call("a1", "a"), call("a2", "a1")]
    story = story_of(INFO, [*made, call("x", "nobody"), call("c", "c")])
    titles = [part.title for part in story.parts if isinstance(part, Call)]
    assert titles == ["a", "a1", "a2", "b", "b1", "x", "c"]


def test_a_failure_that_the_agent_has_said_is_not_repeated() -> None:
    said = ChunkAdded("agent", Text("no model\nhint: set one"), "m")
    failed = StateChanged("idle", "error", Failure(-32603, "no model\nhint: set one"))
    assert story_of(INFO, [said, failed]).parts[-1] == Mark("the turn failed", "error")


def test_compactions_are_told_in_words() -> None:
    states = [CompactionChanged(each, each) for each in ("completed", "failed", "in_progress")]
    assert story_of(INFO, states).parts == (
        Mark("the conversation was shortened"),
        Mark("the conversation could not be shortened", "warning"),
        Mark("compaction of the conversation: in_progress"),
    )


def test_every_text_can_be_searched() -> None:
    found = "\n".join(texts_of(story_of(INFO, [*one_turn(), *strange_things()])))
    for text in ("A new title", "Mend it", "I should look.", "Edit a.py", "+c", "1 failed"):
        assert text in found
    for text in ("**mended**", "look", "first this", "boom", "the text of y"):
        assert text in found


def test_a_session_of_which_nothing_is_known_has_an_empty_story() -> None:
    story = story_of(INFO, [])
    assert (story.title, story.parts, story.plan, story.usage) == ("Mend the mean", (), (), "")
