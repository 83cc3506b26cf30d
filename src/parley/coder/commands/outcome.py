"""What a slash command comes to: an answer, or a question for the model. Pure data."""

from msgspec import Struct

from parley.coder.providers.provider import ModelUsage
from parley.session.content import Block


class Say(Struct, frozen=True):
    """The agent answers by itself, and the turn is over."""

    text: str
    usage: ModelUsage = ModelUsage()
    """Of the requests that the command made."""
    requests: int = 0


class Ask(Struct, frozen=True):
    """The model is asked this instead of what was typed."""

    content: tuple[Block, ...]


Outcome = Say | Ask
