"""What may be asked of an agent, rule by rule."""

from typing import Any

import pytest

from parley.protocol.v2.rules import option_problem, prompt_problem, request_problem
from parley.session.content import Audio, Block, Image, Link, OtherBlock, Resource, Text
from parley.session.option import Choice, OtherOption, Select, Toggle
from parley.session.profile import AgentCapabilities
from parley.session.role import (
    AcpServer,
    HttpServer,
    SessionRequest,
    StdioServer,
    SystemPrompt,
)

NOTHING = AgentCapabilities(mcp_stdio=False)
PROMPT = SystemPrompt((Text("x"),))


@pytest.mark.parametrize(
    ("request_", "needed"),
    [
        (SessionRequest("/w", ("/v",)), {"additional_directories": True}),
        (SessionRequest("/w", (), (StdioServer("a", "/a"),)), {"mcp_stdio": True}),
        (SessionRequest("/w", (), (HttpServer("a", "https://a"),)), {"mcp_http": True}),
        (SessionRequest("/w", (), (AcpServer("a", "b"),)), {"mcp_acp": True}),
        (SessionRequest("/w", system_prompt=PROMPT), {"system_prompt": True}),
        (
            SessionRequest("/w", system_prompt=SystemPrompt((Text("x"),), "override")),
            {"system_prompt": True, "system_prompt_override": True},
        ),
    ],
)
def test_a_session_needs_what_its_request_uses(
    request_: SessionRequest, needed: dict[str, Any]
) -> None:
    assert request_problem(request_, NOTHING) is not None
    assert request_problem(request_, AgentCapabilities(**needed)) is None


@pytest.mark.parametrize(
    "request_",
    [
        SessionRequest("w"),
        SessionRequest("/w", ("v",)),
        SessionRequest("/w", (), (HttpServer("a", "https://a", sse=True),)),
        SessionRequest("/w", (), (StdioServer("a", "/a"), HttpServer("a", "https://a"))),
        SessionRequest("/w", system_prompt=SystemPrompt(())),
    ],
)
def test_some_requests_are_wrong_for_every_agent(request_: SessionRequest) -> None:
    everything = AgentCapabilities(
        additional_directories=True, mcp_http=True, mcp_sse=True, system_prompt=True
    )
    assert request_problem(request_, everything) is not None


@pytest.mark.parametrize(
    ("block", "needed"),
    [
        (Image("", "image/png"), "image"),
        (Audio("", "audio/wav"), "audio"),
        (Resource("file:///x", ""), "embedded_context"),
    ],
)
def test_content_needs_its_capability(block: Block, needed: str) -> None:
    assert prompt_problem((block,), NOTHING) is not None
    assert prompt_problem((block,), AgentCapabilities(**{needed: True})) is None


def test_text_and_links_need_none_and_unknown_content_has_none() -> None:
    """V2-INIT-06"""
    assert prompt_problem((Text("x"), Link("file:///x", "x")), NOTHING) is None
    assert prompt_problem((Text("x"), OtherBlock("_x", {})), NOTHING) is not None
    assert prompt_problem((), NOTHING) is not None


OPTIONS = (
    Select("s", "S", "a", (Choice("a", "A"), Choice("b", "B"))),
    Select("open", "O", "a"),
    Toggle("t", "T", False),
    OtherOption("x", "X", "_x", {}),
)


@pytest.mark.parametrize(
    ("id", "value"), [("s", "b"), ("open", "anything"), ("t", True), ("x", "y"), ("x", True)]
)
def test_a_value_that_is_offered_is_no_problem(id: str, value: Any) -> None:
    assert option_problem(OPTIONS, id, value) is None


@pytest.mark.parametrize(
    ("id", "value"), [("s", "c"), ("s", True), ("open", True), ("t", "true"), ("nope", "a")]
)
def test_any_other_value_is_one(id: str, value: Any) -> None:
    assert option_problem(OPTIONS, id, value) is not None


def test_an_agent_that_told_no_options_decides_by_itself() -> None:
    assert option_problem((), "anything", "a") is None
