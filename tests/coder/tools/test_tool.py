"""What the tools of one session work with."""

import asyncio
from collections.abc import Sequence

from parley.coder.message import Message
from parley.coder.tools.tool import Desk
from parley.coder.workspace.workspace import Workspace


def test_a_desk_without_a_session_has_nothing_that_was_said() -> None:
    async def scenario() -> Sequence[Message]:
        return await Desk("s", Workspace(("/",))).conversation()

    assert asyncio.run(scenario()) == ()
