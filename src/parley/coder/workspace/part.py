"""The names of files that are being written beside the one whose place they take. Pure but chance.

They lie in the workspace for a moment, and are nobody's work: whoever looks around leaves them out.
"""

import os
import re

_PART = re.compile(rb"\.parley-[0-9a-f]{16}\.tmp")


def part_name() -> str:
    """A name that nobody else uses."""
    return f".parley-{os.urandom(8).hex()}.tmp"


def is_part(name: bytes) -> bool:
    return _PART.fullmatch(name) is not None
