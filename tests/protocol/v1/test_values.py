"""Commands, plans and what a session is opened with, in version 1 and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parley.schema.v1 as v1
from parley.errors import InvalidParams
from parley.protocol.v1.values import (
    command_from,
    command_model,
    entries_of,
    entry_from,
    entry_model,
    failure_from,
    failure_model,
    info_from,
    info_model,
    mcp_server_from,
    mcp_server_model,
    plan_from,
    plan_model,
    session_request_from,
    system_prompt_from,
    system_prompt_model,
    usage_from,
    usage_model,
)
from parley.schema.codec import decode, decode_strictly, encode
from parley.session.content import Text
from parley.session.event import Failure, TurnUsage
from parley.session.option import (
    Command,
    OtherPlan,
    Plan,
    PlanEntry,
    PlanFile,
    PlanItems,
    PlanMarkdown,
)
from parley.session.role import (
    AcpServer,
    HttpServer,
    McpServer,
    SessionInfo,
    StdioServer,
    SystemPrompt,
)
from tests.session.strategies import commands, plans


def _no_loss(what: str, detail: str) -> None:
    raise AssertionError(what)


@given(commands)
def test_a_command_comes_back_as_a_plain_one(command: Command) -> None:
    lost: list[str] = []
    model = command_model(command, lambda what, detail: lost.append(what))
    back = command_from(decode_strictly(v1.AvailableCommand, encode(model)))
    assert back.description == command.description
    assert back.hint == command.hint
    assert back.meta == command.meta
    assert lost == (["command.kind"] if command.raw is not None else [])


def test_a_command_may_be_written_with_its_slash() -> None:
    assert command_from(v1.AvailableCommand(name="/plan ", description="d")).name == "plan"


@pytest.mark.parametrize(
    ("entry", "sent", "lost"),
    [
        (PlanEntry("a", "high", "completed"), PlanEntry("a", "high", "completed"), []),
        (
            PlanEntry("a", status="cancelled"),
            PlanEntry("(cancelled) a", status="completed"),
            ["plan.status"],
        ),
        (PlanEntry("a", status="_odd"), PlanEntry("a", status="in_progress"), ["plan.status"]),
        (PlanEntry("a", "_odd"), PlanEntry("a"), ["plan.priority"]),
    ],
)
def test_entries_are_in_the_closed_lists_v1_pln_04(
    entry: PlanEntry, sent: PlanEntry, lost: list[str]
) -> None:
    found: list[str] = []
    model = entry_model(entry, lambda what, detail: found.append(what))
    assert entry_from(decode_strictly(v1.PlanEntry, encode(model))) == sent
    assert found == lost


@pytest.mark.parametrize(
    ("plan", "entries", "lost"),
    [
        (PlanItems((PlanEntry("a"),)), (PlanEntry("a"),), []),
        (
            PlanMarkdown("# P\n- [ ] a\n* [x] b\n1. [X] c\n2) [~] d\nrest"),
            (
                PlanEntry("a"),
                PlanEntry("b", status="completed"),
                PlanEntry("c", status="completed"),
                PlanEntry("d", status="in_progress"),
            ),
            ["plan.markdown"],
        ),
        (PlanMarkdown("just words"), (PlanEntry("just words"),), ["plan.markdown"]),
        (PlanFile("file:///plan"), (PlanEntry("file:///plan"),), ["plan.file"]),
        (OtherPlan("_tree", {}), (), ["plan.type"]),
    ],
)
def test_any_plan_can_be_a_list(plan: Plan, entries: Any, lost: list[str]) -> None:
    found: list[str] = []
    assert entries_of(plan, lambda what, detail: found.append(what)) == entries
    assert found == lost


@given(plans)
def test_a_plan_comes_back_for_clients_that_know_several(plan: Plan) -> None:
    lost: list[str] = []
    model = plan_model("p", plan, lambda what, detail: lost.append(what))
    if model is None:
        assert lost == ["plan.type"]
        return
    back = plan_from(decode(v1.PlanUpdateContent, encode(model)))
    assert back == ("p", plan) or lost


def test_a_plan_nobody_knows_is_kept_when_it_is_read() -> None:
    raw = {"type": "tree", "planId": "p"}
    model = decode(v1.PlanUpdateContent, encode(raw))
    assert plan_from(model) == ("p", OtherPlan("tree", raw))


SERVERS: list[McpServer] = [
    StdioServer("a", "/a", ("x",), {"K": "V"}, {"m": 1}),
    StdioServer("a", "/a"),
    HttpServer("b", "http://b", (("H", "1"), ("H", "2"))),
    HttpServer("c", "http://c", sse=True),
    AcpServer("d", "id"),
]


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_comes_back_as_it_was_v1_mcp_06(server: McpServer) -> None:
    frame = encode(mcp_server_model(server))
    assert (b'"type"' in frame) == (not isinstance(server, StdioServer))
    assert mcp_server_from(decode_strictly(v1.McpServer, frame)) == server


def test_a_server_nobody_knows_is_never_skipped_dec_05() -> None:
    with pytest.raises(InvalidParams):
        mcp_server_from(decode(v1.McpServer, b'{"type":"ftp","name":"a"}'))


def test_secrets_of_servers_are_in_no_error_rpc_29() -> None:
    params = (
        b'{"cwd":"relative-and-secret","mcpServers":'
        b'[{"name":"a","command":"/a","args":[],"env":[{"name":"K","value":"secret"}]}]}'
    )
    with pytest.raises(InvalidParams) as caught:
        session_request_from(decode(v1.NewSessionRequest, params))
    assert "secret" not in f"{caught.value} {caught.value.data}"


def test_a_system_prompt_comes_back_as_it_was() -> None:
    prompt = SystemPrompt((Text("x"),), "override", {"m": 1})
    assert system_prompt_from(system_prompt_model(prompt, _no_loss)) == prompt


def test_what_is_listed_of_a_session_comes_back_as_it_was() -> None:
    info = SessionInfo("s", "/w", "T", "2026", ("/m",), archived=True, meta={"m": 1})
    assert info_from(info_model(info, unstable=True)) == info
    bare = SessionInfo("s", "/w")
    assert info_from(info_model(bare, unstable=False)) == bare


tokens = st.integers(0, 2**63 - 1)


@given(tokens, tokens, tokens, st.none() | tokens)
def test_tokens_come_back_as_they_were_dec_13(
    total: int, one: int, other: int, more: int | None
) -> None:
    usage = TurnUsage(total, one, other, more, more, more, {"m": 1})
    assert usage_from(decode_strictly(v1.Usage, encode(usage_model(usage)))) == usage


@pytest.mark.parametrize("failure", [Failure(-1, "m"), Failure(1, "m", {"a": 1})])
def test_a_failure_comes_back_as_it_was(failure: Failure) -> None:
    assert failure_from(failure_model(failure)) == failure
