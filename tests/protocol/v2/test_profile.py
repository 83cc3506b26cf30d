"""Who the two sides are and what they can do."""

import itertools
from typing import Any

import pytest
from msgspec.structs import asdict

from parley.protocol.v2.profile import (
    agent_answer,
    agent_profile,
    client_profile,
    client_request,
    has_sessions,
    offered_logins,
)
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session.profile import (
    UNKNOWN,
    AgentCapabilities,
    AgentLogin,
    AgentProfile,
    ClientCapabilities,
    ClientProfile,
    Implementation,
    OtherLogin,
    TerminalLogin,
)

BASELINE = {"load": True, "resume": True, "list": True, "close": True}
FLAGS = [
    "delete",
    "fork",
    "additional_directories",
    "image",
    "audio",
    "embedded_context",
    "mcp_stdio",
    "mcp_http",
    "mcp_acp",
    "archive",
    "status",
    "title",
    "system_prompt",
    "auth_status",
    "providers",
]
UNSTABLE = {
    "fork",
    "mcp_acp",
    "archive",
    "status",
    "title",
    "system_prompt",
    "auth_status",
    "providers",
}
MIXES = list(itertools.product([True, False], repeat=3))
LOGINS = (
    AgentLogin("a", "A", "d", {"m": 1}),
    TerminalLogin("t", "T", "d", ("x",), {"K": "v"}, {"m": 1}),
    OtherLogin("o", "O", "_o", {"type": "_o", "methodId": "o", "name": "O", "x": 1}),
)


def agent_trip(profile: AgentProfile, *, unstable: bool) -> AgentProfile:
    answer = agent_answer(profile, profile.logins, unstable=unstable)
    return agent_profile(decode(v2.InitializeResponse, encode(answer)))


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("unstable", [True, False])
def test_each_capability_of_an_agent_comes_through_alone(flag: str, unstable: bool) -> None:
    given: dict[str, Any] = {"mcp_stdio": False, **BASELINE, flag: True}
    back = agent_trip(AgentProfile(UNKNOWN, AgentCapabilities(**given)), unstable=unstable)
    if flag in UNSTABLE and not unstable:
        given[flag] = False  # NEG-17
    assert asdict(back.capabilities) == asdict(AgentCapabilities(**given))


def test_overriding_the_system_prompt_is_part_of_offering_it() -> None:
    can = AgentCapabilities(system_prompt=True, system_prompt_override=True)
    back = agent_trip(AgentProfile(capabilities=can), unstable=True).capabilities
    assert (back.system_prompt, back.system_prompt_override) == (True, True)


def test_a_whole_profile_comes_back() -> None:
    can = AgentCapabilities(**BASELINE, logout=True, meta={"x": {"y": 1}})
    profile = AgentProfile(Implementation("n", "1", "T", {"m": 1}), can, LOGINS, 2, {"m": 2})
    assert agent_trip(profile, unstable=False) == profile


@pytest.mark.parametrize("session", [None, 5, True])
def test_an_agent_without_sessions_has_nothing_of_them(session: Any) -> None:
    """V2-INIT-05"""
    answer = decode(
        v2.InitializeResponse,
        encode(
            {
                "protocolVersion": 2,
                "info": {"name": "n", "version": "1"},
                "capabilities": {"session": session},
            }
        ),
    )
    assert not has_sessions(answer)
    assert agent_profile(answer).capabilities == AgentCapabilities(mcp_stdio=False)


def test_without_capabilities_there_are_no_sessions_either() -> None:
    info = v2.Implementation(name="n", version="1")
    answer = v2.InitializeResponse(protocol_version=2, info=info)
    assert not has_sessions(answer)
    assert agent_profile(answer).logins == ()


@pytest.mark.parametrize(
    ("terminal", "form", "url"), list(itertools.product([True, False], repeat=3))
)
def test_every_mix_of_what_a_client_can_comes_through(
    terminal: bool, form: bool, url: bool
) -> None:
    can = ClientCapabilities(
        terminal_login=terminal, elicitation_form=form, elicitation_url=url, meta={"m": 1}
    )
    profile = ClientProfile(Implementation("n", "1"), can, 2, {"m": 2})
    back = client_profile(decode(v2.InitializeRequest, encode(client_request(profile))))
    found = back.capabilities
    assert (found.terminal_login, found.elicitation_form, found.elicitation_url) == (
        terminal,
        form,
        url,
    )
    assert (found.read_files, found.write_files, found.terminals) == (False, False, False)
    assert (back.info, back.version, back.meta, found.meta) == (
        profile.info,
        2,
        {"m": 2},
        {"m": 1},
    )


def test_a_client_of_version_2_has_no_files_and_no_terminals_to_offer() -> None:
    """V2-INIT-08"""
    can = ClientCapabilities(read_files=True, write_files=True, terminals=True)
    assert client_request(ClientProfile(capabilities=can)).capabilities == v2.ClientCapabilities()


def test_a_login_in_a_terminal_needs_one() -> None:
    """V2-AUTH-06"""
    profile = AgentProfile(logins=LOGINS)
    assert offered_logins(profile, ClientCapabilities()) == (LOGINS[0], LOGINS[2])
    assert offered_logins(profile, ClientCapabilities(terminal_login=True)) == LOGINS
