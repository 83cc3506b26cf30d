"""What lies beside the store."""

import os
from pathlib import Path

from parley.coder.store.leftovers import Exposed, exposed, is_store, misplaced, remains, size_of
from tests.coder.store.staging import FIRST, SECOND


def laid_out(folder: Path) -> Path:
    folder.chmod(0o700)
    for name in (
        "locks",
        f"undo/{FIRST}",
        f"undo/{SECOND}",
        "undo/not an id",
        "own",
        "sessions.db.new-wal",
    ):
        (folder / name).mkdir(parents=True)
        (folder / name).chmod(0o700)
    (folder / "undo").chmod(0o700)
    names = (
        "sessions.db",
        "sessions.db-wal",
        "sessions.db.damaged-1",
        "sessions.db.damaged-1-wal",
        "sessions.db.new.damaged-1",
        "sessions.db.new",
        "sessions.db.new-journal",
        "sessions.db.rebuild.4711",
        "store.lock",
        f"locks/{FIRST}.lock",
        f"undo/{FIRST}/.part",
        f"undo/{FIRST}/journal",
        f"undo/{SECOND}/journal",
        "own/secret",
        "sessions.dbx",
    )
    for name in names:
        (folder / name).write_bytes(b"12345")
        (folder / name).chmod(0o600)
    return folder


def test_a_folder_is_one_of_a_store_by_what_is_in_it(tmp_path: Path) -> None:
    assert not is_store(tmp_path / "none")
    for name in ("letter", "sessions.dbx"):
        (tmp_path / name).touch()
    for name in ("locks", "undo"):
        (tmp_path / name).mkdir()
    assert not is_store(tmp_path)
    (tmp_path / "sessions.db.damaged-1").touch()
    assert is_store(tmp_path)


def test_what_is_left_is_told_by_its_kind(tmp_path: Path) -> None:
    folder = laid_out(tmp_path)
    found = [
        (each.kind, str(each.path.relative_to(folder)), each.size)
        for each in remains(folder, frozenset({FIRST}))
    ]
    assert found == [
        ("damaged", "sessions.db.damaged-1", 5),
        ("damaged", "sessions.db.damaged-1-wal", 5),
        ("temporary", "sessions.db.new", 5),
        ("temporary", "sessions.db.new-journal", 5),
        ("damaged", "sessions.db.new.damaged-1", 5),
        ("temporary", "sessions.db.rebuild.4711", 5),
        ("lock", f"locks/{FIRST}.lock", 5),
        ("temporary", f"undo/{FIRST}/.part", 5),
        ("undo", f"undo/{SECOND}", 5),
    ]


def test_without_the_sessions_no_undo_data_is_said_to_be_left(tmp_path: Path) -> None:
    assert not [each for each in remains(laid_out(tmp_path), None) if each.kind == "undo"]
    assert list(remains(tmp_path / "none", None)) == []


def test_a_private_store_has_no_wrong_modes(tmp_path: Path) -> None:
    assert list(exposed(laid_out(tmp_path))) == []
    assert list(exposed(tmp_path / "none")) == []


def test_every_wrong_mode_of_the_store_is_found_and_no_other(tmp_path: Path) -> None:
    folder = laid_out(tmp_path)
    wrong = {
        ".": (0o750, 0o700),
        "sessions.db": (0o644, 0o600),
        "sessions.db.damaged-1": (0o604, 0o600),
        "store.lock": (0o400, 0o600),
        "locks": (0o755, 0o700),
        f"locks/{FIRST}.lock": (0o666, 0o600),
        f"undo/{FIRST}": (0o711, 0o700),
        f"undo/{FIRST}/journal": (0o640, 0o600),
    }
    for name, (mode, _) in wrong.items():
        (folder / name).chmod(mode)
    (folder / "own" / "secret").chmod(0o644)
    (folder / "sessions.dbx").chmod(0o644)
    (folder / "undo" / "link").symlink_to(folder / "own" / "secret")
    expected = {Exposed(folder / name, *modes) for name, modes in wrong.items()}
    assert set(exposed(folder)) == expected


def test_things_of_others_in_the_folders_of_the_store_keep_their_modes(tmp_path: Path) -> None:
    folder = laid_out(tmp_path)
    for name in ("locks/bin/run.sh", "undo/readme", "undo/not an id/file"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch(0o755)
        (folder / name).chmod(0o755)
    assert list(exposed(folder)) == []


def test_things_in_the_place_of_others_are_found(tmp_path: Path) -> None:
    assert list(misplaced(laid_out(tmp_path))) == []
    (tmp_path / "store.lock").unlink()
    (tmp_path / "store.lock").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "locks" / f"{SECOND}.lock").mkdir()
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "locks").touch()
    os.mkfifo(tmp_path / "second" / "undo")
    assert [each.name for each in misplaced(tmp_path)] == ["store.lock", f"{SECOND}.lock"]
    assert [each.name for each in misplaced(tmp_path / "second")] == ["locks", "undo"]


def test_the_size_is_that_of_the_sessions_and_their_undo_data(tmp_path: Path) -> None:
    assert size_of(laid_out(tmp_path)) == 25
    assert size_of(tmp_path / "none") == 0
