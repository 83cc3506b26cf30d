"""A Jupyter notebook as text: its cells, and the beginning of what they printed. Pure."""

from typing import Any, cast

import msgspec

_OUTPUT_LINES = 20
_OUTPUT_CHARACTERS = 2000


def notebook_text(text: str) -> str | None:
    """The cells one after the other; `None` if the text is no notebook."""
    try:
        notebook = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    cells = _member(notebook, "cells")
    if not isinstance(cells, list):
        return None
    shown = [_cell(number, cell) for number, cell in enumerate(cast("list[Any]", cells), 1)]
    return "\n\n".join(shown)


def _cell(number: int, cell: Any) -> str:
    parts = [f"[cell {number}: {_joined(_member(cell, 'cell_type')) or 'unknown'}]"]
    parts.append(_joined(_member(cell, "source")))
    outputs = _member(cell, "outputs")
    if isinstance(outputs, list) and outputs:
        printed = "\n".join(map(_output, cast("list[Any]", outputs)))
        parts.append(f"[output of cell {number}]\n{_shortened(printed)}")
    return "\n".join(parts)


def _output(output: Any) -> str:
    if _member(output, "output_type") == "error":
        return f"{_joined(_member(output, 'ename'))}: {_joined(_member(output, 'evalue'))}"
    printed = _member(output, "text")
    if printed is not None:
        return _joined(printed)
    data = _member(output, "data")
    plain = _joined(_member(data, "text/plain"))
    kinds = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    others = [f"[{kind}]" for kind in kinds if kind != "text/plain"]
    return "\n".join(part for part in (plain, *others) if part)


def _shortened(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    cut = "\n".join(lines[:_OUTPUT_LINES])[:_OUTPUT_CHARACTERS]
    left = len(text.rstrip("\n")) - len(cut)
    return f"{cut}\n[{left} more characters]" if left > 0 else cut


def _member(value: Any, name: str) -> Any:
    return cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None


def _joined(value: Any) -> str:
    """Text in a notebook is a string or a list of lines."""
    if isinstance(value, list):
        return "".join(map(str, cast("list[Any]", value)))
    return value if isinstance(value, str) else ""
