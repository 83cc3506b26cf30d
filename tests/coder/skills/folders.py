"""Folders with skills for tests."""

from pathlib import Path


def add_skill(
    place: Path, name: str, body: str = "Do it.", description: str = "", **files: str
) -> Path:
    """Make a skill; further files by their names, with `_` for the dot."""
    folder = place / name
    folder.mkdir(parents=True)
    said = description or f"Does {name}."
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {said}\n---\n{body}\n")
    for file, text in files.items():
        (folder / file.replace("_", ".")).write_text(text)
    return folder
