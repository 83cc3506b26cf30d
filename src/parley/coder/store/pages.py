"""The rows in the pages of a file, found without the trees that lead to them. Pure.

A page says how its rows lie in it, so one is readable as long as it is whole itself, whatever has
become of the others. Nothing here judges a row: a page of noise can look like one of rows, and
whoever reads them compares the checksums.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

Value = int | str | bytes | None
Cell = tuple[int, tuple[Value, ...]]
"""The number of a row, which is 0 in a table that is clustered by its key, and its columns."""
PageOf = Callable[[int], bytes]
"""A page by its number, from 1; nothing where there is none."""

_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 0x0D, 0x0A, 0x02
# What comes before the places of the cells, by the kind of the page.
_HEADS = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _INDEX_INNER: 12}
_LINK = 4
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_CONSTANTS: dict[int, Value] = {0: None, 8: 0, 9: 1}
_FIRST_TEXT = 12
_LONGEST_NUMBER = 9


class _Strange(Exception):
    """This is nothing that SQLite writes."""


def cells(number: int, page_of: PageOf) -> Iterator[Cell]:
    """The rows that lie in a page, those left out that are damaged."""
    page = page_of(number)
    head = _HEADS.get(page[0]) if page else None
    if head is None:
        return
    count = int.from_bytes(page[3:5], "big")
    places = page[head : head + 2 * count]
    for at in range(0, len(places) - 1, 2):
        try:
            yield _cell(page, int.from_bytes(places[at : at + 2], "big"), page_of)
        except _Strange:
            continue


def _cell(page: bytes, place: int, page_of: PageOf) -> Cell:
    kind, row = page[0], 0
    if kind == _INDEX_INNER:
        place += _LINK
    size, place = _number(page, place)
    if kind == _TABLE_LEAF:
        row, place = _number(page, place)
    local = _local(size, len(page), is_table=kind == _TABLE_LEAF)
    content = page[place : place + local]
    if local < size:
        content += _overflow(page, place + local, size - local, page_of)
    if len(content) != size:
        raise _Strange
    return row, _columns(content)


def _local(size: int, page: int, *, is_table: bool) -> int:
    """How much of a row lies in its page; the rest is in pages that only that row has."""
    most = page - 35 if is_table else (page - 12) * 64 // 255 - 23
    if size <= most:
        return size
    least = (page - 12) * 32 // 255 - 23
    fitting = least + (size - least) % (page - _LINK)
    return fitting if fitting <= most else least


def _overflow(page: bytes, place: int, size: int, page_of: PageOf) -> bytes:
    parts: list[bytes] = []
    seen: set[int] = set()
    following = page[place : place + _LINK]
    while size > 0:
        number = int.from_bytes(following, "big")
        content = page_of(number) if number not in seen else b""
        if not content:
            # The chain has an end or is a circle, before the row is complete.
            raise _Strange
        seen.add(number)
        following = content[:_LINK]
        parts.append(content[_LINK : _LINK + size])
        size -= len(parts[-1])
    return b"".join(parts)


def _columns(content: bytes) -> tuple[Value, ...]:
    head, place = _number(content, 0)
    kinds: list[int] = []
    while place < head:
        kind, place = _number(content, place)
        kinds.append(kind)
    places = [head]
    for kind in kinds:
        places.append(places[-1] + _size(kind))
    if place != head or places[-1] != len(content):
        raise _Strange
    ends = pairwise(places)
    return tuple(_value(kind, content[a:b]) for kind, (a, b) in zip(kinds, ends, strict=True))


def _size(kind: int) -> int:
    if kind >= _FIRST_TEXT:
        return (kind - _FIRST_TEXT) // 2
    if kind in _CONSTANTS:
        return 0
    if kind in _INTEGERS:
        return _INTEGERS[kind]
    # No column of ours has a number with a point.
    raise _Strange


def _value(kind: int, content: bytes) -> Value:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    if kind < _FIRST_TEXT:
        return int.from_bytes(content, "big", signed=True)
    return content.decode("utf-8", "replace") if kind % 2 else content


def _number(content: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the place behind it."""
    value = 0
    for length, byte in enumerate(content[place : place + _LONGEST_NUMBER], 1):
        if length == _LONGEST_NUMBER:
            return value << 8 | byte, place + length
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + length
    raise _Strange
