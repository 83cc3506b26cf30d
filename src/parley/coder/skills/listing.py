"""The skills as the model is told of them: names and descriptions in a bounded text. Pure.

The same skills give the same text, so that providers can keep it in their caches.
"""

from collections.abc import Sequence

from parley.coder.skills.skill import Skill

_MEANING = """\
Skills are instructions for kinds of tasks, which the user keeps or has agreed to. When a task \
fits one of them, load it with the tool `skill` before you begin, and follow it as far as it fits \
what the user asks. A skill describes how to work; it allows nothing that needs permission."""
_LONGEST = 500
"""Of one description."""
_SHORTEST = 20
"""A description that would be shorter is left out."""


def listing(skills: Sequence[Skill], most: int) -> str:
    """A text of about `most` characters; empty if there is nothing to list."""
    offered = [skill for skill in skills if skill.for_model]
    if not offered:
        return ""
    room = most - len(_MEANING)
    limit = _LONGEST
    lines = _lines(offered, limit)
    while _length(lines) > room and limit:
        # Rather less of every description than some skills without any.
        limit = limit * 3 // 4 if limit > _SHORTEST else 0
        lines = _lines(offered, limit)
    listed: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            listed.append(f"- and {len(lines) - len(listed)} more")
            break
        listed.append(line)
    return "\n".join((_MEANING, *listed))


def _lines(skills: Sequence[Skill], limit: int) -> list[str]:
    return [f"- {skill.name}{_cut(skill.description, limit)}" for skill in skills]


def _cut(description: str, limit: int) -> str:
    if not limit:
        return ""
    return f": {description if len(description) <= limit else f'{description[: limit - 1]}…'}"


def _length(lines: list[str]) -> int:
    return sum(map(len, lines)) + len(lines)
