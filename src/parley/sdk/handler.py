"""What may be registered as a handler: a mistake is named where it is made, not when it is called.

It knows functions, and nothing of agents and clients.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

H = TypeVar("H", bound=Callable[..., Any])


def awaited(handler: H) -> H:
    """A handler that is awaited, so it is a coroutine function.

    Raises:
        TypeError: it is not.
    """
    if not _is_async(handler):
        raise TypeError(f"`{_name(handler)}` must be an `async def` without `yield`")
    return handler


def called_inline(handler: H) -> H:
    """A handler that is called in the middle of reading, so it cannot wait.

    Raises:
        TypeError: it is a coroutine function, which nobody would await.
    """
    if _is_async(handler) or inspect.isasyncgenfunction(handler):
        raise TypeError(f"`{_name(handler)}` is called inline, so it must be a plain `def`")
    return handler


def extension(table: dict[str, Any], name: str, check: Callable[[H], H]) -> Callable[[H], H]:
    """A decorator that puts a handler of an extension into a table.

    Raises:
        ValueError: the name is not one of an extension, or is taken.
    """
    if not name.startswith("_"):  # EXT-06
        raise ValueError(f"the extension {name!r} must start with an underscore")
    if name in table:
        raise ValueError(f"the extension {name!r} is registered already")

    def register(handler: H) -> H:
        table[name] = check(handler)
        return handler

    return register


def _is_async(handler: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
        getattr(handler, "__call__", None)  # noqa: B004 - an object whose call is a coroutine
    )


def _name(handler: Callable[..., Any]) -> str:
    return getattr(handler, "__name__", type(handler).__name__)
