"""No way out of the sandbox works at the level that the self-test reports."""

import asyncio

from parley.coder.sandbox.sandbox import Sandbox
from tests.coder.sandbox.escape_run import at_level, bare, claims, tried
from tests.coder.sandbox.escapes import AROUND, ATTEMPTS, PROTECTED

LEVEL = "landlock+seccomp"


def test_nothing_comes_out_of_what_the_self_test_says_holds() -> None:
    async def scenario() -> None:
        level = (await Sandbox("auto").standing()).level
        assert level != "none"
        claimed = tuple(each for each in (*ATTEMPTS, *AROUND, *PROTECTED) if claims(level, each))
        assert len(claimed) >= 88
        assert await tried(at_level(level), claimed) == []

    asyncio.run(scenario())


def test_the_attempts_are_real_ones() -> None:
    async def scenario() -> None:
        sample = (*ATTEMPTS[::4], *AROUND)
        assert await tried(bare, sample) == list(sample)

    asyncio.run(scenario())


def test_own_files_hold_with_landlock_alone_too() -> None:
    assert asyncio.run(tried(at_level(LEVEL), AROUND)) == []


def test_landlock_does_not_claim_what_it_cannot_hold() -> None:
    unclaimed = [each.group for each in (*ATTEMPTS, *PROTECTED) if not claims(LEVEL, each)]
    assert set(unclaimed) == {"marks of files outside", "protected paths"}
