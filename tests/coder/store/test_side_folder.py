"""Folders that go with their session."""

from pathlib import Path

from parley.coder.store.side_folder import remove, undo_folder


def test_a_folder_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    folder = undo_folder(tmp_path, "one")
    other = undo_folder(tmp_path, "two")
    for each in (folder, other):
        each.mkdir(parents=True)
        (each / "file").touch()
    remove(folder)
    remove(folder)
    assert not folder.exists()
    assert (other / "file").exists()
