"""Rules: what they allow, what they forbid, and who wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.errors import ConfigError
from parley.frontend.headless.rules import (
    KINDS,
    Asked,
    Rule,
    Rules,
    covers,
    narrowest,
    of_call,
    parse_rule,
    touches,
)
from parley.session.activity import ToolCall
from parley.session.content import DiffItem, FileChange, Location
from parley.session.event import ToolCallChanged


def rule(text: str) -> Rule:
    return parse_rule(text, "--allow")


def run(command: str | tuple[str, ...] | None) -> Asked:
    return Asked("execute", command, cwd="/p")


@pytest.mark.parametrize(
    ("text", "command", "fits"),
    [
        ("bash:pytest *", "pytest", True),
        ("bash:pytest *", "pytest -q tests", True),
        ("bash:pytest", "pytest -q", False),
        ("bash:pytest *", "pytest; rm -r /", False),
        ("bash:pytest *", "./pytest", False),
        ("bash:git diff *", "git push", False),
        ("bash:git * --stat", "git diff --stat", True),
        ("bash:npm test", "npm test", True),
        ("bash:*", "anything at all", True),
        ("bash:*", "anything; else", False),
        ("execute:ls *", "ls -l", True),
        ("bash:ls *", None, False),
        ("bash", "a; b", True),
    ],
)
def test_a_rule_for_commands_allows_what_it_says_and_no_more(
    text: str, command: str | None, fits: bool
) -> None:
    assert covers(rule(text), run(command)) is fits


@pytest.mark.parametrize(
    ("text", "asked", "fits"),
    [
        ("edit", Asked("edit"), True),
        ("edit", Asked("delete"), False),
        ("bash", Asked("edit"), False),
        ("*", Asked("delete"), True),
        ("edit:src/*", Asked("edit", paths=("/p/src/a/b.py",), cwd="/p"), True),
        ("edit:src", Asked("edit", paths=("/p/src/a.py",), cwd="/p"), True),
        ("edit:src/*", Asked("edit", paths=("/p/src/a.py", "/p/x.py"), cwd="/p"), False),
        ("edit:src/*", Asked("edit", paths=("/p/src/../x.py",), cwd="/p"), False),
        ("edit:src/*", Asked("edit", paths=(), cwd="/p"), False),
        ("edit:/etc/*", Asked("edit", paths=("/etc/passwd",), cwd="/p"), True),
    ],
)
def test_a_rule_for_a_kind_allows_that_kind_there(text: str, asked: Asked, fits: bool) -> None:
    assert covers(rule(text), asked) is fits


@pytest.mark.parametrize(
    ("text", "asked", "touched"),
    [
        ("bash:rm *", run("ls && rm -r x"), True),
        ("bash:rm *", run("ls"), False),
        ("bash:rm *", run(None), True),
        ("bash:rm *", run("ls 'unclosed"), True),
        ("bash:rm *", Asked("other", "rm x"), True),
        ("bash:rm *", Asked("edit"), False),
        ("bash", Asked("other", "ls"), True),
        ("bash", Asked("edit"), False),
        ("edit", Asked("edit"), True),
        ("edit", Asked("read"), False),
        ("edit:secret/*", Asked("edit", paths=("/p/a", "/p/secret/b"), cwd="/p"), True),
        ("edit:secret/*", Asked("edit", paths=("/p/a",), cwd="/p"), False),
        ("edit:secret/*", Asked("edit"), True),
        ("*", Asked("read"), True),
    ],
)
def test_a_rule_that_forbids_needs_only_to_touch(text: str, asked: Asked, touched: bool) -> None:
    assert touches(rule(text), asked) is touched


SUBAGENT = Asked("execute", name="agent")


@pytest.mark.parametrize(
    ("text", "asked", "covered", "touched"),
    [
        ("agent", SUBAGENT, True, True),
        ("execute", SUBAGENT, True, True),
        ("*", SUBAGENT, True, True),
        ("bash", SUBAGENT, False, False),
        ("bash:rm *", SUBAGENT, False, False),
        ("execute:rm *", SUBAGENT, False, False),
        ("edit", SUBAGENT, False, False),
        ("agent", run("ls"), False, False),
        ("agent", Asked("edit"), False, False),
        # What calls itself a sub-agent and is more is no sub-agent for who allows.
        ("agent", Asked("execute", "rm x", name="agent"), False, True),
        ("agent", Asked("edit", paths=("/p/x",), name="agent"), False, True),
        ("bash:rm *", Asked("execute", "rm x", name="agent"), True, True),
    ],
)
def test_the_start_of_a_sub_agent_has_a_rule_of_its_own(
    text: str, asked: Asked, covered: bool, touched: bool
) -> None:
    assert (covers(rule(text), asked), touches(rule(text), asked)) == (covered, touched)


def test_forbidding_wins_then_allowing_then_the_rest() -> None:
    rules = Rules((rule("bash"),), (rule("bash:rm *"),), "refuse")
    assert rules.judge(run("rm x")).verdict == "refuse"
    assert rules.judge(run("ls")).verdict == "allow"
    assert rules.judge(Asked("edit")).because == "--no"
    assert Rules(otherwise="allow").judge(Asked("edit")).verdict == "allow"
    assert Rules().judge(Asked("edit")).verdict == "ask"
    assert rules.denies(run("rm x")) == "bash:rm *"
    assert rules.denies(run("ls")) is None


_RULES = st.sampled_from(["*", "edit", "bash", "bash:rm *", "bash:*", "edit:a/*", "read", "agent"])
_ASKED = st.builds(
    Asked,
    st.sampled_from(KINDS),
    st.none() | st.text(max_size=20) | st.sampled_from(["rm x", "ls; rm x", "sh -c 'rm x'"]),
    st.lists(st.sampled_from(["/a/b", "a/../b", "/p/a/c"])).map(tuple),
    st.just("/p"),
    st.sampled_from([None, "agent"]),
)


@given(st.lists(_RULES), st.lists(_RULES), _RULES, _ASKED)
def test_one_more_rule_that_forbids_never_allows_more(
    allow: list[str], deny: list[str], more: str, asked: Asked
) -> None:
    allowed, denied = tuple(map(rule, allow)), tuple(map(rule, deny))
    before = Rules(allowed, denied, "allow").judge(asked).verdict
    after = Rules(allowed, (*denied, rule(more)), "allow").judge(asked).verdict
    assert after == before or after == "refuse"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (run("touch x"), "bash:touch x"),
        (run("touch '*'"), "bash"),
        (run("touch 'a b'"), "bash"),
        (run("touch x\u202e"), "bash"),
        (run("touch " + "x" * 100), "bash"),
        (run("ls; rm x"), "bash"),
        (run(None), "execute"),
        (SUBAGENT, "agent"),
        (Asked("edit", paths=("src/a.py",), cwd="/p"), "edit:src/a.py"),
        (Asked("edit", paths=("/q/a.py",), cwd="/p"), "edit:/q/a.py"),
        (Asked("edit", paths=("/p/a", "/p/b"), cwd="/p"), "edit"),
        (Asked("hologram"), None),
    ],
)
def test_the_rule_that_would_allow_a_call_says_no_more_than_it_must(
    asked: Asked, text: str | None
) -> None:
    found = narrowest(asked)
    assert (found and found.text) == text


@given(_ASKED)
def test_a_rule_that_is_advised_allows_what_was_asked_for(asked: Asked) -> None:
    found = narrowest(asked)
    assert found is not None
    assert Rules((rule(found.text),)).judge(asked).verdict == "allow"


@pytest.mark.parametrize("text", ["", "foo", "bash:", "edit: ", "*:x", ":x", "rm *", "agent:x"])
def test_what_is_no_rule_is_named_with_a_hint(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        rule(text)
    assert caught.value.hint


def test_a_rule_is_written_as_it_was_given() -> None:
    assert [rule("Edit").text, rule("bash: pytest *").text] == ["edit", "bash:pytest *"]


def test_what_a_call_says_about_itself_is_what_is_judged() -> None:
    call = ToolCall("t")
    change = FileChange("move", "/p/b", old_path="/p/a")
    call.change(
        ToolCallChanged(
            "t",
            name="apply",
            kind="edit",
            raw_input={"command": "ls"},
            locations=(Location("/p/x"),),
            content=(DiffItem((change,)),),
        )
    )
    assert of_call(call, "/p") == Asked("edit", "ls", ("/p/x", "/p/b", "/p/a"), "/p", "apply")
