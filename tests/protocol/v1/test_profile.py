"""Who the two sides are, in version 1 and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parley.schema.v1 as v1
from parley.protocol.v1.profile import (
    agent_profile_from,
    client_profile_from,
    initialize_model,
    initialized_model,
)
from parley.schema.codec import decode, decode_strictly, encode
from parley.session.profile import (
    UNKNOWN,
    AgentCapabilities,
    AgentLogin,
    AgentProfile,
    ClientCapabilities,
    ClientProfile,
    Implementation,
    TerminalLogin,
)

infos = st.builds(Implementation, st.text(), st.text(), st.none() | st.text())
flags = st.booleans()
clients = st.builds(
    ClientProfile,
    infos,
    st.builds(
        ClientCapabilities,
        **dict.fromkeys((f for f in ClientCapabilities.__struct_fields__ if f != "meta"), flags),
    ),
    st.just(1),
)
LOGINS = (
    AgentLogin("a", "A", "about", {"m": 1}),
    TerminalLogin("t", "T", "about", ("x",), {"K": "V"}, {"m": 1}),
)
agents = st.builds(
    AgentProfile,
    infos,
    st.builds(
        AgentCapabilities,
        **dict.fromkeys((f for f in AgentCapabilities.__struct_fields__ if f != "meta"), flags),
    ),
    st.sampled_from([(), LOGINS]),
    st.just(1),
)
UNSTABLE = {
    "fork",
    "mcp_acp",
    "archive",
    "status",
    "title",
    "system_prompt",
    "system_prompt_override",
    "auth_status",
    "providers",
}


@given(clients, st.booleans())
def test_a_client_comes_back_as_it_was(profile: ClientProfile, unstable: bool) -> None:
    model = initialize_model(profile, unstable=unstable)
    request = decode_strictly(v1.InitializeRequest, encode(model))
    back = client_profile_from(request, unstable=unstable)
    assert back.info == profile.info
    for name in ClientCapabilities.__struct_fields__:
        expected = getattr(profile.capabilities, name)
        if name in ("plans", "subagents"):
            expected = expected and unstable
        assert getattr(back.capabilities, name) == expected, name


@given(agents, st.booleans())
def test_an_agent_comes_back_as_it_was(profile: AgentProfile, unstable: bool) -> None:
    client = ClientProfile(capabilities=ClientCapabilities(terminal_login=True))
    model = initialized_model(profile, client, _no_loss, unstable=unstable)
    response = decode_strictly(v1.InitializeResponse, encode(model))
    back = agent_profile_from(response, unstable=unstable)
    assert (back.info, back.logins) == (profile.info, profile.logins)
    can = profile.capabilities
    for name in AgentCapabilities.__struct_fields__:
        expected = getattr(can, name)
        if name == "mcp_stdio":
            expected = True  # V1-MCP-01: version 1 cannot say otherwise.
        if name == "system_prompt_override":
            expected = can.system_prompt and can.system_prompt_override
        if name in UNSTABLE:
            expected = expected and unstable
        assert getattr(back.capabilities, name) == expected, name


@pytest.mark.parametrize(
    ("extra", "info"),
    [
        ({}, UNKNOWN),
        ({"info": 5}, UNKNOWN),
        ({"info": {"name": "n"}}, UNKNOWN),
        ({"info": {"name": "n", "version": "v"}}, Implementation("n", "v")),
        ({"clientInfo": {"name": "n", "version": "v"}, "info": 5}, Implementation("n", "v")),
        ({"clientInfo": {"name": 5}}, UNKNOWN),
    ],
)
def test_an_introduction_that_is_odd_gives_a_placeholder_neg_11(
    extra: dict[str, Any], info: Implementation
) -> None:
    request = decode(v1.InitializeRequest, encode({"protocolVersion": 2, **extra}))
    assert client_profile_from(request, unstable=False).info == info


@pytest.mark.parametrize("capabilities", [5, [], {}, {"elicitation": True}, {"auth": []}])
def test_newer_capabilities_that_are_odd_give_none_neg_18(capabilities: Any) -> None:
    params = {"protocolVersion": 2, "capabilities": capabilities}
    can = client_profile_from(decode(v1.InitializeRequest, encode(params)), unstable=True)
    assert not can.capabilities.elicitation_form
    assert not can.capabilities.terminal_login
    assert can.capabilities.notices == isinstance(capabilities, dict)


def _no_loss(what: str, detail: str) -> None:
    raise AssertionError(what)
