"""Cases about parameters of the wrong type: each field of the three methods of an echo agent.

A field that the schema marks as lenient falls back to its default (DEC-01), one that takes null
takes nothing else (DEC-03), and the others are strict (DEC-04).
"""

import copy
from typing import Any

from tests.hostile.case import INVALID_PARAMS, Answer, Case, case
from tests.hostile.raw_client import NEW_SESSION, initialize_params, line

Path = tuple[str | int, ...]

_VALUES: dict[str, Any] = {
    "null": None, "boolean": True, "integer": 5, "fraction": 1.5, "string": "x", "array": [],
    "object": {},
}  # fmt: skip
_MISSING = object()

_STDIO = {"name": "n", "command": "/c", "args": ["a"], "env": [{"name": "n", "value": "v"}]}
_HTTP = {"type": "http", "name": "n", "url": "u", "headers": [{"name": "n", "value": "v"}]}
_SSE = _HTTP | {"type": "sse"}
_SERVERS = NEW_SESSION | {"mcpServers": [_STDIO | {"type": "stdio"}, _HTTP]}
_BLOCKS = [
    {"type": "text", "text": "noop", "annotations": {"audience": ["user"], "priority": 1}},
    {"type": "image", "data": "AA==", "mimeType": "image/png", "uri": "u"},
    {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
    {"type": "resource_link", "name": "n", "uri": "u", "size": 1, "title": "t"},
    {"type": "resource", "resource": {"uri": "u", "text": "t", "mimeType": "m"}},
    {"type": "resource", "resource": {"uri": "u", "blob": "AA==", "mimeType": "m"}},
]
_PROMPT = {"sessionId": "s", "prompt": _BLOCKS}


def _changed(params: Any, path: Path, value: Any) -> Any:
    """The parameters with one value replaced, or taken out."""
    result = copy.deepcopy(params)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is _MISSING:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def _case(name: str, method: str, variants: list[Any], code: int | None, versions: Any) -> Case:
    lines = [line(n, method, params) for n, params in enumerate(variants)]
    answers = [Answer(n, code) for n in range(len(lines))]
    return case(name, *lines, answers=answers, versions=versions)


def _bad(params: Any, path: Path, right: tuple[str, ...]) -> list[Any]:
    """The parameters with every wrong type in one place."""
    return [_changed(params, path, value) for kind, value in _VALUES.items() if kind not in right]


def _name(method: str, path: Path) -> str:
    return "_".join([method.replace("/", "_"), *map(str, path)])


def _strict(
    method: str, params: Any, path: Path, *right: str, required: bool = True,
    versions: tuple[int, ...] = (1, 2),
) -> Case:  # fmt: skip
    """Every wrong type in this place is refused, and so is nothing at all if it is required."""
    variants = _bad(params, path, right)
    if required:
        variants.append(_changed(params, path, _MISSING))
    return _case(f"{_name(method, path)}_is_strict", method, variants, INVALID_PARAMS, versions)


def _lenient(method: str, params: Any, path: Path, versions: tuple[int, ...] = (1, 2)) -> Case:
    """Anything in this place is forgiven."""
    variants = [_changed(params, path, value) for value in _VALUES.values()]
    return _case(f"{_name(method, path)}_is_lenient", method, variants, None, versions)


def _whole(method: str) -> Case:
    """The parameters themselves are of the wrong type (RPC-25: null and absent mean empty)."""
    variants = [value for kind, value in _VALUES.items() if kind not in ("object", "null")]
    return _case(f"{method.replace('/', '_')}_parameters", method, variants, INVALID_PARAMS, (1, 2))


_ONE, _TWO = initialize_params(1), initialize_params(2)
_NUMBERS = (-1, 65536, 70000, 2**63, 10**30, "1", 1.5, None, True, [], {}, _MISSING)

INITIALIZE = [
    _whole("initialize"),
    *(_case(f"initialize_version_is_no_small_number_v{version}", "initialize",
            [_changed(params, ("protocolVersion",), value) for value in _NUMBERS], INVALID_PARAMS,
            (version,)) for version, params in ((1, _ONE), (2, _TWO))),
    _lenient("initialize", _ONE, ("clientCapabilities",), (1,)),
    _lenient("initialize", _ONE | {"clientInfo": None}, ("clientInfo",), (1,)),
    _lenient("initialize", _ONE | {"_meta": None}, ("_meta",), (1,)),
    _lenient("initialize", _ONE | {"clientCapabilities": {"fs": 1}}, ("clientCapabilities", "fs"),
             (1,)),
    _lenient("initialize", _TWO, ("capabilities",), (2,)),
    _strict("initialize", _TWO, ("info",), versions=(2,)),
    _strict("initialize", _TWO, ("info", "name"), "string", versions=(2,)),
    _strict("initialize", _TWO, ("info", "version"), "string", versions=(2,)),
]  # fmt: skip

NEW = [
    _whole("session/new"),
    _strict("session/new", NEW_SESSION, ("cwd",), "string"),
    _strict("session/new", NEW_SESSION, ("mcpServers",), "array", "null", required=False),
    _strict("session/new", NEW_SESSION | {"additionalDirectories": []}, ("additionalDirectories",),
            "array", "null", required=False),
    _strict("session/new", NEW_SESSION | {"additionalDirectories": [""]},
            ("additionalDirectories", 0), "string", required=False),
    _lenient("session/new", NEW_SESSION | {"_meta": None}, ("_meta",)),
    *(_strict("session/new", _SERVERS, ("mcpServers", 0, key), "string")
      for key in ("name", "command")),
    *(_strict("session/new", _SERVERS, ("mcpServers", 1, key), "string")
      for key in ("name", "url")),
    *(_strict("session/new", _SERVERS, ("mcpServers", 0, key), "array", "null", required=False)
      for key in ("args", "env")),
    _strict("session/new", _SERVERS, ("mcpServers", 1, "headers"), "array", "null", required=False),
    _strict("session/new", _SERVERS, ("mcpServers", 0, "args", 0), "string", required=False),
    *(_strict("session/new", _SERVERS, ("mcpServers", 0, "env", 0, key), "string")
      for key in ("name", "value")),
    *(_strict("session/new", _SERVERS, ("mcpServers", 1, "headers", 0, key), "string")
      for key in ("name", "value")),
    _strict("session/new", _SERVERS, ("mcpServers", 1), required=False),
]  # fmt: skip

PROMPT = [
    _whole("session/prompt"),
    _strict("session/prompt", _PROMPT, ("sessionId",), "string"),
    _strict("session/prompt", _PROMPT, ("prompt",), "array"),
    _strict("session/prompt", _PROMPT, ("prompt", 0), required=False),
    _lenient("session/prompt", _PROMPT | {"_meta": None}, ("_meta",)),
    _lenient("session/prompt", _PROMPT, ("prompt", 0, "annotations")),
    _lenient("session/prompt", _PROMPT, ("prompt", 0, "annotations", "priority")),
    _lenient("session/prompt", _PROMPT, ("prompt", 1, "uri")),
    _lenient("session/prompt", _PROMPT, ("prompt", 3, "size")),
    _lenient("session/prompt", _PROMPT, ("prompt", 3, "title")),
    _lenient("session/prompt", _PROMPT, ("prompt", 4, "resource", "mimeType")),
    *(_strict("session/prompt", _PROMPT, ("prompt", 0, key), "string") for key in ("type", "text")),
    *(_strict("session/prompt", _PROMPT, ("prompt", block, key), "string")
      for block in (1, 2) for key in ("data", "mimeType")),
    *(_strict("session/prompt", _PROMPT, ("prompt", 3, key), "string") for key in ("name", "uri")),
    _strict("session/prompt", _PROMPT, ("prompt", 4, "resource")),
    *(_strict("session/prompt", _PROMPT, ("prompt", 4, "resource", key), "string")
      for key in ("uri", "text")),
    *(_strict("session/prompt", _PROMPT, ("prompt", 5, "resource", key), "string")
      for key in ("uri", "blob")),
    _case("session_prompt_block_of_an_unknown_kind", "session/prompt",
          [_changed(_PROMPT, ("prompt", 1, "type"), kind) for kind in ("future", "_x")], None,
          (1, 2)),
    _case("session_prompt_of_nothing_in_version_1", "session/prompt", [_PROMPT | {"prompt": []}],
          None, (1,)),
    _case("session_prompt_of_nothing_in_version_2", "session/prompt", [_PROMPT | {"prompt": []}],
          INVALID_PARAMS, (2,)),
    _case("session_prompt_with_a_count_that_is_none", "session/prompt",
          [_changed(_PROMPT, ("prompt", 0, "text"), text)
           for text in ("stream", "stream x", "stream -1", "stream 1 x", "stream 1e3")],
          INVALID_PARAMS, (1, 2)),
]  # fmt: skip

CASES = INITIALIZE + NEW + PROMPT
