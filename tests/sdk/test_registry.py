"""What is registered is what is advertised."""

import pytest

from parley.sdk.registry import Registry
from parley.session.profile import AgentCapabilities, AgentLogin, Implementation

INFO = Implementation("a", "1")


async def handler() -> None: ...


def test_nothing_registered_advertises_closing_alone() -> None:
    profile = Registry(INFO, AgentCapabilities()).profile
    assert profile.capabilities == AgentCapabilities(close=True)
    assert (profile.info, profile.logins) == (INFO, ())


@pytest.mark.parametrize("name", ["load", "resume", "list", "delete", "fork", "logout"])
def test_each_handler_advertises_its_capability(name: str) -> None:
    registry = Registry(INFO, AgentCapabilities(image=True))
    assert registry.add(name, handler) is handler
    capabilities = registry.profile.capabilities
    assert getattr(capabilities, name) is True
    assert capabilities.image is True


def test_a_login_is_advertised() -> None:
    login = AgentLogin("key", "Key")
    assert Registry(INFO, AgentCapabilities(), logins=[login]).profile.logins == (login,)


def test_a_second_handler_for_the_same_thing_is_a_mistake() -> None:
    registry = Registry(INFO, AgentCapabilities())
    registry.add("load", handler)
    with pytest.raises(ValueError, match="a handler for `load` is registered already"):
        registry.add("load", handler)


def test_two_registries_share_nothing() -> None:
    one, other = Registry(INFO, AgentCapabilities()), Registry(INFO, AgentCapabilities())
    one.add("load", handler)
    assert other.handlers == {}
