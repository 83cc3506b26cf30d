"""Changes one value in the user's configuration file, and nothing else in it.

It works on the text, so that comments and order stay, and checks the result by reading it.
"""

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from parley.coder.private_folder import make_private
from parley.errors import ConfigError


def with_provider_key(text: str, provider: str, name: str, value: str | bool) -> str:
    """The text of a file with one value of a provider's table set, and all else as it was.

    Raises:
        ValueError: the file is written in a way in which that cannot be done safely.
    """
    line = f"{name} = {json.dumps(value)}"
    header = re.compile(
        rf"\s*\[\s*providers\s*\.\s*(?:{provider}|[\"']{provider}[\"'])\s*\]\s*(#.*)?"
    )
    lines = text.splitlines()
    at = next((number for number, each in enumerate(lines) if header.fullmatch(each)), None)
    if at is None:
        gap = [""] if lines and lines[-1].strip() else []
        lines += [*gap, f"[providers.{provider}]", line]
    else:
        end = next(
            (n for n in range(at + 1, len(lines)) if lines[n].lstrip()[:1] == "["), len(lines)
        )
        old = re.compile(rf"\s*{name}\s*=")
        lines[at + 1 : end] = [line, *(each for each in lines[at + 1 : end] if not old.match(each))]
    changed = "\n".join(lines) + "\n"
    # Whatever strange but legal form the file has: either just this value changes, or nothing.
    wanted = tomllib.loads(text)
    wanted.setdefault("providers", {}).setdefault(provider, {})[name] = value
    if tomllib.loads(changed) != wanted:
        raise ValueError("the table cannot be found")
    return changed


def store_in_file(path: Path, provider: str, values: Mapping[str, str | bool]) -> None:
    """Set values of a provider's table; the file is private and whole at every moment.

    Raises:
        ConfigError: it cannot be changed, and is as it was.
    """
    key = f"providers.{provider}"
    hint = "correct the file, or write the key into it yourself"
    # A link, for instance into a folder of dot files, stays one.
    place = Path(os.path.realpath(path))
    try:
        make_private(place.parent)
        text = place.read_text("utf-8") if place.exists() else ""
        for name, value in values.items():
            text = with_provider_key(text, provider, name, value)
        _replace(place, text)
    except OSError as error:
        raise ConfigError(str(path), key, f"cannot be written: {error.strerror}", hint) from error
    except ValueError as error:
        raise ConfigError(str(path), key, f"cannot be added: {error}", hint) from error


def _replace(place: Path, text: str) -> None:
    # A file of this kind is 0600 from the start, whatever the umask.
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, place)
    finally:
        # It is there only if something went wrong.
        with suppress(OSError):
            os.unlink(name)
