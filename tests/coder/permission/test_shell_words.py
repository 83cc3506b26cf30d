"""The strict reader takes literal words and plain operators, and names what it refuses."""

import pytest

from parley.coder.permission.shell_words import Unclear, Word, is_hidden, literal, read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ls", [["ls"]]),
        (" ls\t-la ", [["ls", "-la"]]),
        ("a && b || c; d | e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a\nb\n\nc\n", [["a"], ["b"], ["c"]]),
        ("a &&\n\n b", [["a"], ["b"]]),
        ("a;", [["a"]]),
        ("x 'a b' \"c d\" e\\ f", [["x", "a b", "c d", "e f"]]),
        ("r''m \"\"x", [["rm", "x"]]),
        ('x "a\\"b\\\\c\\$d\\`e\\f"', [["x", 'a"b\\c$d`e\\f']]),
        ("x 'a\nb'", [["x", "a\nb"]]),
        ("x HEAD~1 HEAD^ @ a=b", [["x", "HEAD~1", "HEAD^", "@", "a=b"]]),
        ("x 2>&1 | y >/dev/null 2>&1", [["x"], ["y"]]),
        ("x 'caf\u00e9'", [["x", "caf\u00e9"]]),
        ("", []),
        ("\n \n", []),
    ],
)
def test_plain_lines_are_read_into_their_words(text: str, words: list[list[str]]) -> None:
    assert [[word.text for word in command] for command in read(text)] == words


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a $b", "an expansion"),
        ('a "$b"', "an expansion"),
        ("a ~/b", "an expansion"),
        ("a `b`", "a substitution"),
        ('a "`b`"', "a substitution"),
        ("a > b", "a redirection"),
        ("a |& b", "a redirection"),
        ("a 2>&1x", "a redirection"),
        ("2>&1 a", "a redirection"),
        ("(a)", "a subshell"),
        ("a {b,c}", "a brace expansion"),
        ("a & b", "a background command"),
        ("a # b", "a comment"),
        ("! a", "control flow"),
        ("if a", "control flow"),
        ("'time' a", "control flow"),
        ("a=1 b", "an assignment"),
        ("a \\\nb", "a line continuation"),
        ('a "b\\\nc"', "a line continuation"),
        ("a\\", "a syntax error"),
        ("a 'b", "a syntax error"),
        ('a "b', "a syntax error"),
        ("a &&", "a syntax error"),
        ("a && ; b", "a syntax error"),
        ("; a", "a syntax error"),
        ("| a", "a syntax error"),
        ("'' a", "a syntax error"),
        ("a \r", "a control character"),
        ("a '\x1b'", "a control character"),
        ("a \\\r", "a control character"),
        ("a \u00a0b", "a look-alike character"),
        ("a '\u202e'", "a look-alike character"),
        ("a \\\u00a0", "a look-alike character"),
        ("'\u0430' b", "a look-alike character"),
        ("'a ' b", "a look-alike character"),
    ],
)
def test_what_is_not_plain_is_refused_by_name(text: str, fact: str) -> None:
    with pytest.raises(Unclear) as caught:
        read(text)
    assert caught.value.fact == fact


def test_only_an_unquoted_wildcard_is_one() -> None:
    assert read("a b* 'c*' d\\* \"e?\" f[0]") == (
        (
            Word("a"),
            Word("b*", glob=True),
            Word("c*"),
            Word("d*"),
            Word("e?"),
            Word("f[0]", glob=True),
        ),
    )


@pytest.mark.parametrize(
    ("source", "value"),
    [("a", "a"), ("'a b'c", "a bc"), ("if", "if"), ("a=b", "a=b"), ("$a", None), ("a b", None)],
)
def test_one_word_has_a_value_if_no_shell_is_needed(source: str, value: str | None) -> None:
    assert literal(source) == value


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u200b", "\u2028"]
)
def test_what_does_not_show_as_itself_is_hidden(character: str) -> None:
    assert is_hidden(character)
    assert not is_hidden(" ")
    assert not is_hidden("\u00e9")
