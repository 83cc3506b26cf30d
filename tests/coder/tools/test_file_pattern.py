"""Patterns match names as ignore files do."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.errors import ToolError
from parley.coder.tools.file_pattern import FilePattern


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "x/y/a.py", True),
        ("*.py", "a.pyc", False),
        ("./a.py", "x/a.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/*.py", "x/src/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/a.py", "a.py", True),
        ("**/**/a.py", "x/a.py", True),
        ("src/**", "src/x/y", True),
        ("src/**", "src", False),
        ("src/", "src/x/y", True),
        ("**", "a/b", True),
        ("/**", "a/b", True),
        ("/a.py", "a.py", True),
        ("/a.py", "x/a.py", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[!ab].py", "c.py", True),
        ("[^ab].py", "a.py", False),
        ("[a-c].py", "b.py", True),
        ("a[]b]c", "a]c", True),
        ("a[&~|]c", "a|c", True),
        ("a[", "a[", True),
        ("a[---]c", "a-c", True),
        ("a[x--]c", "axc", True),
        (r"a\*b", "a*b", True),
        (r"a\*b", "axb", False),
        ("*.{ts,tsx}", "x/a.tsx", True),
        ("*.{ts,tsx}", "a.js", False),
        ("a{b,c{d,e}}", "ace", True),
        ("a{b", "a{b", True),
        ("a.b", "axb", False),
        ("*", "with\nline", True),
    ],
)
def test_a_pattern_matches_what_it_says(pattern: str, path: str, matches: bool) -> None:
    assert FilePattern(pattern).matches(tuple(path.split("/"))) is matches


def test_a_pattern_with_a_dot_wants_hidden_files() -> None:
    assert FilePattern(".github/**").wants_hidden
    assert FilePattern("**/.env").wants_hidden
    assert not FilePattern("*.py").wants_hidden


def test_what_a_pattern_says_of_something_on_the_way() -> None:
    wanted, unwanted = FilePattern("src/*.py"), FilePattern("!*.py")
    assert wanted.choose(("src", "a.py"), False) is True
    assert wanted.choose(("src", "a.js"), False) is False
    assert wanted.choose(("src",), True) is None
    assert unwanted.choose(("src", "a.py"), False) is False
    assert unwanted.choose(("src", "a.js"), False) is None
    assert (unwanted.text, unwanted.leaves_out) == ("*.py", True)


@pytest.mark.parametrize("pattern", ["x" * 1001, "{a,b}" * 10, "[z-a]"])
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError, match="pattern"):
        FilePattern(pattern)


@given(st.text(alphabet="ab*?[]{},/\\!^-.", max_size=12), st.text(alphabet="ab/.", max_size=8))
def test_any_pattern_matches_or_is_refused(pattern: str, path: str) -> None:
    with suppress(ToolError):
        assert FilePattern(pattern).matches(tuple(path.split("/"))) in (True, False)
