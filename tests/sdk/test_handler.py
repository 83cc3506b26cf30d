"""A mistake in a registration is named where it is made."""

from functools import partial

import pytest

from parley.sdk.handler import awaited, called_inline, extension


async def work(text: str = "") -> None: ...


def plain(text: str = "") -> None: ...


async def stream():
    yield 1


class Callable:
    async def __call__(self) -> None: ...


def test_a_coroutine_function_may_be_awaited_however_it_is_dressed() -> None:
    for handler in (work, partial(work, "x"), Callable()):
        assert awaited(handler) is handler


@pytest.mark.parametrize("handler", [plain, stream, lambda: None, partial(plain, "x")])
def test_what_is_no_coroutine_function_is_refused_by_name(handler: object) -> None:
    with pytest.raises(TypeError, match="must be an `async def` without `yield`"):
        awaited(handler)  # pyright: ignore


def test_the_message_names_the_function() -> None:
    with pytest.raises(TypeError, match=r"^`plain` "):
        awaited(plain)


def test_a_handler_that_is_called_inline_cannot_be_a_coroutine_function() -> None:
    assert called_inline(plain) is plain
    for handler in (work, stream):
        with pytest.raises(TypeError, match="must be a plain `def`"):
            called_inline(handler)


def test_an_extension_is_registered_under_its_name() -> None:
    table: dict[str, object] = {}
    assert extension(table, "_x/y", awaited)(work) is work
    assert table == {"_x/y": work}


def test_an_extension_must_have_a_name_of_its_own() -> None:
    with pytest.raises(ValueError, match="'x/y' must start with an underscore"):
        extension({}, "x/y", awaited)
    with pytest.raises(ValueError, match="'_x' is registered already"):
        extension({"_x": work}, "_x", awaited)
