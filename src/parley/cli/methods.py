"""`parley methods`: the methods of a protocol version as a table."""

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from parley.schema.base import Unknown
from parley.schema.method import Method
from parley.schema.v1.methods import METHODS as V1
from parley.schema.v2.methods import METHODS as V2

_TABLES: dict[int, Sequence[Method]] = {1: V1, 2: V2}
_HEADER = ("METHOD", "SIDE", "KIND", "PARAMS", "RESULT", "UNSTABLE")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--version", type=int, choices=sorted(_TABLES), default=1, help="default: 1"
    )
    parser.add_argument("--unstable", action="store_true", help="list the unstable ones as well")


def run(options: argparse.Namespace) -> int:
    rows = [_row(m) for m in _TABLES[options.version] if options.unstable or not m.unstable]
    for line in _aligned([_HEADER, *rows]):
        print(line)
    return 0


def _row(method: Method) -> tuple[str, ...]:
    return (
        method.name,
        method.side,
        method.kind,
        _name(method.params),
        _name(method.result),
        "yes" if method.unstable else "",
    )


def _name(type_: Any) -> str:
    """How the type is written after `v1.` or `v2.`; a union is written as its known members."""
    if type_ is None:
        return "-"
    members = [each for each in get_args(type_) if not issubclass(each, Unknown)]
    return " | ".join(map(_name, members)) if members else type_.__name__


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
