"""A scripted agent and a scripted client in this process, at the other end of a memory transport.

They are what a test of a client or of an agent talks to instead of a real one.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from parley.conformance.player_driver import play
from parley.conformance.player_report import Report
from parley.conformance.scenario import Role, Scenario, ScenarioError
from parley.conformance.scenario_files import load_scenario
from parley.errors import ConnectionLost
from parley.rpc.transport import Transport
from parley.sdk.tasks import Tasks
from parley.transport.memory import memory_pair

_PATIENCE_SECONDS = 10.0


class Serving(Protocol):
    """Whatever can serve a client behind a transport, for instance a `parley.Agent`."""

    def serve(self, transport: Transport, /) -> Awaitable[None]: ...


class ScriptedPeer:
    """Plays a scenario while its block lasts. `transport` is the end that the tested side uses.

    `report` is there after the block. A scenario is given as such, by the path of its file, or by
    its name if it comes with the package.
    """

    PLAYS: ClassVar[Role]

    def __init__(
        self, scenario: Scenario | str | Path, variables: Mapping[str, Any] | None = None
    ) -> None:
        self.scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        if self.scenario.plays != self.PLAYS:
            raise ScenarioError(f"`{self.scenario.name}` is for a scripted {self.scenario.plays}")
        self._variables = variables
        self._tasks = Tasks()
        self._playing: asyncio.Task[Report] | None = None
        self._report: Report | None = None

    @property
    def played(self) -> bool:
        """Whether the script is over and there is a report."""
        return self._report is not None

    @property
    def report(self) -> Report:
        """What came of it, once the block is left or `finished` has returned."""
        if self._report is None:
            raise RuntimeError("the scenario is still being played")
        return self._report

    async def finished(self) -> Report:
        """Wait until the script is over; close or end the tested side first if it is an agent's."""
        if self._playing is None:
            raise RuntimeError("use the scripted peer as a context manager")
        async with asyncio.timeout(_PATIENCE_SECONDS + self.scenario.timeout):
            report = await asyncio.shield(self._playing)
        self._report = report
        return report

    async def __aenter__(self) -> Self:
        self.transport, own = memory_pair()
        await self._tasks.__aenter__()
        self._playing = self._tasks.start(play(self.scenario, own, variables=self._variables))
        return self

    async def __aexit__(self, *failure: object) -> None:
        # Whoever leaves the block has gone, as far as the script is concerned.
        await self.transport.aclose()
        try:
            await self.finished()
        finally:
            await self._tasks.__aexit__(*failure)


class ScriptedAgent(ScriptedPeer):
    """An agent that follows a script, to test a client.

    async with ScriptedAgent("v1/turn") as scripted, client.connect(scripted.transport) as agent:
        ...
    scripted.report.check()
    """

    PLAYS = "agent"


class ScriptedClient(ScriptedPeer):
    """A client that follows a script, to test an agent.

    report = await ScriptedClient("v1/turn-client").drive(agent)
    """

    PLAYS = "client"

    async def drive(self, agent: Serving) -> Report:
        """Play the whole script to an agent and return the report."""
        async with self, Tasks() as tasks:
            serving = tasks.start(_served(agent, self.transport))
            await self.finished()
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await serving
        return self.report


async def _served(agent: Serving, transport: Transport) -> None:
    # A script may break the connection, and an agent may say so.
    with suppress(ConnectionLost):
        await agent.serve(transport)
