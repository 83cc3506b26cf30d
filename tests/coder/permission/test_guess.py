"""What is known of a word that only a shell could tell."""

import pytest

from parley.coder.permission.guess import guess, pieces
from parley.coder.permission.wildcard import ANYTHING


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain", "plain"),
        ("'a b'c\"d\"", "a bcd"),
        (r"a\ b", "a b"),
        (r'"a\$b\c"', r"a$b\c"),
        ("'$x`{a,b}'", "$x`{a,b}"),
        ("$PWD/.env", "…/.env"),
        ('"$a/b"', "…/b"),
        ("${f}nv", "…nv"),
        ("${f:-x}/y", "…/y"),
        ("$1$@$?", "………"),
        ("$(pwd)/x", "…/x"),
        ('$(echo ")").env', "…"),
        ("`pwd`/x", "…"),
        ("$'\\x2eenv'/a", "…/a"),
        ('$"a"', "a"),
        ("${a:-${b}}/x", "…"),
        (".en{v,}", ".en…"),
        ("{1..3}", "…"),
        ("{a,{b,c}}x", "…"),
        ("{}", "{}"),
        ("HEAD@{1}", "HEAD@{1}"),
        ('"{a,b}"', "{a,b}"),
        ("~/x", "…/x"),
        ("~+/.env", "…/.env"),
        ("a=~/x", "a=…/x"),
        ("HEAD~1", "HEAD~1"),
        ("a<(b)", "a…"),
        ("a\\", "a"),
    ],
)
def test_what_is_written_stays_and_the_rest_may_be_anything(source: str, expected: str) -> None:
    assert guess(source) == expected.replace("…", ANYTHING)


@pytest.mark.parametrize(
    ("word", "piece"),
    [
        ("--file=.env", ".env"),
        ("HEAD:.env", ".env"),
        ("@.env", ".env"),
        ("-T.env", ".env"),
        ("a:b", "a:b"),
        (f"cat {ANYTHING}; cat .env", ".env"),
    ],
)
def test_a_path_may_be_a_part_of_a_word(word: str, piece: str) -> None:
    assert piece in pieces(word)


def test_words_that_are_known_are_not_taken_for_command_lines() -> None:
    assert list(pieces("fix .env")) == ["fix .env"]
