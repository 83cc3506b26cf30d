"""Plays a scenario over a transport: the thin driver of the player."""

import asyncio
from collections.abc import Mapping
from typing import Any

from parley.conformance.player import Player
from parley.conformance.player_action import (
    Action,
    Await,
    Complain,
    Die,
    Disconnect,
    Freeze,
    Send,
    Sleep,
)
from parley.conformance.player_report import Report
from parley.conformance.scenario import Scenario
from parley.conformance.scripted_stage import Stage
from parley.errors import ConnectionLost, TransportError
from parley.rpc.transport import Transport

_END = "the peer closed the connection"


async def play(
    scenario: Scenario,
    transport: Transport,
    *,
    stage: Stage | None = None,
    variables: Mapping[str, Any] | None = None,
) -> Report:
    """Play a scenario to whoever is at the other end of the transport, which is closed at the end.

    A scripted agent stays until its client goes, also when the script is over. A scripted client
    goes when its script is over. Whoever cannot go on as the script says goes at once.
    """
    player = Player(scenario, variables)
    driver = _Driver(player, transport, stage or Stage(transport))
    try:
        async with asyncio.TaskGroup() as group:
            await driver.play(group)
            if scenario.plays == "agent" and player.report().ok:
                await driver.stay(group)
    finally:
        await transport.aclose()
    return player.report()


class _Driver:
    def __init__(self, player: Player, transport: Transport, stage: Stage) -> None:
        self._player = player
        self._transport = transport
        self._stage = stage
        self._waiting: Await | None = None
        self._deadline = 0.0
        self._gone = False

    async def play(self, group: asyncio.TaskGroup) -> None:
        """Do what the player wants until it wants nothing more."""
        while (action := self._player.next()) is not None:
            await self._do(action, group)

    async def stay(self, group: asyncio.TaskGroup) -> None:
        """Answer what comes after the script, until the peer goes."""
        while not self._gone:
            await self._receive(None)
            await self.play(group)

    async def _do(self, action: Action, group: asyncio.TaskGroup) -> None:
        match action:
            case Send(delay=0):
                await self._send(action.frame)
            case Send():
                group.create_task(self._send_later(action))
            case Await():
                if action is not self._waiting:
                    self._waiting = action
                    self._deadline = asyncio.get_running_loop().time() + action.seconds
                await self._receive(self._deadline)
            case Sleep():
                await asyncio.sleep(action.seconds)
            case Complain():
                self._stage.complain(action.text)
            case Disconnect():
                self._gone = action.what != "output"
                await self._stage.close(action.what)
            case Die():
                self._gone = True
                await self._stage.die(action.status, action.stderr)
            case Freeze():
                await self._freeze(action)

    async def _send(self, frame: bytes) -> None:
        try:
            self._transport.send(frame)
            if self._transport.blocked:
                await self._transport.drain()
        except TransportError as error:
            self._player.send_failed(str(error))

    async def _send_later(self, action: Send) -> None:
        await asyncio.sleep(action.delay)
        # The conversation may be over by then, and nobody waits for it any more.
        if not self._gone:
            await self._send(action.frame)

    async def _receive(self, deadline: float | None) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                frames = await self._transport.receive()
        except TimeoutError:
            self._player.timed_out()
        except ConnectionLost as error:
            self._leave(str(error))
        else:
            self._player.take(frames)
            if not frames:
                self._leave(_END)

    async def _freeze(self, action: Freeze) -> None:
        loop = asyncio.get_running_loop()
        deadline = None if action.seconds is None else loop.time() + action.seconds
        try:
            async with asyncio.timeout_at(deadline):
                if not action.reading:
                    await loop.create_future()
                while await self._transport.receive():
                    pass
            self._leave(_END)
        except TimeoutError:
            pass
        except ConnectionLost as error:
            self._leave(str(error))

    def _leave(self, why: str) -> None:
        self._gone = True
        self._player.peer_ended(why)
