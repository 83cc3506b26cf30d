"""Folders of the agent are private, whatever the umask says."""

import os
import stat
from pathlib import Path

import pytest

from parley.coder.private_folder import make_private


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_every_folder_on_the_way_is_private(umask: int, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    before = os.umask(umask)
    try:
        make_private(tmp_path / "a" / "b" / "c")
        make_private(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)
    for name in ("a", "a/b", "a/b/c"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o700
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "folder"):
        with pytest.raises(OSError, match=r"\[Errno"):
            make_private(path)
