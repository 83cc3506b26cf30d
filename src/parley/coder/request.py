"""The request that the model gets next: instructions, conversation, tools, and nothing else."""

from parley.coder.catalogue import Offered
from parley.coder.context import system_prompt
from parley.coder.instructions import instruction_text
from parley.coder.open_session import OpenSession
from parley.coder.prompt_content import seen_by
from parley.coder.providers.provider import ModelRequest

_MOST_INSTRUCTIONS = 48_000
"""Characters of instructions of users and projects, however large the window is."""
_OF_WINDOW = 0.4
"""Characters of them per token of the window: a tenth of it."""
_SMALL_SHARE = 0.25


async def model_request(session: OpenSession, model: Offered) -> ModelRequest:
    await session.servers.settled()
    chosen, history = session.chosen, session.history
    share = 1 if chosen.prompt_size == "full" else _SMALL_SHARE
    window = session.gauge.room(model.info).window
    instructions = instruction_text(
        session.runtime.settings.instructions,
        await session.instructions.found(history.touched),
        int(min(window * _OF_WINDOW, _MOST_INSTRUCTIONS) * share),
    )
    return ModelRequest(
        model.info,
        system_prompt(await session.facts(), chosen.prompt_size, chosen.mode, instructions),
        seen_by(history.conversation(), images=model.info.images or not history.has_images),
        tuple(tool.spec for tool in session.tools.values()),
        chosen.thought_level if model.info.thinking else "off",
        session.id,
    )
