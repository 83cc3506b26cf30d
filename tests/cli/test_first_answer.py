"""The answer to `initialize` is the same as that of the whole agent."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from parley.cli.composition import Composition
from parley.cli.first_answer import first_profile
from parley.coder.application import Application
from parley.coder.config import load
from parley.coder.providers.choice import choose
from parley.session.role import ClientRole


@pytest.mark.parametrize(
    "environ", [{}, {"ANTHROPIC_API_KEY": "k"}, {"DEEPSEEK_API_KEY": "k", "PARLEY_MODEL": "x"}]
)
def test_it_says_what_the_whole_agent_would_say(tmp_path: Path, environ: dict[str, str]) -> None:
    variables = {"HOME": str(tmp_path), "PARLEY_LOCAL_SERVERS": "false", **environ}
    config = load(variables)
    choice = choose(config)
    runtime = Composition(config, choice, lambda: config).runtime()

    async def scenario() -> None:
        application = Application(runtime)
        whole = await application.initialize(cast("ClientRole", object()))
        assert whole == first_profile(config, choice)
        await application.aclose()
        await runtime.aclose()

    asyncio.run(scenario())
