"""Rules are read line by line, and a bad line says what to write instead."""

import pytest

from parley.coder.permission.pattern import (
    EveryCall,
    LinePattern,
    PathPattern,
    Pattern,
    UrlPattern,
    WordsPattern,
)
from parley.coder.permission.rule import Rule, parse_rule, parse_rules, rule_of
from parley.coder.store.entry import Remembered
from parley.errors import ConfigError


def test_a_file_has_one_rule_per_line() -> None:
    text = "# mine\n\n  allow bash:git status\r\ndeny read_file:**/.env\n"
    assert parse_rules(text) == (
        Rule("allow", "bash", WordsPattern(("git", "status")), "allow bash:git status"),
        Rule("deny", "read_file", PathPattern("**/.env"), "deny read_file:**/.env"),
    )


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("allow bash", EveryCall()),
        ("allow bash:*", EveryCall()),
        ("deny bash:rm *", WordsPattern(("rm",))),
        ("ask bash:npm * build", WordsPattern(("npm", None, "build"))),
        ("deny bash:* push", WordsPattern((None, "push"))),
        ("allow bash:git commit '*'", WordsPattern(("git", "commit", "*"))),
        ("allow bash:=make && ./run > x", LinePattern("make && ./run > x")),
        ("allow  bash : git status", WordsPattern(("git", "status"))),
        ("ask edit_file:src/**", PathPattern("src/**")),
        ("ask edit_file:./src/a.py", PathPattern("src/a.py", exact=True)),
        ("ask edit_file:=src/[a].py", PathPattern("src/[a].py", exact=True)),
        ("ask edit_file:src/", PathPattern("src/")),
        ("deny *:/etc/**", PathPattern("/etc/**")),
        ("deny *", EveryCall()),
        ("allow web_fetch:https://X.org/a/*", UrlPattern("https", "x.org", None, "/a/*")),
        ("deny web_fetch:http://*.x.org:81", UrlPattern("http", "*.x.org", 81, "")),
        (
            "deny web_fetch:https://b\u00fccher.example",
            UrlPattern("https", "xn--bcher-kva.example", None, ""),
        ),
    ],
)
def test_a_pattern_is_what_its_tool_touches(text: str, pattern: Pattern) -> None:
    assert parse_rule(text).pattern == pattern


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("permit bash:ls", "begins with 'permit'", "`allow`, `ask` or `deny`"),
        ("allow", "has '' where a tool", "`allow bash:git status`"),
        ("allow ../x:y", "has '../x' where a tool", "a tool and a pattern"),
        ("allow bash:", "has no pattern", "write `allow bash`"),
        ("allow bash:ls > x", "has a redirection", "write `=` before"),
        ("allow bash:ls && pwd", "names several commands", "one rule for each"),
        ("deny bash:rm x*", "has a wildcard inside a word", "a word of its own"),
        ("allow bash:* x", "allows any program", "name the program"),
        ("allow bash:sudo apt", "allows `sudo`, which can run anything", "`allow bash:=sudo apt`"),
        ("allow bash:python -c", "allows `python`", "the exact line"),
        ("allow *", "allows everything", "`full-access`"),
        ("deny read_file:~/.ssh/**", "not a plain path", "an absolute one"),
        ("deny read_file:a/../b", "not a plain path", "without `..`"),
        ("deny read_file:=", "not a plain path", "without `..`"),
        ("allow web_fetch:docs.python.org", "not an address", "https://docs.python.org/*"),
        ("allow web_fetch:ftp://x", "not an address", "https://"),
        ("allow web_fetch:https://a@b", "not an address", "https://"),
        ("allow web_fetch:https://x:y", "not an address", "https://"),
        ("allow web_fetch:https://x/*/y", "has a wildcard or a query", "https://"),
        ("allow web_fetch:https://x/?a", "has a wildcard or a query", "https://"),
        ("allow web_fetch:https://a*.x/", "has a wildcard or a query", "https://"),
    ],
)
def test_a_bad_rule_names_its_line_the_problem_and_the_fix(
    text: str, problem: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rules(f"# one\n{text}\n", "my-rules")
    error = caught.value
    assert (error.file, error.key) == ("my-rules", "line 2")
    assert problem in error.problem
    assert hint in error.hint


def test_an_answer_for_the_session_is_a_rule() -> None:
    assert rule_of(Remembered(True, "edit_file")) == Rule(
        "allow", "edit_file", EveryCall(), "allow edit_file"
    )
    assert rule_of(Remembered(False, "bash", "=rm x\nrm y")) == Rule(
        "deny", "bash", LinePattern("rm x\nrm y"), "deny bash:=rm x\nrm y"
    )


def test_an_answer_that_cannot_be_read_allows_nothing() -> None:
    assert rule_of(Remembered(True, "bash", "a | b")).effect == "ask"
    assert rule_of(Remembered(False, "bash", "a | b")).effect == "deny"
