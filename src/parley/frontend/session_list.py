"""Many sessions: a table of them, short names for them, and finding one by such a name. Pure."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from parley.errors import ConfigError
from parley.frontend.visible import cells, one_line
from parley.session.role import SessionInfo

FEWEST_CHARACTERS = 4
"""A shorter beginning of an id names no session, so that a slip of the finger does not either."""
_SHORT = 8
_SHOWN_MATCHES = 5
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AGE = re.compile(r"(\d{1,5})([hdw])")


def session_named(sessions: Sequence[SessionInfo], name: str) -> SessionInfo:
    """The session with this id, or the only one whose id begins like this.

    Dashes in front may be left out, since a command line takes them for an option.

    Raises:
        ConfigError: none is meant, or more than one may be.
    """
    exact = [each for each in sessions if each.session_id == name]
    if exact:
        return exact[0]
    bare = name.lstrip("-")
    found: list[SessionInfo] = []
    if len(bare) >= FEWEST_CHARACTERS:
        found = [each for each in sessions if _bare(each).startswith(bare)]
    match found:
        case [one]:
            return one
        case []:
            few = f"; write at least {FEWEST_CHARACTERS} characters of it"
            problem = "is the id of no session" + (few if len(bare) < FEWEST_CHARACTERS else "")
            hint = "`parley sessions --all` lists them"
        case _:
            problem = f"is the beginning of {len(found)} ids"
            some = ", ".join(_bare(each) for each in found[:_SHOWN_MATCHES])
            hint = f"write more of it: {some}"
    raise ConfigError("the command line", one_line(name, 70), problem, one_line(hint))


def short_names(sessions: Iterable[SessionInfo]) -> dict[str, str]:
    """By id the shortest beginnings that all differ, without dashes in front."""
    bare = {each.session_id: _bare(each) for each in sessions}
    size = _SHORT
    longest = max(map(len, bare.values()), default=0)
    while size < longest and len({text[:size] for text in bare.values()}) < len(bare):
        size += 1
    # An id of dashes alone has no other name.
    return {id_: text[:size] or id_ for id_, text in bare.items()}


def table(
    sessions: Sequence[SessionInfo],
    now: datetime,
    *,
    names: dict[str, str],
    folders: bool,
    width: int | None = None,
) -> list[str]:
    """The sessions as lines; `folders` says whether to show where each one works."""
    head = ("ID", "CHANGED", "TITLE", "FOLDER")
    rows = [head, *(_row(each, names, now) for each in sessions)]
    columns = (0, 1, 3, 2) if folders else (0, 1, 2)
    widths = {at: max(cells(row[at]) for row in rows) for at in columns}
    lines: list[str] = []
    for row in rows:
        padded = [row[at] + " " * (widths[at] - cells(row[at])) for at in columns]
        lines.append(one_line("  ".join(padded).rstrip(), width))
    return lines


def age(text: str) -> timedelta:
    """A time span as a person writes it: 12h, 30d, 2w.

    Raises:
        ValueError: it is none.
    """
    found = _AGE.fullmatch(text)
    if found is None:
        raise ValueError(f"`{text}` is no time span\nhint: write for instance 12h, 30d or 2w")
    return int(found[1]) * _UNITS[found[2]]


def moment(text: str | None) -> datetime | None:
    """The time that an agent wrote, if it can be read."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def older(sessions: Iterable[SessionInfo], than: datetime) -> list[SessionInfo]:
    """Those that were last changed before a moment; one that does not say when is left out."""
    return [each for each in sessions if (when := moment(each.updated_at)) and when < than]


def _row(session: SessionInfo, names: dict[str, str], now: datetime) -> tuple[str, str, str, str]:
    return (
        one_line(names[session.session_id], 40),
        _when(session, now),
        one_line(session.title or "(no title)", 70),
        one_line(session.cwd),
    )


def _when(session: SessionInfo, now: datetime) -> str:
    when = moment(session.updated_at)
    if when is None:
        return "?"
    seconds = (now - when).total_seconds()
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            count = int(seconds // size)
            return (
                f"{when.astimezone():%Y-%m-%d}"
                if unit == "d" and count > 30
                else f"{count} {unit} ago"
            )
    return "now"


def _bare(session: SessionInfo) -> str:
    return session.session_id.lstrip("-")
