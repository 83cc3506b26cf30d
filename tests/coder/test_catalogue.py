"""The models of all providers."""

import asyncio

from parley.coder.catalogue import Catalogue, Offered
from parley.coder.providers.provider import ModelInfo
from tests.coder.stage import BOUND, Played

ONE, TWO = ModelInfo("one", name="One"), ModelInfo("vendor/two")


class Slow(Played):
    """A provider that counts how often it is asked, and answers when both have asked."""

    def __init__(self, barrier: asyncio.Barrier, *models: ModelInfo) -> None:
        super().__init__(models=models)
        self.asked = 0
        self._barrier = barrier

    async def models(self) -> tuple[ModelInfo, ...]:
        self.asked += 1
        await self._barrier.wait()
        return self.known


def test_providers_are_asked_at_the_same_time_and_once() -> None:
    async def scenario() -> None:
        barrier = asyncio.Barrier(2)
        first, second = Slow(barrier, ONE), Slow(barrier, TWO)
        catalogue = Catalogue({"a": first, "b": second})
        assert catalogue.offered() == ()
        async with asyncio.timeout(BOUND):
            await catalogue.learn_all()
            await catalogue.learn("a/one")
        assert catalogue.offered() == (Offered("a/one", ONE), Offered("b/vendor/two", TWO))
        assert (first.asked, second.asked) == (1, 1)

    asyncio.run(scenario())


def test_a_model_is_known_by_its_name_before_and_beside_the_list() -> None:
    async def scenario() -> None:
        provider = Played(models=(ONE,))
        catalogue = Catalogue({"a": provider})
        assert catalogue.find("a/one") == Offered("a/one", ModelInfo("one"))
        assert catalogue.find("a/") is None
        assert catalogue.find("b/one") is None
        await catalogue.learn("a/one")
        await catalogue.learn("b/one")
        found = catalogue.find("a/one")
        assert found == Offered("a/one", ONE)
        assert catalogue.find("a") == catalogue.find("a/") == found
        assert catalogue.find("a/new") == Offered("a/new", ModelInfo("new"))
        assert catalogue.provider_of(Offered("a/one", ONE)) is provider

    asyncio.run(scenario())


def test_a_well_known_model_keeps_its_abilities_where_no_list_has_it() -> None:
    catalogue = Catalogue({"a": Played(models=(ONE,)), "anthropic": Played(models=(ONE,))})
    found = catalogue.find("anthropic/claude-sonnet-4-5")
    assert found is not None
    assert (found.info.images, found.info.thinking, found.info.price_input) == (True, True, 3.0)
    elsewhere = catalogue.find("a/claude-sonnet-4-5")
    assert elsewhere is not None
    assert (elsewhere.info.images, elsewhere.info.price_input) == (True, None)


def test_a_list_that_is_late_is_waited_for_once() -> None:
    async def scenario() -> None:
        barrier = asyncio.Barrier(2)
        slow = Slow(barrier, ONE)
        catalogue = Catalogue({"a": slow})
        await catalogue.wait_for("a/one", 0.0)
        await catalogue.wait_for("a/one", BOUND * 100)
        assert slow.asked == 1
        assert catalogue.find("a/one") == Offered("a/one", ModelInfo("one"))

    asyncio.run(scenario())
