"""The pytest plugin: `acp_pair`, `scripted_agent` and `scripted_client` as fixtures.

The fixtures are plain factories of context managers, so they work with any runner of coroutines.
The plugin is loaded into every test run of an environment that has the package, so it imports
nothing of the package before a fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from parley.testing import ScriptedAgent, ScriptedClient


@pytest.fixture
def acp_pair() -> Callable[..., Any]:
    """`acp_pair(agent, client=None, version=1)`: an agent and a client joined in this process."""
    # Heavy, and only for tests that use it.
    from parley.testing import pair  # noqa: PLC0415

    return pair


@pytest.fixture
def scripted_agent() -> Iterator[Callable[..., ScriptedAgent]]:
    """`scripted_agent(scenario)`: an agent that follows a script; the test fails if it cannot."""
    # Heavy, and only for tests that use it.
    from parley.testing import ScriptedAgent  # noqa: PLC0415

    yield from _checked(ScriptedAgent)


@pytest.fixture
def scripted_client() -> Iterator[Callable[..., ScriptedClient]]:
    """`scripted_client(scenario)`: a client that follows a script; the test fails if it cannot."""
    # Heavy, and only for tests that use it.
    from parley.testing import ScriptedClient  # noqa: PLC0415

    yield from _checked(ScriptedClient)


def _checked(kind: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Make scripted peers for a test, and look at their reports when it is over."""
    made: list[Any] = []

    def make(*arguments: Any, **options: Any) -> Any:
        made.append(kind(*arguments, **options))
        return made[-1]

    yield make
    failed = [peer.report.text() for peer in made if peer.played and not peer.report.ok]
    if failed:
        pytest.fail("\n".join(failed), pytrace=False)
