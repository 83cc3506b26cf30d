"""Work that takes a while is done in a thread, so that other sessions do not wait for it."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

SMALL = 64 * 1024
"""What has so many bytes is done sooner than it is handed to a thread."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


async def aside(size: int, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Do work on something of this size, in a thread if it is large."""
    if size <= SMALL:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)
