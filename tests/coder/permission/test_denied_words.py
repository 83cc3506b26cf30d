"""A rule that denies is met by what a command does, in whatever order its words stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.permission.denied_words import hits_words

PUSH = ("git", "push")
FORCE = ("git", "push", "--force")


@pytest.mark.parametrize(
    ("wanted", "line", "hit"),
    [
        (PUSH, "git push", "yes"),
        (PUSH, "git push origin main", "yes"),
        (PUSH, "git -C . push", "maybe"),
        (PUSH, "git --no-pager push", "maybe"),
        (PUSH, "git -c a=b -C /w push origin", "maybe"),
        (PUSH, "git --git-dir .git push", "maybe"),
        (PUSH, "git commit -m push", "no"),
        (PUSH, "git log push", "no"),
        (PUSH, "git", "no"),
        (PUSH, "hub push", "no"),
        (FORCE, "git push --force", "yes"),
        (FORCE, "git push origin --force", "yes"),
        (FORCE, "git push origin main --force=x", "yes"),
        (FORCE, "git --force push", "maybe"),
        (FORCE, "git push -f", "maybe"),
        (FORCE, "git push -uf origin", "maybe"),
        (FORCE, "git push --forc", "maybe"),
        (FORCE, "git push -u origin", "no"),
        (FORCE, "git push --follow-tags", "no"),
        (FORCE, "git pull --force", "no"),
        (("rm", "-rf"), "rm -rf x", "yes"),
        (("rm", "-rf"), "rm -fr x", "yes"),
        (("rm", "-rf"), "rm -r x -f", "yes"),
        (("rm", "-rf"), "rm -v -rfi x", "yes"),
        (("rm", "-rf"), "rm -Rf x", "maybe"),
        (("rm", "-rf"), "rm --recursive --force x", "maybe"),
        (("rm", "-rf"), "rm -r --force x", "maybe"),
        (("rm", "-rf"), "rm -r x", "no"),
        (("rm", "-rf"), "rm --verbose x", "no"),
        (("find", None, "-delete"), "find . -name x -delete", "yes"),
        (("find", None, "-delete"), "find . -type f -depth -ls -newer a -amin 1", "no"),
        (("npm", "run", None, "--x"), "npm run a --x", "yes"),
        (("npm", "run", None), "npm -s run a", "maybe"),
        (("npm", "run", None), "npm run", "no"),
        ((None, "push"), "anything push", "yes"),
        ((), "anything", "yes"),
    ],
)
def test_words_are_met(wanted: tuple[str | None, ...], line: str, hit: str) -> None:
    assert hits_words(wanted, tuple(line.split())) == hit


def test_words_that_only_a_shell_knows_may_be_anything() -> None:
    assert hits_words(PUSH, (None, "push")) == "maybe"
    assert hits_words(PUSH, ("git", None)) == "maybe"
    assert hits_words(PUSH, ("git", None, "push")) == "maybe"
    assert hits_words(FORCE, ("git", "push", None, "x")) == "maybe"
    assert hits_words(PUSH, ("git", "log", None, "x")) == "no"
    assert hits_words(PUSH, ()) == "no"


def test_wildcards_may_become_the_words() -> None:
    assert hits_words(PUSH, ("gi?", "x")) == "maybe"
    assert hits_words(PUSH, ("git", "p*", "x")) == "maybe"
    assert hits_words(FORCE, ("git", "push", "--for*")) == "maybe"
    assert hits_words(PUSH, ("l?", "push")) == "no"


WORDS = st.lists(st.sampled_from(["a", "b", "-x", "--yy", "-xz"]), max_size=6).map(tuple)


@given(st.lists(st.sampled_from(["a", "b", None, "-x", "--yy"]), max_size=3).map(tuple), WORDS)
def test_a_command_that_begins_with_the_words_is_always_met(
    wanted: tuple[str | None, ...], words: tuple[str, ...]
) -> None:
    begins = ("p", *(want or "a" for want in wanted), *words)
    assert hits_words(("p", *wanted), begins) != "no"


@given(WORDS, st.lists(st.sampled_from(["-q", "--quiet"]), max_size=3).map(tuple))
def test_options_in_front_change_nothing_for_the_better(
    words: tuple[str, ...], options: tuple[str, ...]
) -> None:
    assert hits_words(("p", "a"), ("p", *options, "a", *words)) != "no"


def test_very_long_commands_are_judged_within_bounds() -> None:
    words = ("p", *["-x", "y"] * 5_000)
    assert hits_words(("p", "a", "b", "c"), words) == "no"
