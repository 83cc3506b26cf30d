"""Exceptions are caught and tasks are started in a few named places only."""

import ast
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.architecture.source_tree import (
    Module,
    every_module,
    functions,
    parsed,
    source_modules,
)

# Where everything may be caught, and how often: around the handler of a call and what follows its
# answer, around the handler of a notification (inline or awaited), around a turn that was
# cancelled, around a client's handler of events, around a tool of the coding agent (a tool with a
# defect costs its call and not the session), around an MCP server (which costs its tools and not
# the session), and at the top of the command line.
CATCHES_EVERYTHING = Counter(
    {
        "src/parley/rpc/calls.py": 2,
        "src/parley/rpc/connection.py": 3,
        "src/parley/protocol/hosted.py": 1,
        "src/parley/sdk/client_role.py": 3,
        "src/parley/coder/calls.py": 1,
        "src/parley/coder/mcp/servers.py": 1,
        "src/parley/cli/main.py": 1,
    }
)
# Where a task may be started outside a task group: the driver of a connection and its calls, the
# block of tasks that an author's own code runs in, and what the coding agent does beside requests.
STARTS_TASKS = {
    "src/parley/rpc/calls.py",
    "src/parley/rpc/connection.py",
    "src/parley/sdk/tasks.py",
    "src/parley/coder/background.py",
}


def test_everything_is_caught_in_the_named_places_only() -> None:
    found = Counter(name for module in source_modules() for name in _catches(module))
    assert found - CATCHES_EVERYTHING == Counter()


def test_a_task_is_started_in_a_task_group_or_in_the_connection_driver() -> None:
    found = [
        place
        for module in source_modules()
        if module.name not in STARTS_TASKS
        for place in _bare_tasks(module)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "try: pass\nexcept Exception: pass",
        "try: pass\nexcept (ValueError, BaseException): pass",
        "try: pass\nexcept: pass",
        "with contextlib.suppress(Exception): pass",
    ],
)
def test_each_way_of_catching_everything_is_seen(text: str) -> None:
    assert list(_catches(parsed("src/parley/x.py", text))) == ["src/parley/x.py"]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("asyncio.create_task(work())", True),
        ("asyncio.ensure_future(work())", True),
        ("loop.create_task(work())", True),
        ("create_task(work())", True),
        ("async def f():\n async with TaskGroup() as group: group.create_task(work())", False),
    ],
)
def test_each_way_of_starting_a_bare_task_is_seen(text: str, seen: bool) -> None:
    assert bool(list(_bare_tasks(parsed("src/parley/x.py", text)))) is seen


def test_every_module_that_does_something_has_its_tests_at_the_same_path() -> None:
    present = {module.name for module in every_module()}
    wanted = {_test_of(module.name) for module in source_modules() if _does_something(module)}
    assert wanted - present == set()


def _catches(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler) and _is_everything(node.type):
            yield module.name
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            yield from (module.name for argument in node.args if _is_everything(argument))


def _is_everything(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(ast.unparse(name) in ("Exception", "BaseException") for name in names)


def _bare_tasks(module: Module) -> Iterator[str]:
    groups = {
        ast.unparse(item.optional_vars)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.AsyncWith)
        for item in node.items
        if item.optional_vars and ast.unparse(item.context_expr).endswith("TaskGroup()")
    }
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        receiver, _, method = called.rpartition(".")
        if method == "ensure_future" or (method == "create_task" and receiver not in groups):
            yield f"{module.name}:{node.lineno} {called}"


def _does_something(module: Module) -> bool:
    """Whether there is a function with a body: data and interfaces alone have nothing to test."""
    if module.generated or module.name.endswith("/__init__.py"):
        return False
    return any(not _is_stub(function.body) for _, function in functions(module))


def _is_stub(body: list[ast.stmt]) -> bool:
    return all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in body)


def _test_of(name: str) -> str:
    folder, _, file = name.removeprefix("src/parley/").rpartition("/")
    return "/".join(part for part in ("tests", folder, f"test_{file}") if part)
