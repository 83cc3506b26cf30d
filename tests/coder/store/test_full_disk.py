"""A process whose files may not grow any more, as on a full disk."""

import os
import subprocess
import sys
from pathlib import Path

from tests.coder.store.staging import FIRST, SECOND, is_prefix, kept, numbered, run

PROGRAM = Path(__file__).parent / "programs" / "limited.py"
ROOT = Path(__file__).parents[3]


def test_when_nothing_more_fits_nothing_is_lost_and_the_process_goes_on_afterwards(
    tmp_path: Path,
) -> None:
    finished = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert finished.stderr == ""
    cause, before, after, appended = finished.stdout.split()
    assert cause == "io"
    assert 0 < int(before) < int(appended)
    assert after == appended
    entries = run(lambda: kept(tmp_path, FIRST))
    assert len(entries) == int(appended)
    assert is_prefix(FIRST, entries)
    assert run(lambda: kept(tmp_path, SECOND)) == (numbered(SECOND, 0),)
