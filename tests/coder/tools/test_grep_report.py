"""What a search printed becomes a short text, sorted by path."""

from hypothesis import given
from hypothesis import strategies as st

from parley.coder.tools.grep_report import Found, Line, found_in, report
from parley.coder.tools.search_lines import Output

PRINTED = (
    b"./b.py\x003-before\n./b.py\x004:match\r\n"
    b"./b.py\x009:again\n"
    b"a\nb.py\x001:odd \xff name\n"
    b'./x.bin: WARNING: stopped searching binary file after match (found "\\0" byte)\n'
    b"a.py\x002:one\n"
)


def _report(found: list[Found], output: Output, limit: int = 10) -> str:
    return report(found, output, limit, {each.path: each.path for each in found})


def test_lines_are_gathered_by_file() -> None:
    assert found_in(PRINTED, "lines") == [
        Found("a\nb.py", (Line(1, "odd \ufffd name", True),), 1),
        Found("a.py", (Line(2, "one", True),), 1),
        Found(
            "b.py", (Line(3, "before", False), Line(4, "match", True), Line(9, "again", True)), 2
        ),
    ]


def test_lines_are_shown_below_their_file() -> None:
    found = found_in(PRINTED, "lines")[1:]
    assert _report(found, "lines") == "a.py\n2:one\n\nb.py\n3-before\n4:match\n--\n9:again"
    assert _report(found, "lines", limit=2) == (
        "a.py\n2:one\n\nb.py\n3-before\n4:match\n\n"
        "(2 of 3 matching lines in 2 files; raise `limit` or narrow the search)"
    )
    assert _report(found, "lines", limit=1).startswith("a.py\n2:one\n\n(1 of 3")
    assert _report([], "lines") == ""


def test_lines_without_context_have_no_gaps_and_long_ones_are_cut() -> None:
    found = [Found("a", (Line(1, "x" * 400, True), Line(9, "y", True)), 2)]
    assert _report(found, "lines") == "a\n1:" + "x" * 300 + "…\n9:y"


def test_files_and_counts_are_shown_in_order() -> None:
    files = found_in(b"./b\0./a\0", "files")
    counts = found_in(b"./b\x003\r\n./a\x0012\n", "count")
    assert _report(files, "files") == "a\nb"
    assert _report(counts, "count") == "a: 12\nb: 3"
    assert _report(files, "files", limit=1) == (
        "a\n(1 of 2 files; raise `limit` or narrow the search)"
    )


@given(st.binary(max_size=60), st.sampled_from(["lines", "files", "count"]))
def test_any_output_is_understood(printed: bytes, output: Output) -> None:
    found = found_in(printed, output)
    assert isinstance(_report(found, output, limit=3), str)
