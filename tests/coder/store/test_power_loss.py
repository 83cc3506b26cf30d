"""The power fails: what was durable is on the disk, whatever happened to the rest."""

import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from tests.coder.store.faults.journal import Disk, Journal

ROOT = Path(__file__).parents[3]
UNREACHABLE = "cannot be seen"


def ran(*arguments: str) -> tuple[int, str]:
    finished = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    return finished.returncode, finished.stdout + finished.stderr


def test_what_was_durable_is_in_every_image() -> None:
    status, text = ran("-m", "tests.coder.store.power_loss", "50", "--seed", "5")
    if hasattr(import_module("_sqlite3"), "__file__"):
        assert status == 0, text
        assert "total: 50 images" in text
    else:
        assert status == 0 or UNREACHABLE in text


def test_images_of_a_disk_that_never_syncs_show_what_is_lost() -> None:
    program = (
        "from tests.coder.store import power_loss as module\n"
        "told = module.told\n"
        "kinds = (module.Sync, module.FolderSync)\n"
        "module.told = lambda *given: [e for e in told(*given) if not isinstance(e, kinds)]\n"
        "module.main()"
    )
    status, text = ran("-c", program, "10", "--seed", "5")
    assert status == 1
    assert "is gone" in text or UNREACHABLE in text


def test_an_image_has_all_that_was_synced_and_any_part_of_the_rest(tmp_path: Path) -> None:
    journal = Journal()
    journal.writes_down = True
    journal.made("/file")
    journal.wrote("/file", 0, b"a" * 1024)
    journal.synced("/file")
    journal.folder_synced("")
    journal.wrote("/file", 0, b"b" * 1024)
    journal.resized("/file", 1500)
    journal.made("/other")
    journal.renamed("/other", "/third")
    seen: set[bytes] = set()
    names: set[str] = set()
    for number in range(60):
        folder = tmp_path / str(number)
        Disk(journal.events).image(folder, random.Random(number))
        seen.add((folder / "file").read_bytes())
        names |= {path.name for path in folder.iterdir()}
    a, b, end = b"a" * 512, b"b" * 512, bytes(476)
    assert seen >= {a + a, b + b + end, a + b, b + a}
    assert names == {"file", "other", "third"}
    assert all(len(content) in (1024, 1500) for content in seen)
