"""A damaged file is moved aside, and what can be read of it goes on."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, reading, rebuild, schema
from tests.coder.store.staging import FIRST, SECOND


def made(folder: Path) -> Path:
    path = folder / "sessions.db"
    rebuild.make_private(path)
    with closing(schema.connect(path)) as connection:
        schema.set_up(connection)
        for session_id in (FIRST, SECOND):
            changing.insert(connection, (session_id, "/", "[]"), None, [b"1", b"2"], 1)
    return path


def records(path: Path) -> dict[str, int]:
    with closing(schema.connect(path)) as connection:
        schema.set_up(connection)
        heads = [reading.head(connection, each) for each in (FIRST, SECOND)]
        return {
            head.session_id: len(reading.verified(connection, head.key, head.session_id).rows)
            for head in heads
            if head is not None
        }


def test_everything_that_can_be_read_is_kept(tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(schema.connect(path)) as connection:
        connection.execute("UPDATE entries SET crc = 0 WHERE session = 2 AND seq = 2")
    done = rebuild.rebuild(path)
    assert done == rebuild.Rebuilt(tmp_path / "sessions.db.damaged-1", 2, 3)
    assert str(done.aside) in done.text
    assert records(path) == {FIRST: 2, SECOND: 1}
    assert not rebuild.is_demanded(path)
    assert done.aside.stat().st_size > 0


@pytest.mark.parametrize("kind", ["noise", "directory", "link", "fifo", "missing"])
def test_what_is_no_store_at_all_is_moved_aside(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "sessions.db"
    match kind:
        case "noise":
            path.write_bytes(b"noise" * 3_000)
        case "directory":
            path.mkdir()
        case "link":
            (tmp_path / "elsewhere").write_text("untouched")
            path.symlink_to(tmp_path / "elsewhere")
        case "fifo":
            os.mkfifo(path)
        case _:
            pass
    done = rebuild.rebuild(path)
    assert done is not None
    assert (done.sessions, done.entries) == (0, 0)
    assert os.path.lexists(done.aside) is (kind != "missing")
    assert records(path) == {}
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_second_rebuild_takes_another_name(tmp_path: Path) -> None:
    path = made(tmp_path)
    asides = [done.aside.name for _ in range(2) if (done := rebuild.rebuild(path))]
    assert asides == ["sessions.db.damaged-1", "sessions.db.damaged-2"]
    assert records(path) == {FIRST: 2, SECOND: 2}


@pytest.mark.parametrize("step", ["unlink", "make_private", "_salvage", "_finish"])
def test_a_rebuild_that_was_interrupted_anywhere_is_done_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = made(tmp_path)

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(rebuild.os if step == "unlink" else rebuild, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            rebuild.rebuild(path)
    assert rebuild.is_demanded(path)
    rebuild.rebuild(path)
    assert records(path) == {FIRST: 2, SECOND: 2}
    assert not rebuild.is_demanded(path)
    assert [each.name for each in tmp_path.glob("*.damaged-*")] == ["sessions.db.damaged-1"]


def test_a_marker_that_says_nothing_stands_for_the_first_name(tmp_path: Path) -> None:
    path = made(tmp_path)
    (tmp_path / "sessions.db.rebuild").write_text("?")
    done = rebuild.rebuild(path)
    assert done is not None
    assert done.aside.name == "sessions.db.damaged-1"


def test_sessions_behind_a_hole_in_their_table_are_found_from_the_other_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path)
    orders: list[str] = []

    class Old:
        """A table in which the second of two rows cannot be reached from either end."""

        def execute(self, statement: str) -> object:
            orders.append(statement[-4:])
            connection = schema.connect(path)
            rows = connection.execute(statement).fetchall()
            connection.close()

            def first_only() -> object:
                yield rows[0]
                raise rebuild.sqlite3.DatabaseError("malformed")

            return first_only()

    heads = [head.session_id for _, head in rebuild._heads(Old())]
    assert heads == [FIRST, SECOND]
    assert orders == [" ASC", "DESC"]
