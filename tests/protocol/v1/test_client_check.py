"""What a client refuses to send, without any wire."""

import pytest

from parley.errors import LocalProtocolError
from parley.protocol.v1.client_check import (
    checked_login,
    checked_opening,
    checked_prompt,
    checked_value,
    require,
)
from parley.protocol.v1.option import Offered
from parley.session.content import Link, Text
from parley.session.profile import AgentCapabilities, AgentLogin, AgentProfile
from parley.session.role import AcpServer, SessionRequest, SystemPrompt


def test_what_is_offered_passes() -> None:
    require(True, "anything")
    assert checked_login(AgentProfile(logins=(AgentLogin("k", "K"),)), "k") == "k"
    content = (Text("x"), Link("file:///a", "a"))
    assert checked_prompt(content, AgentCapabilities()) == content


def test_everything_may_be_sent_to_an_agent_that_takes_everything() -> None:
    can = AgentCapabilities(mcp_acp=True, system_prompt=True, system_prompt_override=True)
    prompt = SystemPrompt((Text("x"),), "override")
    request = SessionRequest("/w", mcp_servers=(AcpServer("a", "x"),), system_prompt=prompt)
    assert checked_opening(request, can) == request


def test_an_option_that_is_not_there_cannot_be_set() -> None:
    with pytest.raises(LocalProtocolError):
        checked_value(Offered(), "mode", "x")
