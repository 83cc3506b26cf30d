"""What is written down of a session, one entry after the other. Pure data.

Events are what the client was told; messages are what the model was told. Both are rebuilt from
the entries alone, so whatever matters later must be in one.
"""

from msgspec import Struct

from parley.coder.message import Message
from parley.coder.providers.provider import ModelUsage
from parley.session.event import Event
from parley.session.option import OptionValue
from parley.session.role import Ending


class Told(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="told"):
    """The client was told about an event, or would have been if one had been there."""

    event: Event


class Said(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="said"):
    """A message became part of the conversation with the model."""

    message: Message


class TurnBegun(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="turn_begun"):
    turn_id: str


class TurnOver(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="turn_over"):
    turn_id: str
    ending: Ending


class Spent(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="spent"):
    """One request to a model: what it used, and what it cost if prices are known."""

    model: str
    usage: ModelUsage
    cost: float | None = None


class OptionSet(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="option_set"):
    option_id: str
    value: OptionValue


class Remembered(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="remembered"):
    """An answer that holds for the rest of the session."""

    allowed: bool
    tool: str
    pattern: str = ""
    """What it covers, as in a rule; empty means every call of the tool."""


class Forgotten(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="forgotten"):
    """The model starts anew: what was said before is not given to it any more."""


class Compacted(Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="compacted"):
    """The model is given less of the conversation from here on; the client keeps all of it.

    Numbers count the messages that the model was given until then, from the first one.
    """

    upto: int = 0
    """So many messages are replaced by the summary."""
    summary: str = ""
    """A whole message; empty if nothing is replaced."""
    shortened: int = 0
    """Before this message results of tools are shortened."""
    longest: int = 0
    """The characters that are left of such a result."""


Entry = Told | Said | TurnBegun | TurnOver | Spent | OptionSet | Remembered | Forgotten | Compacted
