"""An editor starts an agent per window, so start-up must not pay for what it does not use."""

import importlib.util
import subprocess
import sys

import pytest

HEAVY = ("acp", "httpx", "httpx2", "mcp", "pydantic", "starlette", "textual")
# What an agent on stdio needs before it can answer `initialize`.
AGENT = ("parley.transport.stdio", "parley.rpc.connection", "parley.schema.v1")


@pytest.mark.parametrize("module", ["parley", "parley.cli.main", *AGENT])
def test_importing_what_a_start_needs_imports_nothing_heavy(module: str) -> None:
    assert importlib.util.find_spec(module) is not None
    loaded = _loaded_after(f"import {module}")
    assert {name for name in loaded if name.split(".")[0] in HEAVY} == set()


def test_importing_the_root_imports_nothing_but_itself() -> None:
    loaded = _loaded_after("import parley")
    assert {name for name in loaded if name.split(".")[0] in ("parley", "asyncio", "msgspec")} == {
        "parley"
    }


def test_importing_the_command_line_imports_no_event_loop() -> None:
    assert "asyncio" not in _loaded_after("import parley.cli.main")


def _loaded_after(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    return set(finished.stdout.split())
