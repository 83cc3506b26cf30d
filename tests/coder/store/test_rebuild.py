"""A damaged file is moved aside, and what can be read of it goes on."""

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, check, reading, rebuild, schema
from parley.coder.store.salvage import Salvaged
from tests.coder.store.faults.gate import Gate
from tests.coder.store.faults.listener import SHORT
from tests.coder.store.faults.own_calls import OwnCalls
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
    assert done is not None
    assert done.aside == tmp_path / "sessions.db.damaged-1"
    loss = "record 2 is damaged; 1 of its 2 records are kept"
    assert done.kept == Salvaged(2, 3, 1, True, {SECOND: loss})
    assert "3 records could be read and are kept; 1 of 4 records are lost" in done.text
    assert str(done.aside) in done.text
    assert rebuild.report_on(done.aside) == done.kept
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
    assert done.kept == Salvaged(0, 0, certain=False)
    assert "whether there were other sessions cannot be known" in done.text
    assert os.path.lexists(done.aside) is (kind != "missing")
    assert records(path) == {}
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_second_rebuild_takes_another_name(tmp_path: Path) -> None:
    path = made(tmp_path)
    asides = [done.aside.name for _ in range(2) if (done := rebuild.rebuild(path))]
    assert asides == ["sessions.db.damaged-1", "sessions.db.damaged-2"]
    assert records(path) == {FIRST: 2, SECOND: 2}


@pytest.mark.parametrize("step", ["unlink", "make_private", "salvage", "_finish"])
def test_a_rebuild_that_was_interrupted_anywhere_is_done_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = made(tmp_path)
    rebuild.demand(path)

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
    assert [each.name for each in tmp_path.glob("*.damaged-?")] == ["sessions.db.damaged-1"]


def test_a_marker_that_says_nothing_stands_for_the_first_name(tmp_path: Path) -> None:
    path = made(tmp_path)
    (tmp_path / "sessions.db.rebuild").write_text("?")
    done = rebuild.rebuild(path)
    assert done is not None
    assert done.aside.name == "sessions.db.damaged-1"


def killed(folder: Path) -> Path:
    """A store whose last change is in its log."""
    (folder / "alive").mkdir()
    alive = made(folder / "alive")
    with closing(schema.connect(alive)) as connection:
        changing.set_title(connection, 1, FIRST, "in the log")
        for suffix in ("", "-wal"):
            shutil.copy(f"{alive}{suffix}", folder)
    shutil.rmtree(folder / "alive")
    return folder / alive.name


def title(path: Path) -> str | None:
    with closing(schema.connect(path)) as connection:
        head = reading.head(connection, FIRST)
        assert head is not None
        return head.title


@pytest.mark.parametrize("linking", [True, False])
def test_what_is_moved_aside_is_the_damaged_file_with_its_log_byte_by_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linking: bool
) -> None:
    def unable(*given: object, **named: object) -> None:
        raise PermissionError

    if not linking:
        monkeypatch.setattr(rebuild.os, "link", unable)
    path = killed(tmp_path)
    before = [Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal")]
    done = rebuild.rebuild(path)
    assert done is not None
    assert [Path(f"{done.aside}{suffix}").read_bytes() for suffix in ("", "-wal")] == before
    assert {each.name for each in tmp_path.iterdir()} == {
        "sessions.db",
        "sessions.db.damaged-1",
        "sessions.db.damaged-1-wal",
        "sessions.db.damaged-1-report",
    }
    assert title(path) == "in the log"


def test_a_rebuild_that_was_killed_at_any_of_its_steps_loses_nothing_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(step: int, names: tuple[str, ...] = ("link", "rename", "unlink")) -> None:
        """Let the system fail for good at a step, as if the process had been killed there."""
        calls = 0
        for name in names:
            real = getattr(os, name)

            def counted(*given: object, real: object = real, **named: object) -> object:
                nonlocal calls
                calls += 1
                if calls >= step:
                    raise KeyboardInterrupt
                return real(*given, **named)  # type: ignore[operator]

            patched.setattr(rebuild.os, name, counted)

    interrupted, step = True, 0
    while interrupted:
        step += 1
        folder = tmp_path / str(step)
        folder.mkdir()
        path = killed(folder)
        with monkeypatch.context() as patched:
            dying(step)
            try:
                rebuild.rebuild(path)
                interrupted = False
            except KeyboardInterrupt:
                interrupted = True
        # Whoever looks at it in between leaves an empty log behind.
        check.check(path)
        rebuild.rebuild(path) if interrupted else None
        assert (title(path), records(path)) == ("in the log", {FIRST: 2, SECOND: 2})
        assert (folder / "sessions.db.damaged-1-wal").stat().st_size > 0
    assert step > 5


def test_a_file_that_somebody_removed_leaves_a_log_that_is_kept(tmp_path: Path) -> None:
    path = killed(tmp_path)
    log = Path(f"{path}-wal").read_bytes()
    path.unlink()
    rebuild.rebuild(path)
    assert (tmp_path / "sessions.db.damaged-1-wal").read_bytes() == log
    assert records(path) == {}
    # A name of which a part is taken is not used again.
    rebuild.rebuild(path)
    assert (tmp_path / "sessions.db.damaged-1-wal").read_bytes() == log
    assert (tmp_path / "sessions.db.damaged-2").exists()


@pytest.mark.parametrize("demanded", [False, True])
def test_a_rebuild_that_has_no_room_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demanded: bool
) -> None:
    path = made(tmp_path)
    if demanded:
        rebuild.demand(path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    connect = schema.connect

    def narrow(target: Path) -> sqlite3.Connection:
        connection = connect(target)
        connection.execute("PRAGMA max_page_count = 6")
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(schema, "connect", narrow)
        with pytest.raises(sqlite3.OperationalError, match="full"):
            rebuild.rebuild(path)
    left = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert {name: left[name] for name in before} == before
    assert set(left) - set(before) <= {"sessions.db-shm", "sessions.db-wal"}
    assert rebuild.rebuild(path) is not None
    assert records(path) == {FIRST: 2, SECOND: 2}


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_a_marker_that_is_no_file_says_nothing_and_is_out_of_the_way(
    tmp_path: Path, kind: str
) -> None:
    path, marker = made(tmp_path), tmp_path / "sessions.db.rebuild"
    match kind:
        case "folder":
            marker.mkdir()
            (tmp_path / "sessions.db.new").mkdir()
        case "pipe":
            os.mkfifo(marker)
        case _:
            marker.symlink_to("/dev/zero")
    assert not rebuild.is_demanded(path)
    rebuild.demand(path)
    assert rebuild.is_demanded(path)
    rebuild.rebuild(path)
    assert records(path) == {FIRST: 2, SECOND: 2}


def test_a_file_that_cannot_be_looked_at_is_not_taken_for_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path)
    rebuild.demand(path)
    real = os.stat

    def failing(given: Path, **named: bool) -> os.stat_result:
        if given == path:
            raise OSError(errno.EIO, "Input/output error")
        return real(given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", failing)
        patched.setattr(os, "lstat", failing)
        with pytest.raises(OSError, match="Input"):
            rebuild.rebuild(path)
    assert records(path) == {FIRST: 2, SECOND: 2}


def test_a_marker_that_does_not_fit_on_the_disk_is_none(tmp_path: Path) -> None:
    path, gate = made(tmp_path), Gate()
    gate.arm(1, SHORT, lasting=True)
    with OwnCalls(gate, tmp_path).installed(), pytest.raises(OSError, match="No space"):
        rebuild.demand(path)
    assert not rebuild.is_demanded(path)


def test_a_report_that_is_damaged_says_nothing(tmp_path: Path) -> None:
    aside = tmp_path / "sessions.db.damaged-1"
    assert rebuild.report_on(aside) is None
    (tmp_path / "sessions.db.damaged-1-report").write_bytes(b"[1]")
    assert rebuild.report_on(aside) is None
