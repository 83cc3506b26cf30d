"""What is said of a side that says nothing of itself."""

from parley.session.profile import AgentProfile, ClientProfile, Implementation


def test_a_title_is_shown_instead_of_the_name() -> None:
    assert Implementation("thing", "1.0", title="The Thing").label == "The Thing"


def test_without_a_title_the_name_is_shown() -> None:
    assert Implementation("thing", "1.0").label == "thing"
    assert Implementation("thing", "1.0", title="").label == "thing"


def test_a_side_that_says_nothing_offers_nothing_beyond_the_baseline() -> None:
    agent, client = AgentProfile().capabilities, ClientProfile().capabilities
    offered = {name for name in agent.__struct_fields__ if getattr(agent, name)}
    assert offered == {"mcp_stdio"}
    assert not any(getattr(client, name) for name in client.__struct_fields__)
