"""Our own search prints what ripgrep would print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from parley.coder.tools.search_lines import Output, Search, records
from parley.coder.workspace.beneath import Place


def _place(root: Path, path: str = "") -> Place:
    return Place(os.path.join(root, path).rstrip("/"), str(root), path or ".")


def _printed(search: Search) -> bytes:
    return b"".join(records(search, re.compile(search.pattern)))


def _tree(root: Path) -> None:
    (root / "src").mkdir()
    (root / "src/a.py").write_bytes(b"one\r\ntwo\r\nthree\r\nfour\r\n")
    (root / "b.txt").write_text("two")
    (root / "binary").write_bytes(b"two\0")
    (root / "link").symlink_to("b.txt")
    (root / "twice").write_text("two")
    os.link(root / "twice", root / "again")


@pytest.mark.parametrize(
    ("output", "context", "printed"),
    [
        ("lines", 0, b"b.txt\x001:two\nsrc/a.py\x002:two\n"),
        (
            "lines",
            1,
            b"b.txt\x001:two\nsrc/a.py\x001-one\nsrc/a.py\x002:two\nsrc/a.py\x003-three\n",
        ),
        ("files", 0, b"b.txt\0src/a.py\0"),
        ("count", 0, b"b.txt\x001\nsrc/a.py\x001\n"),
    ],
)
def test_records_are_printed_for_plain_text_files(
    output: Output, context: int, printed: bytes, tmp_path: Path
) -> None:
    _tree(tmp_path)
    search = Search(_place(tmp_path), "^two$", context=context, output=output)
    assert _printed(search) == printed


def test_a_pattern_chooses_the_files_and_a_file_can_be_searched_alone(tmp_path: Path) -> None:
    _tree(tmp_path)
    assert _printed(Search(_place(tmp_path), "t", glob="*.py", output="files")) == b"src/a.py\0"
    single = Search(_place(tmp_path, "src/a.py"), "t", single=True, output="count")
    assert _printed(single) == b"a.py\x002\n"


def test_a_long_line_is_printed_in_part(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x" * 5000)
    assert len(_printed(Search(_place(tmp_path), "x"))) == len(b"a\x001:\n") + 2000


@pytest.mark.parametrize(
    ("pattern", "insensitive", "status", "printed"),
    [
        ("TWO", True, 0, b"b.txt\0src/a.py\0"),
        ("TWO", False, 1, b""),
        ("(", False, 2, b""),
    ],
)
def test_the_program_answers_one_search(
    pattern: str, insensitive: bool, status: int, printed: bytes, tmp_path: Path
) -> None:
    _tree(tmp_path)
    search = Search(_place(tmp_path), pattern, case_insensitive=insensitive, output="files")
    finished = subprocess.run(
        [sys.executable, "-m", "parley.coder.tools.search_lines"],
        input=msgspec.json.encode(search),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (finished.returncode, finished.stdout) == (status, printed)
    assert bool(finished.stderr) == (status == 2)
