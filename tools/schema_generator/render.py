"""Writes classes, aliases and methods as source files, one per topic."""

import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from schema_generator.annotation import UnexpectedShape
from schema_generator.shape import Alias, Item, MethodRow

COMMAND = "python tools/generate_schema.py"
_BASE_NAME = re.compile(r"\b(?:[A-Z]\w*|require_any|require_one)\b")
_TYPING = {"Annotated", "Any", "Literal"}
_SCALAR = re.compile(r"(str|bool|(Int|Uint)\d+)( \| (str|(Int|Uint)\d+|None))*|Open\[.*|Closed\[.*")


class Topic(NamedTuple):
    """A file: what it is about, and which names belong in it."""

    name: str
    about: str
    pattern: re.Pattern[str]


def render(
    version: str, items: list[Item], methods: list[MethodRow], topics: list[Topic], bases: set[str]
) -> dict[str, str]:
    """The texts of the files of one version, by file name; `bases` is what `base` offers."""
    placed = _place(items, topics)
    home = {item.name: topic for topic, group in placed.items() for item in group}
    texts: dict[str, str] = {}
    for topic in topics:
        group = placed[topic.name]
        if group:
            body = "\n\n".join(_text(item) for item in _sorted(group, topic.name))
            imports = _imports(version, topic.name, group, body, home, bases)
            texts[f"{topic.name}.py"] = _module(version, topic.about, imports, body)
    _refuse_cycles(placed, home)
    texts["methods.py"] = _methods(version, methods, home)
    texts["__init__.py"] = _package(version, placed)
    return _formatted(texts)


def _place(items: list[Item], topics: list[Topic]) -> dict[str, list[Item]]:
    placed: dict[str, list[Item]] = {topic.name: [] for topic in topics}
    for item in items:
        found = next((topic.name for topic in topics if topic.pattern.fullmatch(item.name)), None)
        if found is None and isinstance(item, Alias) and _SCALAR.fullmatch(item.text):
            found = "ids"
        if found is None:
            raise UnexpectedShape(f"no topic claims {item.name}")
        placed[found].append(item)
    return placed


def _sorted(group: list[Item], topic: str) -> Iterator[Item]:
    """The order in which the statements of a file can run, else the order of the schema."""
    by_name = {item.name: item for item in group}
    graph = {item.name: sorted((item.needs_first & by_name.keys()) - {item.name}) for item in group}
    try:
        return (by_name[name] for name in TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise UnexpectedShape(f"{topic}: {error}") from None


def _refuse_cycles(placed: dict[str, list[Item]], home: dict[str, str]) -> None:
    graph = {
        topic: {home[name] for item in group for name in item.mentions if name in home} - {topic}
        for topic, group in placed.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise UnexpectedShape(f"files import each other: {error.args[1]}") from None


def _text(item: Item) -> str:
    if isinstance(item, Alias):
        return f"{item.name}: TypeAlias = {item.text}"
    options = "".join(f", {key}={value}" for key, value in item.options.items())
    lines = [f"class {item.name}({item.base}{options}):"]
    if item.doc:
        lines += [f'    """{item.doc}"""', ""]
    lines += [f"    {name} = {value}" for name, value in item.attributes.items()]
    if item.attributes and item.fields:
        lines.append("")
    for field in item.fields:
        default = "" if field.required else " = UNSET"
        lines.append(f"    {field.name}: {field.annotation}{default}")
        if field.doc:
            lines.append(f'    """{field.doc}"""')
    if item.check:
        lines += ["", "    def __post_init__(self) -> None:", f"        {item.check}"]
    if len(lines) == 1:
        lines.append("    pass")
    return "\n".join(lines)


def _imports(
    version: str, topic: str, group: list[Item], body: str, home: dict[str, str], bases: set[str]
) -> str:
    mentioned = {name for item in group for name in item.mentions}
    used = set(_BASE_NAME.findall(body))
    lines: list[str] = []
    typing = sorted(used & _TYPING)
    if any(isinstance(item, Alias) for item in group):
        typing.append("TypeAlias")
    if typing:
        lines += [f"from typing import {', '.join(typing)}", ""]
    lines.append(f"from parley.schema.base import {', '.join(sorted(used & bases))}")
    for other in sorted({home[name] for name in mentioned if name in home} - {topic}):
        names = sorted(name for name in mentioned if home.get(name) == other)
        lines.append(f"from parley.schema.{version}.{other} import {', '.join(names)}")
    return "\n".join(lines)


def _module(version: str, about: str, imports: str, body: str) -> str:
    head = f'"""{about}\n\nGenerated from `schema/{version}.json` by `{COMMAND}`.\n"""'
    return f"{head}\n\nfrom __future__ import annotations\n\n{imports}\n\n\n{body}\n"


def _methods(version: str, methods: list[MethodRow], home: dict[str, str]) -> str:
    names = {name for row in methods for name in (row.params, row.result) if name in home}
    lines = ["from parley.schema.method import Method"]
    for topic in sorted({home[name] for name in names}):
        wanted = sorted(name for name in names if home[name] == topic)
        lines.append(f"from parley.schema.{version}.{topic} import {', '.join(wanted)}")
    rows = [
        f'    Method("{row.name}", "{row.side}", "{row.kind}", {row.params}, {row.result}, '
        f"unstable={row.unstable}),"
        for row in methods
    ]
    body = "METHODS: tuple[Method, ...] = (\n" + "\n".join(rows) + "\n)"
    about = f"Every method of {version}: its name, who handles it, what it carries."
    return _module(version, about, "\n".join(lines), body)


def _package(version: str, placed: dict[str, list[Item]]) -> str:
    """The package of a version, which imports the file of a name when the name is first used."""
    package = f"parley.schema.{version}"
    found = {topic: sorted(item.name for item in placed[topic]) for topic in sorted(placed)}
    topics = {topic: names for topic, names in found.items() if names} | {"methods": ["METHODS"]}
    imports = [f"    from {package}.{t} import {', '.join(topics[t])}" for t in sorted(topics)]
    names = sorted(name for names in topics.values() for name in names)
    listed = textwrap.fill(", ".join(f'"{name}"' for name in names), 96)
    table = [f'        "{topic}": """{" ".join(topics[topic])}""",' for topic in sorted(topics)]
    return "\n".join(
        [
            f'"""Every message of {version}: write `{version}.PromptRequest`, never a bare name.',
            f'\nGenerated from `schema/{version}.json` by `{COMMAND}`.\n"""\n',
            "from typing import TYPE_CHECKING",
            "from parley.schema.lazy import importer",
            "if TYPE_CHECKING:",
            *imports,
            "else:",
            f'    __getattr__ = importer("{package}", {{',
            *(textwrap.fill(row, 100, subsequent_indent=" " * 8) for row in table),
            "    })",
            f"# fmt: off\n__all__ = [\n{textwrap.indent(listed, '    ')},\n]\n# fmt: on\n",
        ]
    )


def _formatted(texts: dict[str, str]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text)
        for step in (["check", "--fix", "--select", "I"], ["format"]):
            options = ["--isolated", "--quiet", "--no-cache", "--line-length", "100", folder]
            subprocess.run([sys.executable, "-m", "ruff", *step, *options], check=True)
        return {name: (Path(folder) / name).read_text() for name in texts}
