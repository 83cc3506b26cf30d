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
INSTALL = ("install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock")
INSTALL_SECONDS = 300.0


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
    done = subprocess.run(
        [npm, *INSTALL],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        check=False,
    )
    if done.returncode != 0 or not _installed():
        pytest.fail(
            f"npm could not install the packages of {FOLDER / 'package.json'}; "
            f"it needs a registry that it can reach:\n{done.stdout}\n{done.stderr}",
            pytrace=False,
        )
