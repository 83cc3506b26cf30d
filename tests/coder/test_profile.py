"""What clients are told of the agent."""

from parley.coder.profile import agent_profile
from parley.session.profile import AgentLogin


def test_a_client_is_told_of_images_and_logins_where_there_are_any() -> None:
    login = AgentLogin("x", "X")
    profile = agent_profile("1.2", images=True, logins=(login,))
    assert (profile.info.name, profile.info.version) == ("parley", "1.2")
    assert profile.capabilities.image
    assert profile.logins == (login,)
    assert not agent_profile("1.2", images=False, logins=()).capabilities.image
