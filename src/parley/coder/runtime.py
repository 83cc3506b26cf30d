"""What the sessions of one process share: settings, the store, providers, tools, rules.

Put together once by whoever composes the agent. Nothing here belongs to one session or one client.
"""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct

from parley.coder.catalogue import Catalogue
from parley.coder.permission.rule import Rule
from parley.coder.providers.provider import Provider
from parley.coder.sandbox.sandbox import Sandbox
from parley.coder.settings import CoderSettings
from parley.coder.store.store import Store
from parley.coder.tools.tool import Tool
from parley.session.profile import Login

LoginHandler = Callable[[str], Awaitable[None]]
"""Logs in with a method by its id: `adopt`s what it found, or raises `AuthRequired`."""


class Sources(Struct, frozen=True):
    """Where time, chance and names come from."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    new_id: Callable[[], str] = lambda: os.urandom(8).hex()
    """Ids of messages and turns; those of sessions cannot be chosen."""


class Runtime:
    def __init__(
        self,
        settings: CoderSettings,
        store: Store,
        providers: Mapping[str, Provider],
        tools: tuple[Tool, ...] = (),
        rules: tuple[Rule, ...] = (),
        *,
        logins: tuple[Login, ...] = (),
        login: LoginHandler | None = None,
        discover: Callable[[], Awaitable[None]] | None = None,
        sources: Sources | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.catalogue = Catalogue(providers)
        self.tools = {tool.spec.name: tool for tool in tools}
        self.rules = rules
        self.logins = logins
        self.login = login
        self.discover = discover
        """Runs in the background once a client is there; it may `adopt` what it finds."""
        self.sources = sources or Sources()
        self.sandbox = sandbox or Sandbox("off")
        self.watchers: set[Callable[[], None]] = set()
        """Called after `adopt`."""
        self._retired: list[Provider] = []

    def adopt(
        self,
        settings: CoderSettings,
        providers: Mapping[str, Provider],
        *,
        logins: tuple[Login, ...] = (),
    ) -> None:
        """Work with another configuration from here on; what runs goes on with the old one."""
        kept = {id(provider) for provider in providers.values()}
        before = self.catalogue.providers.values()
        self._retired += [provider for provider in before if id(provider) not in kept]
        self.settings, self.logins = settings, logins
        self.catalogue = Catalogue(providers)
        for watcher in tuple(self.watchers):
            watcher()

    async def aclose(self) -> None:
        """Free what the process holds. The sessions must be closed before."""
        for provider in (*self.catalogue.providers.values(), *self._retired):
            await provider.aclose()
        await self.store.aclose()
