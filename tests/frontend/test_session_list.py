"""Sessions in a table, and found by a part of their ids."""

from datetime import UTC, datetime, timedelta

import pytest

from parley.errors import ConfigError
from parley.frontend.session_list import age, moment, older, session_named, short_names, table
from parley.session.role import SessionInfo
from tests.frontend.tricks import TRICKS, leaked

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def session(id_: str, **before: int) -> SessionInfo:
    when = (NOW - timedelta(**before)).isoformat()
    return SessionInfo(id_, "/project", f"about {id_[:4]}", when)


ALL = [session("abcdefgh1"), session("abcdefgh2"), session("-dashed-id"), session("ab")]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("abcdefgh1", "abcdefgh1"),
        ("dash", "-dashed-id"),
        ("-dash", "-dashed-id"),
        ("-dashed-id", "-dashed-id"),
        ("ab", "ab"),
    ],
)
def test_a_session_is_found_by_its_id_or_its_beginning(name: str, found: str) -> None:
    assert session_named(ALL, name).session_id == found


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("abcdefgh", "is the beginning of 2 ids\nhint: write more of it: abcdefgh1, abcdefgh2"),
        ("nothing", "is the id of no session\nhint: `parley sessions --all` lists them"),
        ("das", "is the id of no session; write at least 4 characters of it"),
        ("", "is the id of no session; write at least 4 characters of it"),
        ("----", "is the id of no session; write at least 4 characters of it"),
    ],
)
def test_a_name_that_is_not_clear_names_nothing(name: str, problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        session_named(ALL, name)
    assert problem in str(raised.value)


def test_short_names_differ() -> None:
    assert short_names(ALL) == {
        "abcdefgh1": "abcdefgh1",
        "abcdefgh2": "abcdefgh2",
        "-dashed-id": "dashed-id",
        "ab": "ab",
    }
    assert short_names([session("abcdefghijk"), session("---")]) == {
        "abcdefghijk": "abcdefgh",
        "---": "---",
    }
    assert short_names([]) == {}


def test_the_table_says_when_and_where() -> None:
    sessions = [
        session("aaaaaaaa", seconds=5),
        session("bbbbbbbb", minutes=5),
        session("cccccccc", hours=5),
        session("dddddddd", days=5),
        session("eeeeeeee", days=50),
        SessionInfo("ffffffff", "/elsewhere", None, "some time ago"),
    ]
    names = short_names(sessions)
    lines = table(sessions, NOW, names=names, folders=True)
    assert [line.split("  ")[0] for line in lines] == ["ID", *names.values()]
    assert lines[0].split() == ["ID", "CHANGED", "FOLDER", "TITLE"]
    assert lines[1] == "aaaaaaaa  now         /project    about aaaa"
    assert [line[10:20].strip() for line in lines[2:]] == [
        "5 min ago",
        "5 h ago",
        "5 d ago",
        "2026-04-12",
        "?",
    ]
    assert lines[-1].endswith("/elsewhere  (no title)")
    narrow = table(sessions, NOW, names=names, folders=False, width=24)
    assert narrow[1] == "aaaaaaaa  now         a…"


def test_time_spans_are_read_as_people_write_them() -> None:
    assert [age(text) for text in ("12h", "30d", "2w")] == [
        timedelta(hours=12),
        timedelta(days=30),
        timedelta(days=14),
    ]
    for text in ("", "30", "d", "-1d", "1m", "1.5d", "999999d"):
        with pytest.raises(ValueError, match="no time span"):
            age(text)


def test_a_time_without_a_zone_is_that_of_the_world() -> None:
    assert moment("2026-06-01T12:00:00") == NOW
    assert moment("2026-06-01T14:00:00+02:00") == NOW
    assert moment(None) is None


def test_only_what_is_known_to_be_old_is_old() -> None:
    unknown = SessionInfo("xxxxxxxx", "/", None, None)
    old, new = session("oooooooo", days=31), session("nnnnnnnn", days=29)
    assert older([old, new, unknown], NOW - timedelta(days=30)) == [old]


def test_no_trick_of_an_agent_reaches_the_terminal() -> None:
    sessions = [
        SessionInfo(f"{at}{each.text}", each.text, each.text) for at, each in enumerate(TRICKS)
    ]
    shown = "\n".join(table(sessions, NOW, names=short_names(sessions), folders=True))
    assert leaked(shown) == []
    assert shown.count("\n") == len(TRICKS)
