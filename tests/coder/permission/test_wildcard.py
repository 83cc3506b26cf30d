"""What a shell might make of a word with wildcards; in doubt it might."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.permission.paths import matches
from parley.coder.permission.wildcard import is_wild, may_be, may_name

WORDS = st.text("ab/*?", max_size=8)
NAMES = st.text("ab", max_size=8)


@pytest.mark.parametrize(
    ("word", "wild"), [("a*", True), ("a?", True), ("[a]", True), ("a", False), ("", False)]
)
def test_a_wildcard_is_seen(word: str, wild: bool) -> None:
    assert is_wild(word) is wild


@pytest.mark.parametrize(
    ("word", "name", "might"),
    [
        ("r*", "rm", True),
        ("r?", "rm", True),
        ("r??", "rm", False),
        ("r[a-z]", "rm", True),
        ("r[!m]", "rm", True),
        ("[r]m", "rm", True),
        ("[]r]m", "rm", True),
        ("[rm", "[rm", True),
        ("[rm", "rm", False),
        ("R*", "rm", True),
        ("*", "", True),
        ("*", "a/b", False),
        ("x*", "rm", False),
        ("*" * 2_000, "r" * 2_000, True),
        ("x" * 2_000 + "*", "r" * 2_000, True),
    ],
)
def test_a_word_might_become_a_name(word: str, name: str, might: bool) -> None:
    assert may_be(word, name) is might


@pytest.mark.parametrize(
    ("path", "pattern", "might"),
    [
        ("secr*/key", "secrets/**", True),
        ("secr*/key", "secrets/", True),
        ("secr*/key", "secrets/k??", True),
        ("secr*/key", "other/**", False),
        ("*/key", "**/key", True),
        ("*/*", "a/b", True),
        ("*", "a/b", False),
        ("a/*.py", "**/*.pem", False),
        ("a/*", "**/*.pem", True),
        ("a/*", "**/.env", False),
        ("a/.*", "**/.env", True),
        ("a/?env", "a/.env", False),
        ("a*", "**", True),
    ],
)
def test_a_path_might_be_one_that_a_pattern_names(path: str, pattern: str, might: bool) -> None:
    assert may_name(path, pattern) is might


def test_an_exact_path_has_no_wildcards_of_its_own() -> None:
    assert may_name("a*", "a*", exact=True)
    assert may_name("a?", "a*", exact=True)
    assert not may_name("ab?", "a*", exact=True)


@given(WORDS, NAMES)
def test_no_name_that_a_shell_would_find_is_missed(word: str, name: str) -> None:
    assert may_be(word, name) or not fnmatchcase(name, word)


@given(WORDS, WORDS, st.text("ab/", max_size=8))
def test_two_patterns_that_share_a_path_might_meet(word: str, pattern: str, path: str) -> None:
    # A shell knows no `**`, and no slash at the end that stands for everything below.
    shell = "**" not in word and not word.endswith("/")
    both = shell and all(matches(each, path, ignore_case=False) for each in (word, pattern))
    assert may_name(word, pattern) or not both
