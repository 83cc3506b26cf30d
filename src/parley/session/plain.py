"""Values of a session as plain JSON, with every member written out.

Encoding leaves out a member that *is* its default, not one that merely equals it. Two equal
values that came about differently would then look different, which must not be where sessions
are compared.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import UNSET, Struct


def plain(value: Any) -> Any:
    """The value as plain JSON: equal for equal values."""
    match value:
        case Struct():
            config = value.__struct_config__
            tag = {config.tag_field: config.tag} if config.tag_field else {}
            members = ((name, getattr(value, name)) for name in value.__struct_fields__)
            return tag | {name: plain(member) for name, member in members if member is not UNSET}
        case bytes():
            return base64.b64encode(value).decode()
        case str():
            return value
        case Mapping():
            items = cast("Mapping[str, Any]", value).items()
            return {key: plain(member) for key, member in items}
        case Sequence():
            return [plain(item) for item in cast("Sequence[Any]", value)]
        case _:
            return value
