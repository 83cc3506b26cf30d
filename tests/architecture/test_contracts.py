"""The import contracts hold, and each of them sees the violation it is there for.

A contract that nobody has seen broken may as well be empty. So every planted import below is put
into a copy of the source, alone, and the contract that must complain is named beside it.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

# All plants are tried by the first test that runs.
pytestmark = pytest.mark.timeout(120)

LAYERS = "Layers"
CYCLES = "No cycles"
V1 = "v1 is named only in v1 files"
V2 = "v2 is named only in v2 files"
VERSIONS = "Versions of the schema do not know each other"
WIRE = "Agent and front ends do not speak the wire"
PURE = "Pure modules do no I/O"
OUTSIDE = "The kit judges from outside"


@dataclass(frozen=True)
class Plant:
    """One import that must not be there."""

    file: str
    line: str
    contract: str
    also: str = ""
    """A file that is needed beside it, since the import of a missing module is no violation."""


PLANTS = [
    Plant("errors.py", "import parley.rpc.transport", LAYERS),
    Plant("schema/__init__.py", "import parley.rpc.transport", LAYERS),
    Plant("rpc/message.py", "import parley.schema", LAYERS),
    Plant("session/__init__.py", "import parley.schema", LAYERS),
    Plant("rpc/connection.py", "import parley.transport.memory", LAYERS),
    Plant("rpc/peer.py", "import parley.protocol", LAYERS),
    Plant("schema/base.py", "import parley.session", LAYERS),
    Plant("transport/stdio.py", "import parley.protocol", LAYERS),
    Plant("protocol/__init__.py", "import parley.transport.stdio", LAYERS),
    Plant("protocol/__init__.py", "import parley.conformance", LAYERS),
    Plant("conformance/__init__.py", "import parley.cli.main", LAYERS),
    Plant("coder/loop.py", "import parley.transport.stdio", LAYERS),
    Plant("transport/stdio.py", "import parley.coder", LAYERS, also="coder/__init__.py"),
    Plant("sdk/agent.py", "import parley.client", LAYERS, also="client/__init__.py"),
    Plant("frontend/headless.py", "import parley.conformance", LAYERS),
    Plant("utils/__init__.py", "import json", LAYERS),
    Plant("rpc/message.py", "import parley.rpc.peer", CYCLES),
    Plant("transport/lines.py", "import parley.transport.inflow", CYCLES),
    Plant("protocol/endpoint.py", "import parley.schema.v1", V1),
    Plant("protocol/v2/updates.py", "from parley.schema.v1 import content", V1),
    Plant("transport/stdio.py", "import parley.schema.v1.methods", V1),
    Plant("protocol/negotiation.py", "import parley.schema.v2", V2),
    Plant("protocol/v1/updates.py", "from parley.schema import v2", V2),
    Plant("schema/v1/content.py", "import parley.schema.v2.content", VERSIONS),
    Plant("coder/loop.py", "import parley.rpc.connection", WIRE),
    Plant("coder/loop.py", "import parley.schema.base", WIRE),
    Plant("frontend/headless.py", "import parley.protocol", WIRE),
    Plant("errors.py", "import asyncio", PURE),
    Plant("session/__init__.py", "import asyncio", PURE),
    Plant("schema/base.py", "import os", PURE),
    Plant("rpc/message.py", "import socket", PURE),
    Plant("rpc/peer.py", "import time", PURE),
    Plant("rpc/transport.py", "from asyncio import Future", PURE),
    Plant("transport/lines.py", "import subprocess", PURE),
    Plant("conformance/player_script.py", "import asyncio", PURE),
    Plant("conformance/player.py", "import parley.testing", LAYERS),
    Plant("sdk/agent.py", "import parley.conformance.player", LAYERS),
    Plant("conformance/player.py", "import parley.coder.loop", OUTSIDE, also="coder/loop.py"),
    Plant("conformance/player.py", "import parley.client.asking", OUTSIDE, also="client/asking.py"),
]

# Lints the tree as it is and then once per plant, in one process: starting the linter is what
# takes the time. It prints the broken contracts of each run as a list of lists.
LINTER = """
import contextlib, io, json, pathlib, shutil, sys
from importlinter.cli import lint_imports

def broken():
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        failed = lint_imports(no_cache=True, no_logo=True)
    lines = shown.getvalue().splitlines()
    names = [line[:-7] for line in lines if line.endswith(" BROKEN")]
    return names if names or not failed else ["the linter itself: " + shown.getvalue()]

def made(file):
    # The file, and what was made for it.
    path = pathlib.Path("parley", file)
    folders = [folder for folder in path.parents if folder.name]
    new = [each for each in folders if not each.exists()][-1:]
    path.parent.mkdir(parents=True, exist_ok=True)
    files = [path, *(folder / "__init__.py" for folder in folders)]
    new += [each for each in files if not each.exists()]
    for each in files:
        each.touch()
    return path, new

def planted(file, line, also):
    new = made(also)[1] if also else []
    path, more = made(file)
    text = path.read_text()
    path.write_text(text + "\\n" + line + "\\n")
    found = broken()
    path.write_text(text)
    for each in (*new, *more):
        shutil.rmtree(each) if each.is_dir() else each.unlink(missing_ok=True)
    return found

clean = broken()
plants = [planted(*plant) for plant in json.load(sys.stdin)]
assert broken() == clean, "a plant was left behind"
print(json.dumps([clean, *plants]))
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The contracts broken in the clean tree, then those broken by each plant, in order."""
    folder = tmp_path_factory.mktemp("contracts")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "parley", folder / "parley", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return _lint(folder)


def test_the_source_keeps_every_contract(broken: list[list[str]]) -> None:
    assert broken[0] == []


@pytest.mark.parametrize(
    ("number", "plant"),
    list(enumerate(PLANTS, 1)),
    ids=[f"{plant.line} in {plant.file}" for plant in PLANTS],
)
def test_a_planted_violation_is_caught(broken: list[list[str]], number: int, plant: Plant) -> None:
    assert plant.contract in broken[number]


def _lint(folder: Path) -> list[list[str]]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    finished = subprocess.run(
        [sys.executable, "-B", "-c", LINTER],
        input=json.dumps([(plant.file, plant.line, plant.also) for plant in PLANTS]),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=True,
    )
    return json.loads(finished.stdout)
