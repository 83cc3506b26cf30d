"""Rules that deny look at every part and admit doubt; rules that allow must cover everything."""

import pytest

from parley.coder.permission.access import (
    FetchesUrl,
    ReadsPath,
    RunsCommand,
    TouchesNothing,
    WritesPath,
)
from parley.coder.permission.paths import Scope
from parley.coder.permission.pattern import (
    EveryCall,
    LinePattern,
    PathPattern,
    WordsPattern,
    ascii_host,
    covers,
    hits,
    spells_out,
    split_url,
)
from parley.coder.permission.rule import parse_rule

SCOPE = Scope(("/w", "/second"), "/w")


def hit(rule: str, line: str) -> str:
    return hits(parse_rule(rule).pattern, RunsCommand(line, "/w"), SCOPE)


@pytest.mark.parametrize(
    ("rule", "line", "expected"),
    [
        ("deny bash:rm", "rm x", "yes"),
        ("deny bash:rm", "rm", "yes"),
        ("deny bash:rm", "/bin/rm x", "yes"),
        ("deny bash:/bin/rm", "rm x", "yes"),
        ("deny bash:rm", "RM x", "yes"),
        ("deny bash:rm", "'r'm x", "yes"),
        ("deny bash:rm", "ls && rm x", "yes"),
        ("deny bash:rm", "ls; (cd x; rm y)", "yes"),
        ("deny bash:rm", "sudo -u x env A=1 rm y", "yes"),
        ("deny bash:rm", "find . -exec rm '{}' +", "yes"),
        ("deny bash:rm", "bash -c 'ls; rm x'", "yes"),
        ("deny bash:rm", "; ".join(["ls"] * 60 + ["rm x"]), "yes"),
        ("deny bash:rm", "ls " + "x" * 20_000 + "; rm x", "yes"),
        ("deny bash:rm", "r\\m 'x", "yes"),
        ("deny bash:rm", "rm 2>&1 -rf x", "yes"),
        ("deny bash:rm", "echo rm", "no"),
        ("deny bash:rm", "rmdir x", "no"),
        ("deny bash:rm", "ls 'x", "maybe"),
        ("deny bash:rm", "$X y", "maybe"),
        ("deny bash:rm", "$(echo rm) y", "maybe"),
        ("deny bash:rm", "echo x | sh", "maybe"),
        ("deny bash:rm -rf", "rm $X y", "maybe"),
        ("deny bash:rm -rf", "xargs rm", "maybe"),
        ("deny bash:rm -rf", "rm", "no"),
        ("deny bash:rm -rf", "rm -r x", "no"),
        ("deny bash:git * --force", "git push --force", "yes"),
        ("deny bash:git * --force", "git push", "no"),
        ("deny bash:* --force", "x '", "yes"),
        ("deny bash:=rm x", "rm x", "yes"),
        ("deny bash:=rm x", "rm  'x'", "yes"),
        ("deny bash:=rm x", "rm x y", "no"),
        ("deny bash:=rm $X", "rm $X", "yes"),
        ("deny bash:=rm $X", "rm  $X", "no"),
        ("deny bash", "ls", "yes"),
        ("deny *:**/.env", "cat .env", "yes"),
        ("deny *:**/.env", "cat /w/a/.ENV", "yes"),
        ("deny *:**/.env", "x --file=sub/.env", "yes"),
        ("deny *:**/.env", "echo x > .env", "yes"),
        ("deny bash:rm", "if ls; then echo 'rm'; fi", "maybe"),
        ("deny bash:rm", "echo 'rm' x*", "no"),
        ("deny bash:rm", "/bin/r? x", "maybe"),
        ("deny bash:rm", "/bin/r[m] x", "maybe"),
        ("deny bash:rm", "ls; */rm x", "yes"),
        ("deny bash:rm", "/bin/l* x", "no"),
        ("deny bash:rm -rf", "rm -*", "maybe"),
        ("deny bash:rm -rf", "rm *.py", "no"),
        ("deny bash:git * --force", "git push --for*", "maybe"),
        ("deny bash:git * --force", "git * x", "maybe"),
        ("deny bash:git * --force", "git *.py x", "no"),
        ("deny *:secrets/**", "cat secr*/key", "maybe"),
        ("deny *:secrets/**", "cat s?crets/key", "maybe"),
        ("deny *:secrets/**", "ls src/*.py", "no"),
        ("deny *:config.json", "cat conf*", "maybe"),
        ("deny *:**/.env", "cat src/*", "no"),
        ("deny *:**/.env", "cat src/.e*", "maybe"),
        ("deny *:/etc/*", "cat /e*/passwd", "maybe"),
        ("deny *:**/.env", "cat env", "no"),
        ("deny *:**/.env", "cat " + " ".join(map(str, range(600))), "maybe"),
    ],
)
def test_a_rule_that_denies_hits_any_part(rule: str, line: str, expected: str) -> None:
    assert hit(rule, line) == expected


def test_a_rule_on_paths_ignores_case_only_to_deny() -> None:
    pattern = PathPattern("**/.env")
    assert hits(pattern, ReadsPath("/w/a/.ENV"), SCOPE) == "yes"
    assert hits(pattern, WritesPath("/second/.env"), SCOPE) == "yes"
    assert hits(pattern, ReadsPath("/third/.env"), SCOPE) == "no"
    assert not covers((pattern,), ReadsPath("/w/a/.ENV"), SCOPE)
    assert covers((pattern,), ReadsPath("/w/a/.env"), SCOPE)


def test_a_rule_concerns_only_what_its_pattern_is_about() -> None:
    assert hits(WordsPattern(("ls",)), ReadsPath("/w/ls"), SCOPE) == "no"
    assert hits(PathPattern("**"), FetchesUrl("https://x/"), SCOPE) == "no"
    assert hits(EveryCall(), TouchesNothing(), SCOPE) == "yes"
    assert not covers((WordsPattern(("ls",)),), ReadsPath("/w/ls"), SCOPE)
    assert not covers((PathPattern("**"),), FetchesUrl("https://x/"), SCOPE)
    assert not covers((PathPattern("**"),), RunsCommand("touch x", "/w"), SCOPE)
    assert not covers((PathPattern("**"),), TouchesNothing(), SCOPE)
    assert covers((EveryCall(),), TouchesNothing(), SCOPE)


def test_every_call_means_every_call_inside_the_workspace() -> None:
    assert covers((EveryCall(),), WritesPath("/w/x"), SCOPE)
    assert not covers((EveryCall(),), WritesPath("/etc/x"), SCOPE)
    assert covers((EveryCall(),), FetchesUrl("https://x.org/"), SCOPE)
    assert not covers((EveryCall(),), FetchesUrl("file:///etc/passwd"), SCOPE)


def test_an_absolute_pattern_can_name_what_lies_outside() -> None:
    assert covers((PathPattern("/etc/*"),), ReadsPath("/etc/x"), SCOPE)
    assert not covers((PathPattern("/etc/*"),), ReadsPath("/etc/x/y"), SCOPE)


def test_commands_are_covered_together_or_not_at_all() -> None:
    patterns = (WordsPattern(("git", "status")), WordsPattern(("npm", "test")))
    assert covers(patterns, RunsCommand("git status && npm test | head", "/w"), SCOPE)
    assert not covers(patterns, RunsCommand("git status && npm install", "/w"), SCOPE)
    assert not covers((), RunsCommand("ls", "/w"), SCOPE)


def test_nothing_is_covered_outside_of_the_workspace() -> None:
    line = RunsCommand("npm test", "/etc")
    outside = Scope(("/w",), "/etc")
    assert not covers((WordsPattern(("npm", "test")),), line, outside)
    assert not covers((LinePattern("npm test"),), line, outside)
    assert not spells_out((LinePattern("npm test"),), line, outside)


def test_an_exact_line_covers_itself_whatever_is_in_it() -> None:
    line = 'x=$(cat y) && sudo sh -c "$x" > z'
    assert covers((LinePattern(line),), RunsCommand(line, "/w"), SCOPE)
    assert not covers((LinePattern(line),), RunsCommand(line + " ", "/w"), SCOPE)


def test_words_in_the_middle_may_be_left_open() -> None:
    pattern = (WordsPattern(("npm", None, "build")),)
    assert covers(pattern, RunsCommand("npm run build", "/w"), SCOPE)
    assert not covers(pattern, RunsCommand("npm exec build", "/w"), SCOPE)
    assert not covers(pattern, RunsCommand("npm run", "/w"), SCOPE)


def test_only_an_exact_path_is_spelled_out() -> None:
    path = WritesPath("/w/.git/config")
    assert spells_out((PathPattern(".git/config", exact=True),), path, SCOPE)
    assert spells_out((PathPattern("/w/.git/config", exact=True),), path, SCOPE)
    assert not spells_out((PathPattern(".git/*"), EveryCall()), path, SCOPE)
    assert not spells_out((EveryCall(),), TouchesNothing(), SCOPE)


@pytest.mark.parametrize(
    ("rule", "url", "covered"),
    [
        ("https://docs.python.org/*", "https://docs.python.org/3/library/", True),
        ("https://docs.python.org/*", "https://docs.python.org", True),
        ("https://docs.python.org", "https://docs.python.org/any/thing?q=1", True),
        ("https://docs.python.org/*", "https://DOCS.python.org./3", True),
        ("https://docs.python.org/*", "https://docs.python.org:443/3", True),
        ("https://docs.python.org/*", "https://docs.python.org:8443/3", False),
        ("https://docs.python.org/*", "http://docs.python.org/3", False),
        ("https://docs.python.org/*", "https://docs.python.org.evil.example/", False),
        ("https://docs.python.org/*", "https://docs.python.org@evil.example/", False),
        ("https://docs.python.org/*", "https://evil.example/docs.python.org/", False),
        ("https://docs.python.org/*", "https://evil.example#docs.python.org/", False),
        ("https://docs.python.org/*", "https://evil.example\\@docs.python.org/", False),
        ("https://docs.python.org/*", "https://docs.python.org\n.evil.example/", False),
        ("https://docs.python.org/*", "https://docs.python.org\uff0fevil.example/", False),
        ("https://docs.python.org/*", "https://doc\uff53.python.org/", False),
        ("https://x.org/a/*", "https://x.org/a/b", True),
        ("https://x.org/a/*", "https://x.org/a", True),
        ("https://x.org/a/*", "https://x.org/ab", False),
        ("https://x.org/a/*", "https://x.org/a/../b", False),
        ("https://x.org/a/*", "https://x.org/a/%2e%2e/b", False),
        ("https://x.org/a/*", "https://x.org/a%2f..%2fb", False),
        ("https://x.org/a", "https://x.org/a", True),
        ("https://x.org/a", "https://x.org/a/b", False),
        ("https://*.x.org/*", "https://a.b.x.org/", True),
        ("https://*.x.org/*", "https://x.org/", False),
        ("https://*.x.org/*", "https://evilx.org/", False),
        ("https://x.org:81/*", "https://x.org:81/a", True),
        ("https://x.org:81/*", "https://x.org/a", False),
        ("https://*/*", "https://anything.example/", True),
        ("https://x.org/*", "https://x.org:bad/", False),
    ],
)
def test_addresses_are_covered_by_host_and_path(rule: str, url: str, covered: bool) -> None:
    pattern = parse_rule(f"allow web_fetch:{rule}").pattern
    assert covers((pattern,), FetchesUrl(url), SCOPE) is covered


@pytest.mark.parametrize(
    "url",
    [
        "https://x.org/a/b",
        "http://x.org:8080/a/b",
        "https://X.ORG./a/",
        "https://x.org/%61/b",
        "https://x.org/c/../a/b",
        "https://\uff58.org/a/b",
        "https://x.org:bad/",
        "https://y.org\\@x.org/a/b",
        "no address",
    ],
)
def test_an_address_that_may_be_denied_is(url: str) -> None:
    pattern = parse_rule("deny web_fetch:https://x.org/a/*").pattern
    assert hits(pattern, FetchesUrl(url), SCOPE) == "yes"


def test_other_addresses_are_not_denied() -> None:
    pattern = parse_rule("deny web_fetch:https://x.org/a/*").pattern
    assert hits(pattern, FetchesUrl("https://x.org/b"), SCOPE) == "no"
    assert hits(pattern, FetchesUrl("https://y.org/a/b"), SCOPE) == "no"


def test_a_host_that_cannot_be_a_name_is_left_alone() -> None:
    assert ascii_host("a" * 70 + ".org") == "a" * 70 + ".org"
    assert split_url("https://[::1") is None
