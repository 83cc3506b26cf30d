"""The requirements of the protocol as data: one entry for each, in a file for each topic.

Owns reading the files beside it. It knows no implementation and no test; what proves a
requirement about this library is written down with its tests.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Level = Literal["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"]
Side = Literal["agent", "client", "both"]

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Requirement:
    """One thing that a side owes the other."""

    id: str
    level: Level
    side: Side
    versions: tuple[int, ...]
    text: str
    topic: str
    """The file it stands in, for instance `v1_turn`."""
    reference: bool = False
    """Whether no page says it and peers rely on it all the same."""
    unstable: bool = False
    """Whether it holds only where the unstable part is spoken."""

    @property
    def binding(self) -> bool:
        """Whether nobody may do otherwise."""
        return self.level in ("MUST", "MUST NOT")


@cache
def all_requirements() -> tuple[Requirement, ...]:
    """Every requirement, in the order of the topics and of their files."""
    return tuple(each for file in sorted(FOLDER.glob("*.toml")) for each in _read(file))


def _read(file: Path) -> list[Requirement]:
    entries: dict[str, dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return [
        Requirement(
            id=id,
            level=entry["level"],
            side=entry["side"],
            versions=tuple(entry["versions"]),
            text=entry["text"],
            topic=file.stem,
            reference=entry.get("reference", False),
            unstable=entry.get("unstable", False),
        )
        for id, entry in entries.items()
    ]
