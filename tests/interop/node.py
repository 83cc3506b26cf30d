"""Node and the packages of the official TypeScript SDK, installed once per checkout.

A test that needs them is skipped only where there is no node. Packages that cannot be installed
are a failure with the output of npm.
"""

import json
import shutil
import subprocess
from functools import cache

import pytest

from tests.interop.bounds import HERE

FOLDER = HERE / "typescript"
INSTALL = (
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--no-package-lock",  # It would name the host of a registry.
    "--fetch-retries=1",
)
INSTALL_SECONDS = 50.0
"""Less than a test may take, so that a registry out of reach is named and not only waited for."""


@cache
def node() -> str:
    """The path of node; the packages are there when this returns."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        pytest.skip("there is no `node` with `npm` on the path: install Node.js 20 or newer")
    if not _installed():
        _install(npm)
    return program


def script(name: str, *arguments: str) -> list[str]:
    """The command line of one of our programs for node."""
    return [node(), str(FOLDER / name), *arguments]


def _installed() -> bool:
    wanted = json.loads((FOLDER / "package.json").read_text())["dependencies"]
    return all(_version(name) == version for name, version in wanted.items())


def _version(package: str) -> str | None:
    try:
        about = (FOLDER / "node_modules" / package / "package.json").read_text()
    except FileNotFoundError:
        return None
    version: str = json.loads(about)["version"]
    return version


def _install(npm: str) -> None:
    try:
        done = subprocess.run(
            [npm, *INSTALL],
            cwd=FOLDER,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
        )
        told = done.stdout
    except subprocess.TimeoutExpired:
        told = f"it took more than {INSTALL_SECONDS:.0f} seconds"
    if not _installed():
        pytest.fail(
            f"`npm install` failed in {FOLDER}; it needs a registry that it can reach\n{told}",
            pytrace=False,
        )
