"""Files that commands write are private, whatever the umask says."""

import os
import stat
from pathlib import Path

import pytest

from parley.cli.private_file import private


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_new_file_is_private(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        with open(tmp_path / "new", "w", opener=private) as file:
            file.write("said")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    assert (tmp_path / "new").read_text() == "said"


def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "old").touch()
    (tmp_path / "old").chmod(0o640)
    with open(tmp_path / "old", "a", opener=private) as file:
        file.write("said")
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640
