"""After a turn nothing is said in it."""

import pytest

from parley.errors import LocalProtocolError
from parley.sdk.outlet import TurnOver
from parley.session.event import NoticeGiven
from parley.session.question import PermissionQuestion
from tests.sdk.stage import run


def test_a_turn_that_is_over_refuses_events_and_questions() -> None:
    async def scenario() -> None:
        over = TurnOver()
        assert over.blocked is False
        await over.drain()
        with pytest.raises(LocalProtocolError, match=r"turn is over\nhint: .*`turn.session`"):
            over.emit("s", NoticeGiven("x"))
        with pytest.raises(LocalProtocolError, match="turn is over, so nobody can be asked"):
            await over.ask("s", PermissionQuestion("x", ()))

    run(scenario())
