"""Generates the wire models in `src/parley/schema/` from the facts in `schema/`.

python tools/generate_schema.py                            write the models
python tools/generate_schema.py --check                    fail when they are out of date
python tools/generate_schema.py --upstream DIR --upstream-version 2.4.0
                                                           first take new facts from upstream
"""

import argparse
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from schema_generator.annotation import UnexpectedShape
from schema_generator.build import Builder
from schema_generator.facts import VERSIONS, read_upstream
from schema_generator.render import Topic, render


def main(arguments: list[str] | None = None) -> int:
    """Write or check the generated files; the exit status."""
    options = _parse(arguments)
    root: Path = options.root
    wanted: dict[Path, str] = {}
    if options.upstream is not None:
        texts = read_upstream(options.upstream, options.upstream_version)
        wanted |= {root / "schema" / name: text for name, text in texts.items()}
    try:
        wanted |= _models(root, wanted)
    except UnexpectedShape as problem:
        print(f"the schema has a shape that needs an override: {problem}", file=sys.stderr)
        return 1
    folders = {path.parent for path in wanted if path.suffix == ".py"}
    surplus = {path for folder in folders for path in folder.glob("*.py")} - wanted.keys()
    if options.check:
        return _report_drift(root, wanted, surplus)
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in surplus:
        path.unlink()
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Generate the wire models from the schema facts.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on drift")
    parser.add_argument("--upstream", type=Path, help="folder with v1/ and v2/ schema files")
    parser.add_argument("--upstream-version", help="version of the package they come from")
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    options = parser.parse_args(arguments)
    if (options.upstream is None) != (options.upstream_version is None):
        parser.error("--upstream and --upstream-version belong together")
    return options


def _models(root: Path, fresh: dict[Path, str]) -> dict[Path, str]:
    overrides = tomllib.loads((root / "tools" / "schema_overrides.toml").read_text())
    topics = [
        Topic(row["name"], row["about"], re.compile(row["pattern"])) for row in overrides["topic"]
    ]
    base = (root / "src" / "parley" / "schema" / "base.py").read_text()
    bases = set(re.findall(r'^    "(\w+)",$', base, re.MULTILINE))
    models: dict[Path, str] = {}
    for version in VERSIONS:
        file = root / "schema" / f"{version}.json"
        facts: dict[str, Any] = json.loads(fresh.get(file) or file.read_text())
        tables = {key: overrides[key] | overrides[version].get(key, {}) for key in _TABLES}
        builder = Builder(facts, tables)
        texts = render(version, builder.items(), builder.methods(), topics, bases)
        folder = root / "src" / "parley" / "schema" / version
        models |= {folder / name: text for name, text in texts.items()}
    return models


_TABLES = ("names", "tags", "folded", "merged")


def _report_drift(root: Path, wanted: dict[Path, str], surplus: set[Path]) -> int:
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in sorted([*stale, *surplus]):
        print(f"out of date: {path.relative_to(root)}", file=sys.stderr)
    return 1 if stale or surplus else 0


if __name__ == "__main__":
    sys.exit(main())
