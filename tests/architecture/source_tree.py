"""What the architecture tests read: the files of the repository, parsed once."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("src/parley/schema/v1/", "src/parley/schema/v2/")
SCRIPTS = ("check", "setup")
# What git ignores, and git itself.
_NOT_OURS = {".git", ".venv", "node_modules", "build", "dist", "__pycache__"}
_CACHE_SUFFIX = "_cache"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One parsed Python file."""

    name: str
    """Its path from the root of the repository, with slashes."""
    lines: tuple[str, ...]
    tree: ast.Module

    @property
    def generated(self) -> bool:
        return self.name.startswith(GENERATED)

    @property
    def empty(self) -> bool:
        return not self.tree.body


@cache
def every_module() -> tuple[Module, ...]:
    """All Python files: source, tests, tools, benchmarks, examples and the two scripts."""
    python = [path for path in repository_files() if path.suffix == ".py"]
    return tuple(
        parsed(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in [*python, *(ROOT / name for name in SCRIPTS)]
    )


def source_modules() -> tuple[Module, ...]:
    """The modules of the package itself."""
    return tuple(module for module in every_module() if module.name.startswith("src/parley/"))


@cache
def repository_files() -> tuple[Path, ...]:
    """Every file that could be committed, in order."""
    return tuple(sorted(_walk(ROOT)))


def parsed(name: str, text: str) -> Module:
    """The module that this text would be under that name."""
    return Module(name, tuple(text.splitlines()), ast.parse(text, filename=name))


def functions(module: Module) -> Iterator[tuple[str, Function]]:
    """All functions and methods with their dotted names, nested ones too."""
    yield from _named(module.tree, "", (ast.FunctionDef, ast.AsyncFunctionDef))


def classes(module: Module) -> Iterator[tuple[str, ast.ClassDef]]:
    """All classes with their dotted names."""
    yield from _named(module.tree, "", (ast.ClassDef,))


def _named(
    node: ast.AST, prefix: str, kinds: tuple[type[ast.AST], ...]
) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{prefix}{child.name}."
            if isinstance(child, kinds):
                yield f"{prefix}{child.name}", child
        yield from _named(child, inner, kinds)


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in _NOT_OURS or path.name.endswith((_CACHE_SUFFIX, ".egg-info")):
            continue
        if path.is_dir():
            if path.name != ".hypothesis":
                yield from _walk(path)
        elif path.name != "uv.lock" and not path.name.startswith(".coverage"):
            yield path
