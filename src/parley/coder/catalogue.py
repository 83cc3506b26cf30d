"""The models of all providers, as far as they are known, under the names `provider/model`.

A provider is asked for its models once. Until it has answered, and for a model that it does not
list, what the name of the model says must do.
"""

import asyncio
from collections.abc import Mapping

from msgspec import Struct

from parley.coder.providers.catalogue import known as known_model
from parley.coder.providers.provider import ModelInfo, Provider


class Offered(Struct, frozen=True):
    """A model that a person can choose."""

    id: str
    """`provider/model`."""
    info: ModelInfo


class Catalogue:
    def __init__(self, providers: Mapping[str, Provider]) -> None:
        self.providers = dict(providers)
        self._known: dict[str, tuple[ModelInfo, ...]] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self._late: set[str] = set()

    async def learn(self, model_id: str) -> None:
        """Ask the provider of a model for its models, unless that was done."""
        name, _, _ = model_id.partition("/")
        provider = self.providers.get(name)
        if provider is None:
            return
        async with self._asking.setdefault(name, asyncio.Lock()):
            if name not in self._known:
                self._known[name] = await provider.models()

    async def wait_for(self, model_id: str, seconds: float) -> None:
        """Learn of a model, and wait for that once at most: what is late may come later."""
        name, _, _ = model_id.partition("/")
        if name in self._late:
            return
        try:
            async with asyncio.timeout(seconds):
                await self.learn(model_id)
        except TimeoutError:
            self._late.add(name)

    async def learn_all(self) -> None:
        """Ask all providers, none of which waits for another."""
        async with asyncio.TaskGroup() as group:
            for name in self.providers:
                group.create_task(self.learn(name))

    def offered(self) -> tuple[Offered, ...]:
        """The models that are known, in the order of the providers."""
        return tuple(
            Offered(f"{name}/{info.id}", info)
            for name in self.providers
            for info in self._known.get(name, ())
        )

    def find(self, model_id: str) -> Offered | None:
        """A model by its name, which without a model behind the slash means the preferred one.

        A model that a provider does not list is taken at its word: lists are often incomplete.
        `None` means that there is no such provider, or that its preferred model is not known.
        """
        name, _, wanted = model_id.partition("/")
        if name not in self.providers:
            return None
        known = self._known.get(name, ())
        if not wanted:
            return Offered(f"{name}/{known[0].id}", known[0]) if known else None
        listed = next((info for info in known if info.id == wanted), None)
        return Offered(model_id, listed or known_model(wanted, provider=name))

    def provider_of(self, model: Offered) -> Provider:
        return self.providers[model.id.partition("/")[0]]
