"""Reduces upstream schema files to facts.

Owns what is kept: names, types, defaults, marks, methods, sides, constants, formats. Sentences
are dropped. The unstable file is a superset of the stable one, so one file of facts holds both,
and whatever the stable file lacks is marked `x-unstable`.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, TypeGuard

VERSIONS = ("v1", "v2")
PACKAGE = "npm @agentclientprotocol/sdk"

Fact = dict[str, Any]


def read_upstream(folder: Path, package_version: str) -> dict[str, str]:
    """The texts of the files under `schema/`, from a folder with upstream's schema files."""
    texts: dict[str, str] = {}
    hashes: list[str] = []
    for version in VERSIONS:
        stable, unstable = (
            (folder / version / name).read_bytes()
            for name in ("schema.json", "schema.unstable.json")
        )
        facts = _without_prose(json.loads(unstable))
        _mark_unstable(facts, _without_prose(json.loads(stable)))
        texts[f"{version}.json"] = json.dumps(facts, indent=1) + "\n"
        for name, content in (("schema.json", stable), ("schema.unstable.json", unstable)):
            hashes.append(f'"{version}/{name}" = "{hashlib.sha256(content).hexdigest()}"')
    lines = [
        "# Where the facts beside this file come from. Written by tools/generate_schema.py.",
        "",
        f'package = "{PACKAGE}"',
        f'version = "{package_version}"',
        "",
        "[sha256]",
        *hashes,
    ]
    texts["PINNED.toml"] = "\n".join(lines) + "\n"
    return texts


def is_object(fact: Any) -> TypeGuard[Fact]:
    """Whether a part of the schema is an object."""
    return isinstance(fact, dict)


def is_array(fact: Any) -> TypeGuard[list[Any]]:
    """Whether a part of the schema is an array."""
    return isinstance(fact, list)


def _without_prose(fact: Any, *, names: bool = False) -> Any:
    """Drop descriptions and titles; `names` says that the keys are names, not keywords."""
    if is_object(fact):
        return {
            key: _without_prose(value, names=not names and key in ("properties", "$defs"))
            for key, value in fact.items()
            if names or key not in ("description", "title")
        }
    if is_array(fact):
        return [_without_prose(value) for value in fact]
    return fact


def _mark_unstable(fact: Fact, stable: Fact) -> None:
    for key in ("$defs", "properties"):
        for name, part in fact.get(key, {}).items():
            if name not in stable.get(key, {}):
                part["x-unstable"] = True
            else:
                _mark_unstable(part, stable[key][name])
    for key in ("anyOf", "oneOf"):
        twins = {_variant_key(part): part for part in stable.get(key, ())}
        for part in fact.get(key, ()):
            twin = twins.get(_variant_key(part))
            if twin is None:
                part["x-unstable"] = True
            else:
                _mark_unstable(part, twin)


def _variant_key(part: Fact) -> str:
    """What makes a variant the same one in both files."""
    if "not" in part:
        return "other"
    constants = {
        name: value["const"]
        for name, value in part.get("properties", {}).items()
        if "const" in value
    }
    if constants:
        return json.dumps(constants)
    if any(key in part for key in ("anyOf", "oneOf")):
        return "group " + min(_variant_key(inner) for inner in part.get("anyOf", [{}]))
    return json.dumps({key: part[key] for key in part if key in ("$ref", "allOf", "type", "const")})
