"""Changes in the order of time."""

from parley.coder.undo.state import Change, File, Folder, Gone, Link, merged

ONE, TWO, THREE = File(0o644, "1"), File(0o644, "2"), File(0o600, "2")


def test_changes_of_a_path_become_one() -> None:
    found = merged([Change(b"a", Gone(), ONE), Change(b"b", ONE, TWO), Change(b"a", ONE, TWO)])
    assert found == (Change(b"a", Gone(), TWO), Change(b"b", ONE, TWO))


def test_what_came_to_nothing_is_left_out() -> None:
    assert merged([Change(b"a", ONE, TWO), Change(b"a", TWO, ONE)]) == ()


def test_a_content_that_was_lost_at_first_stays_lost() -> None:
    (found,) = merged([Change(b"a", ONE, TWO, lost=True), Change(b"a", TWO, THREE)])
    assert found == Change(b"a", ONE, THREE, lost=True)


def test_a_change_can_be_turned_round() -> None:
    change = Change(b"a", Link(b"x"), Folder(0o755))
    assert change.reversed == Change(b"a", Folder(0o755), Link(b"x"))
