"""One turn through a bridge: what of it the client knows already, and how it comes to an end."""

import asyncio
from contextlib import suppress

from parley.errors import AcpError
from parley.protocol.bridge_client import BridgedClient, Turn
from parley.protocol.connect import RemoteAgent
from parley.session.role import Ending, Prompt


class BridgedTurn:
    """Runs one prompt at the agent.

    Whoever cancels a turn waits until the agent has ended it, as far as that has any sense: what
    it still reports belongs to the turn, and the next prompt must not meet it half way.
    """

    def __init__(
        self, agent: RemoteAgent, client: BridgedClient, session_id: str, patience: float
    ) -> None:
        self._agent = agent
        self._client = client
        self._session_id = session_id
        self._patience = patience

    async def run(self, prompt: Prompt, turn: Turn) -> Ending | AcpError:
        """How it ended, or what went wrong; a loss that is refused ends it too."""
        async with asyncio.TaskGroup() as group:
            work = group.create_task(self._work(prompt, turn))
            try:
                await asyncio.wait({work, turn.refusal}, return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    await self._see_out(turn, work)
            except asyncio.CancelledError:
                await self._see_out(turn, work)
                raise
            finally:
                work.cancel()
        return turn.refusal.result() if turn.refusal.done() else work.result()

    async def _work(self, prompt: Prompt, turn: Turn) -> Ending | AcpError:
        try:
            await self._client.unprompted.rest(self._session_id)
            if turn.cancelled:
                return Ending("cancelled")
            return await self._agent.prompt(self._session_id, prompt)
        except AcpError as error:
            return error

    async def _see_out(self, turn: Turn, work: "asyncio.Task[Ending | AcpError]") -> None:
        turn.cancelled = True
        # An agent that is gone, or has no such session, needs not be told.
        with suppress(AcpError), self._client.cancelling(self._session_id):
            await self._agent.cancel(self._session_id)
        # Agents exist that never answer a prompt which they cancelled.
        await asyncio.wait({work}, timeout=self._patience)
