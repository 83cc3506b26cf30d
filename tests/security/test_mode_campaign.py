"""What is written for a user can be read by nobody else."""

import os
from pathlib import Path

from tests.security.mode_campaign import looked_at


def test_everything_is_private_where_the_umask_keeps_nothing_back(tmp_path: Path) -> None:
    home = Path(os.path.realpath(tmp_path)) / "home"
    home.mkdir()
    assert looked_at("000", home) == []
