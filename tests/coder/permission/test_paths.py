"""Paths are compared step by step, and patterns name what they say."""

import pytest

from parley.coder.permission.paths import Scope, inside, matches, names_inside, relative

ROOTS = ("/w", "/w/nested", "/other/")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/w", "."),
        ("/w/a/b", "a/b"),
        ("/w/nested/a", "a"),
        ("/other/a", "a"),
        ("/w/./a", "a"),
        ("/w/a/../b", "b"),
        ("/w/../etc", None),
        ("/wx/a", None),
        ("/", None),
        ("a", None),
        ("", None),
        ("/w/a\0b", None),
    ],
)
def test_a_path_is_seen_from_the_innermost_root(path: str, name: str | None) -> None:
    assert relative(path, ROOTS) == name
    assert inside(path, ROOTS) is (name is not None)


def test_everything_lies_below_the_root_of_all() -> None:
    assert relative("/etc/x", ("/",)) == "etc/x"


def test_a_root_that_is_not_absolute_holds_nothing() -> None:
    assert not inside("/w/a", ("w", "."))


@pytest.mark.parametrize(
    ("word", "stays"),
    [
        ("a", True),
        (".", True),
        ("./a/b", True),
        ("..", True),
        ("../a", True),
        ("../../a", False),
        ("a/../b", False),
        ("a/../../../b", False),
        ("/w/x", True),
        ("/etc", False),
        ("~/x", False),
        ("a\0b", False),
    ],
)
def test_a_word_stays_inside_if_it_only_goes_up_at_its_start(word: str, stays: bool) -> None:
    assert names_inside(word, Scope(("/w",), "/w/sub")) is stays


def test_links_are_followed_by_whoever_can() -> None:
    scope = Scope(("/w",), "/w", lambda path: "/etc/passwd" if path == "/w/link" else path)
    assert not names_inside("link", scope)
    assert names_inside("file", scope)


@pytest.mark.parametrize(
    ("pattern", "path", "match"),
    [
        ("a.py", "a.py", True),
        ("a.py", "b/a.py", False),
        ("*.py", "a.py", True),
        ("*.py", "b/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "b/c/a.py", True),
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("src/**/x", "src/x", True),
        ("src/**/x", "src/a/b/x", True),
        ("src/", "src/a/b", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a.c", "abc", False),
        ("[slug].tsx", "[slug].tsx", True),
        ("[ab]", "a", False),
        ("**/.env", ".env", True),
        ("**/.env", "x/.env", True),
        ("**/.env", "x.env", False),
        ("a", "a\n", False),
    ],
)
def test_patterns_match_whole_paths(pattern: str, path: str, match: bool) -> None:
    assert matches(pattern, path, ignore_case=False) is match


def test_case_and_accents_can_be_ignored() -> None:
    assert matches("**/.ENV", "x/.env", ignore_case=True)
    assert matches("caf\u00e9", "Cafe\u0301", ignore_case=True)
    assert not matches("**/.ENV", "x/.env", ignore_case=False)
