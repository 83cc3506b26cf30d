"""Entries of compactions, live and from the log."""

from hypothesis import given
from hypothesis import strategies as st

from parley.coder.history import History
from parley.coder.message import AgentMessage, CallPart, Message, repaired
from parley.coder.store.entry import Compacted, Entry, Forgotten, Said, Told
from parley.coder.store.record import packed, unpacked
from parley.session.event import CompactionChanged
from tests.coder.conversations import conversations, steps, user

_compacted = st.builds(
    Compacted, st.integers(0, 12), st.sampled_from(["", "short"]), st.integers(0, 12)
)


@st.composite
def logs(draw: st.DrawFn) -> list[Entry]:
    entries: list[Entry] = [Said(message) for message in draw(conversations())]
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(entries)))
        entries.insert(place, draw(_compacted | st.just(Forgotten())))
    return entries


@given(logs())
def test_a_session_that_is_loaded_has_the_conversation_that_went_on(entries: list[Entry]) -> None:
    live = History()
    for entry in entries:
        live.apply(entry)
        assert live.conversation() == repaired(tuple(live.messages))
    stored = [unpacked(packed(entry)[1]) for entry in entries]
    loaded = History.of(entry for entry in stored if entry is not None)
    assert loaded.conversation() == live.conversation()


def test_the_summary_stands_where_the_beginning_was() -> None:
    said: list[Message] = steps(2)
    history = History.of([*map(Said, said), Compacted(4, "short")])
    assert history.conversation() == (user("short"), *said[4:])
    history.apply(Said(user("next")))
    assert history.conversation()[-1] == user("next")


def test_paths_that_calls_name_are_remembered_beyond_a_compaction() -> None:
    odd = AgentMessage((CallPart("x", "look", {"path": 7}), CallPart("y", "look", {})))
    history = History.of([*map(Said, steps(2)), Said(odd), Compacted(8, "short")])
    assert list(history.touched) == ["src/file0.py", "src/file1.py"]


def test_very_many_paths_have_a_bound() -> None:
    history = History.of(Said(message) for message in steps(2_100, size=1))
    assert len(history.touched) == 2_000


def test_only_a_compaction_that_is_open_needs_an_end() -> None:
    begun = Told(CompactionChanged("k", "in_progress"))
    assert History.of([begun]).repairs() == (Told(CompactionChanged("k", "cancelled")),)
    assert History.of([begun, Told(CompactionChanged("k", "completed"))]).repairs() == ()
