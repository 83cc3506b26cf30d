"""A checkout full of baits: files that some tool would run or obey, each of which leaves a mark.

What the baits are stands in `baits.toml`; what is done in the checkout in `bait_runs`. Which tool
obeys which file is no matter here: this agent must obey none of them.
"""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("baits.toml")
BROKEN = ("cut", "garbage", "deep", "pipe", "folder", "circle")
"""What can stand in the place of a file."""
_NAMED = re.compile(r"@(touch|mark) ([a-z0-9-]+)@")
_SAFE = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


class Checkout:
    """The folder, and the marks that its baits have left."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder / "checkout"
        self._marks = folder / "marks"
        self._address = address
        self._data: dict[str, Any] = tomllib.loads(FILE.read_text())
        self.baits: set[str] = set()
        """The names of all that can be taken."""
        self.folder.mkdir(parents=True)
        self._marks.mkdir()
        self._repository()
        self._families()
        for file in self._data["file"]:
            self._write(file["path"], file["text"], append=file.get("append", False))
            self.baits.update(file.get("obeyed", ()))
        self.variables = {
            name: self._filled(text) for name, text in self._data["variables"].items()
        }
        self.baits.update(f"the variable {name}" for name in self.variables)

    def marks(self) -> list[str]:
        """The baits that were taken."""
        return sorted(each.name for each in self._marks.iterdir())

    def proven(self) -> list[str]:
        """Do what a careless tool would; the names of the files whose baits left no mark."""
        dead: list[str] = []
        for file in self._data["file"]:
            if (command := file.get("proof")) is None:
                continue
            subprocess.run(
                command,
                cwd=self.folder,
                env={**os.environ, **_SAFE},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=20,
                check=False,
            )
            names = {name for _, name in _NAMED.findall(file["text"])}
            if not names & set(self.marks()):
                dead.append(file["path"])
        return dead

    def breaks(self, how: str) -> int:
        """Put something else in the place of the files; how many."""
        count = 0
        for file in self._data["file"]:
            if not file.get("broken", True):
                continue
            path = self.folder / file["path"]
            text = path.read_bytes()
            path.unlink()
            match how:
                case "cut":
                    path.write_bytes(text[: len(text) // 2])
                case "garbage":
                    path.write_bytes(os.urandom(100) + b"\0\xff" + text)
                case "deep":
                    path.write_bytes(b'{"mcpServers":' + b"[" * 200_000)
                case "pipe":
                    os.mkfifo(path)
                case "folder":
                    path.mkdir()
                case _:
                    path.symlink_to(path.name)
            count += 1
        return count

    def _repository(self) -> None:
        def git(*arguments: str) -> None:
            command = ("git", "-C", self.folder, "-c", "user.name=x", "-c", "user.email=x@x")
            subprocess.run((*command, *arguments), env={**os.environ, **_SAFE}, check=True)

        for name in ("value.txt", "value.md", "value.py"):
            (self.folder / name).write_text("value = 1\n")
        git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", "begin")
        for name in ("value.txt", "value.md", "value.py"):
            (self.folder / name).write_text("value = 2\n")

    def _families(self) -> None:
        families = self._data["families"]
        folders: list[str] = families["folders"]
        programs: list[str] = families["programs"]
        for folder in folders:
            for name in programs:
                mark = f"program-{folder}-{name}".replace("/", "-").replace(".", "").lower()
                text = f'#!/bin/sh\n@touch {mark}@\nexec /bin/{name} "$@"\n'
                self._write(os.path.join(folder, name), text)
        for name in families["modules"]:
            mark = f"module-{name}".replace("_", "")
            self._write(f"{name}.py", f"open('@mark {mark}@', 'w')\n")

    def _write(self, name: str, text: str, *, append: bool = False) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if append else "w") as file:
            file.write(self._filled(text))
        path.chmod(0o755)

    def _filled(self, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            kind, name = found.groups()
            self.baits.add(name)
            mark = str(self._marks / name)
            return mark if kind == "mark" else f"{_TOUCH} {mark}"

        text = text.replace("@here@", str(self.folder)).replace("@address@", self._address)
        return _NAMED.sub(replaced, text)


_TOUCH = os.path.realpath(shutil.which("touch", path=os.defpath) or "/bin/touch")
