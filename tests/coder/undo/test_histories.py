"""Whatever turns did, in whatever order they are taken back."""

import asyncio
from pathlib import Path

from tests.coder.undo.histories import campaign


def test_generated_histories_are_undone_to_the_last_byte(tmp_path: Path) -> None:
    assert asyncio.run(campaign(25, tmp_path)) > 100
