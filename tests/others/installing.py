"""Installs the agents of others by name, each into a folder of its own, once per version.

Scripts of packages are not run: what an agent needs beside its files is not ours to start.
"""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.others.strangers import Stranger

SECONDS = 600.0
_DONE = ".installed"
_NPM = (
    *("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"),
    *("--fetch-retries=1", "--prefix", "."),
)
_PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
_PROGRAMS = Path(__file__).parent.parent / "interop" / "typescript"


class CannotInstall(Exception):
    """What the installer said."""


def install(stranger: Stranger, cache: Path) -> Path:
    """The folder with its packages, which are fetched if they are not there.

    Raises:
        CannotInstall: no installer, no network, or no such version.
    """
    folder = cache / f"{stranger.name}-{stranger.version}"
    if not (folder / _DONE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if stranger.registry == "npm":
            # Without it npm would look for a project in the folders above.
            (folder / "package.json").write_text('{"private": true}\n')
            _run([*_NPM, *stranger.packages], folder)
        else:
            _install_python(stranger, folder)
        (folder / _DONE).touch()
    for program in _PROGRAMS.glob("*.mjs") if stranger.registry == "npm" else ():
        shutil.copy(program, folder)
    return folder


def _install_python(stranger: Stranger, folder: Path) -> None:
    _run([*_PIP, "install", "--target", "packages", *stranger.packages], folder)
    if not stranger.source:
        return
    archive = ("--no-deps", "--no-binary", ":all:", "--dest", ".")
    _run([*_PIP, "download", *archive, stranger.packages[0]], folder)
    [found] = folder.glob("*.tar.gz")
    with tarfile.open(found) as tar:
        tar.extractall(folder, filter="data")
    found.with_suffix("").with_suffix("").rename(folder / "source")


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise CannotInstall(f"there is no `{command[0]}` on the path") from None
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"it took more than {SECONDS:.0f} seconds") from None
    if done.returncode != 0:
        raise CannotInstall(_last_words(done.stdout))


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "the installer failed and said nothing"
