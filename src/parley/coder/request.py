"""The model that answers and the request that it gets next: instructions, conversation, tools."""

from parley.coder.catalogue import Offered
from parley.coder.context import system_prompt
from parley.coder.conversation import Conversation
from parley.coder.errors import ProviderError
from parley.coder.instructions import instruction_text
from parley.coder.prompt_content import seen_by
from parley.coder.providers.provider import ModelRequest
from parley.coder.skills.tool import NAME as SKILL

_MOST_INSTRUCTIONS = 48_000
"""Characters of instructions of users and projects, however large the window is."""
_OF_WINDOW = 0.4
"""Characters of them per token of the window: a tenth of it."""
_MOST_SKILLS = 12_000
"""Characters of names and descriptions of skills."""
_SKILLS_OF_WINDOW = 0.08
_SMALL_SHARE = 0.25
_LEARNING = 5.0
"""Seconds that the first request waits for the list of models: it has prices and sizes."""


async def answering_model(session: Conversation) -> Offered:
    """The model of the session, once it is known.

    Raises:
        ProviderError: there is none.
    """
    await session.runtime.catalogue.wait_for(session.chosen.model, _LEARNING)
    model = session.model
    if not model.info.id or model.id.partition("/")[0] not in session.runtime.catalogue.providers:
        raise ProviderError(
            f"No model is known for `{session.chosen.model}`. Choose another one with the"
            " option `model`, or run `parley doctor`.",
            retryable=False,
            kind="request",
        )
    return model


async def model_request(session: Conversation, model: Offered) -> ModelRequest:
    await session.servers.settled()
    await session.skills.settled()
    chosen, history = session.chosen, session.history
    share = 1 if chosen.prompt_size == "full" else _SMALL_SHARE
    window = session.gauge.room(model.info).window
    instructions = instruction_text(
        session.runtime.settings.instructions,
        await session.instructions.found(history.touched),
        int(min(window * _OF_WINDOW, _MOST_INSTRUCTIONS) * share),
    )
    room = int(min(window * _SKILLS_OF_WINDOW, _MOST_SKILLS) * share)
    # A sub-agent may work without the tool that loads them.
    skills = session.skills.text(room) if SKILL in session.tools else ""
    system = system_prompt(
        await session.facts(), chosen.prompt_size, chosen.mode, instructions, skills
    )
    return ModelRequest(
        model.info,
        f"{system}\n\n{session.duty}" if session.duty else system,
        seen_by(history.conversation(), images=model.info.images or not history.has_images),
        tuple(tool.spec for tool in session.tools.values()),
        chosen.thought_level if model.info.thinking else "off",
        session.cache_key,
    )
