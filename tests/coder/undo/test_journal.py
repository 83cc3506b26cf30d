"""What is written down of turns and undos."""

import stat
from pathlib import Path

from parley.coder.undo.journal import Journal, Made, Turn, Undone
from parley.coder.undo.state import Change, File, Gone

MADE = Change(b"/p/\xff", Gone(), File(0o644, "1"))
MORE = Change(b"/p/\xff", File(0o644, "1"), File(0o644, "2"))
BOTH = Change(b"/p/\xff", Gone(), File(0o644, "2"))


def test_what_calls_of_a_turn_did_is_one_thing_also_after_reading_it_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(Made("t1", (MADE,)))
    journal.append(Made("t1", (MORE,)))
    journal.append(Made("t2", unseen="why"))
    assert stat.S_IMODE((tmp_path / "journal").stat().st_mode) == 0o600
    for each in (journal, Journal(tmp_path)):
        assert each.turns() == [Turn("t1", (BOTH,)), Turn("t2", (), "why")]
        assert each.is_unseen("t2")
        assert not each.is_unseen("t1")
        assert each.hashes() == {"1", "2"}
        assert each.last is None


def test_turns_are_taken_back_and_hold_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    undone = Undone(("t1",), (MADE.reversed,))
    journal.append(Made("t1", (MADE,)))
    journal.append(undone)
    assert journal.turns() == []
    assert journal.last == undone
    journal.append(Undone(("t1",), (MADE,), again=True))
    assert journal.turns() == [Turn("t1", (MADE,))]
    assert journal.last is None


def test_a_line_that_was_cut_off_costs_itself_only(tmp_path: Path) -> None:
    Journal(tmp_path).append(Made("t1", (MADE,)))
    data = (tmp_path / "journal").read_bytes()
    (tmp_path / "journal").write_bytes(data + b"\n" + data[: len(data) // 2] + b"\xff")
    journal = Journal(tmp_path)
    journal.append(Made("t2", (MADE,)))
    assert [turn.id for turn in Journal(tmp_path).turns()] == ["t1", "t2"]


def test_a_turn_that_came_to_nothing_is_not_listed(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(Made("t1", (MADE,)))
    journal.append(Made("t1", (MADE.reversed,)))
    assert journal.turns() == []
