"""What the sessions of one process share."""

import asyncio
from pathlib import Path

from parley.coder.providers.provider import ModelInfo
from parley.coder.runtime import Runtime, Sources
from parley.coder.settings import CoderSettings
from parley.coder.store.store import Store
from parley.session.profile import AgentLogin
from tests.coder.stage import Played, SmallTool, answered


def test_another_configuration_is_adopted_and_everybody_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept, gone, came = Played(), Played(), Played(models=(ModelInfo("two"),))
        runtime = Runtime(CoderSettings(), Store(tmp_path), {"a": kept, "b": gone})
        told: list[str] = []
        runtime.watchers.add(lambda: told.append(runtime.settings.default_model))
        login = AgentLogin("key", "Key")
        runtime.adopt(CoderSettings(default_model="c/two"), {"a": kept, "c": came}, logins=(login,))
        assert told == ["c/two"]
        assert runtime.logins == (login,)
        assert list(runtime.catalogue.providers) == ["a", "c"]
        # A stream may still run on the one that is gone.
        assert not gone.closed
        await runtime.aclose()
        assert (kept.closed, gone.closed, came.closed) == (True, True, True)

    asyncio.run(scenario())


def test_tools_are_known_by_their_names(tmp_path: Path) -> None:
    tool = SmallTool("look", "read", answered)
    runtime = Runtime(CoderSettings(), Store(tmp_path), {}, (tool,))
    assert runtime.tools == {"look": tool}


def test_ids_differ() -> None:
    sources = Sources()
    assert sources.new_id() != sources.new_id()
