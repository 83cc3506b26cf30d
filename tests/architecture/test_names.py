"""Names say what a thing is, imports stand at the top, and every module introduces itself."""

import ast
import re
from pathlib import PurePosixPath

import parley
from tests.architecture.source_tree import Module, classes, every_module, functions, source_modules

BANNED = {"utils", "util", "helpers", "helper", "common", "core", "manager", "service", "misc"}
BANNED_SUFFIXES = ("Manager", "Service", "Helper", "Utils", "Impl")
BANNED_PREFIX = "Abstract"


def test_no_module_has_a_name_that_says_nothing() -> None:
    parts = {part: m.name for m in every_module() for part in PurePosixPath(m.name).parts}
    assert {name for part, name in parts.items() if part.removesuffix(".py") in BANNED} == set()


def test_no_class_has_a_name_that_says_nothing() -> None:
    found = [
        f"{module.name}::{name}"
        for module in source_modules()
        for name, each in classes(module)
        if each.name.endswith(BANNED_SUFFIXES) or each.name.startswith(BANNED_PREFIX)
    ]
    assert found == []


def test_only_the_schema_package_has_a_base_module() -> None:
    named = [m.name for m in source_modules() if m.name.endswith("/base.py")]
    assert [name for name in named if name != "src/parley/schema/base.py"] == []


def test_every_module_opens_with_a_docstring() -> None:
    found = [
        module.name
        for module in every_module()
        if not module.empty and ast.get_docstring(module.tree) is None
    ]
    assert found == []


def test_no_import_is_relative() -> None:
    found = [
        f"{module.name}:{node.lineno}"
        for module in every_module()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert found == []


def test_an_import_inside_a_function_gives_its_reason() -> None:
    found = {
        f"{module.name}:{node.lineno}"
        for module in every_module()
        for _, function in functions(module)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and not _has_reason(module, node.lineno)
    }
    assert found == set()


def test_the_public_names_are_a_decision() -> None:
    assert sorted(parley.__all__) == [
        "AcpError",
        "Agent",
        "AgentConnection",
        "Client",
        "Decision",
        "Ending",
        "RemoteSession",
        "RemoteTurn",
        "RpcError",
        "Session",
        "Settings",
        "ToolCall",
        "Turn",
        "__version__",
        "connect",
        "testing",
    ]
    assert [name for name in parley.__all__ if not hasattr(parley, name)] == []


def _has_reason(module: Module, line: int) -> bool:
    """Whether a comment with words stands on the line or on the one before; a `noqa` is none."""
    around = module.lines[max(line - 2, 0) : line]
    comments = [text.split("#", 1)[1] for text in around if "#" in text]
    return any(re.search(r"\w", re.sub(r"noqa:?[\w, ]*", "", text)) for text in comments)
