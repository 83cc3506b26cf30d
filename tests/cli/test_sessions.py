"""`parley sessions` as a person sees it, on the store of our own agent."""

import asyncio
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parley.cli.main import main
from parley.coder.store.entry import Forgotten
from parley.coder.store.store import Store
from tests.cli.session_stage import FIRST, SECOND, enter, store
from tests.frontend.stories import one_turn, tricky
from tests.frontend.tricks import TRICKS, leaked

PARLEY = [sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())"]
DAY = 86400.0

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(tmp_path, monkeypatch)


def ids(capsys: Capture) -> list[str]:
    assert main(["sessions", "--all", "--json"]) == 0
    return [each["sessionId"] for each in json.loads(capsys.readouterr().out)]


def test_looking_makes_nothing(data: Path, capsys: Capture) -> None:
    assert main(["sessions"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err.startswith("no sessions in ")) == ("", True)
    assert main(["sessions", "--all", "--json"]) == 0
    assert capsys.readouterr().out == "[]\n"
    assert main(["sessions", "show", FIRST]) == 2
    assert "`First-session-0001` is the id of no session" in capsys.readouterr().err
    assert not data.exists()


def test_the_list_is_that_of_this_folder_unless_all_are_wanted(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd())
    store(data, SECOND, "/elsewhere", "Other")
    assert main(["sessions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["ID", "CHANGED", "TITLE"]
    assert [line.split()[0] for line in lines[1:]] == ["First-se"]
    assert main(["sessions", "list", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["Second-s", "First-se"]
    assert "/elsewhere" in lines[1]
    assert main(["sessions", "--cwd", "/elsewhere", "list", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["sessionId"], found["cwd"], found["title"]) == (SECOND, "/elsewhere", "Other")


def test_another_folder_of_data_can_be_named(data: Path, tmp_path: Path, capsys: Capture) -> None:
    store(tmp_path / "other", FIRST, Path.cwd())
    assert main(["sessions", "--data-dir", str(tmp_path / "other"), "list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 1
    assert main(["sessions", "show", "Firs", "--data-dir", str(tmp_path / "other")]) == 0


def test_a_session_is_shown_as_a_transcript(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd(), more=[Forgotten()])
    assert main(["sessions", "show", "First"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Mend the mean\nsession  First-session-0001\n")
    assert "\nyou\nMend it\n" in shown
    assert "\n✗ Run pytest\n    $ pytest (exit status 2)\n" in shown
    assert "\n-- the turn ended\n" in shown
    assert "\x1b" not in shown


def test_a_session_can_be_shown_while_another_process_has_it(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd())

    async def scenario() -> None:
        sessions = Store(data)
        log = await sessions.open(FIRST)
        await asyncio.to_thread(main, ["sessions", "show", FIRST])
        assert "Mend it" in capsys.readouterr().out
        assert await asyncio.to_thread(main, ["sessions", "delete", FIRST]) == 1
        assert "is in use by this process; close it there first" in capsys.readouterr().err
        assert not log.closed
        await sessions.aclose()

    asyncio.run(scenario())


def test_search_finds_text_in_any_case_and_says_where(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd())
    store(data, SECOND, "/elsewhere", "Other", events=one_turn()[:2])
    assert main(["sessions", "search", "MENDED"]) == 0
    assert capsys.readouterr().out == "First-se  Mend the mean\n    It is **mended**.\n"
    assert main(["sessions", "search", "mend"]) == 0
    shown = capsys.readouterr().out
    assert "Second-s  Other\n    Mend it\n" in shown
    assert "    ... 1 more\n" in shown
    assert main(["sessions", "search", "mend", "--cwd", "/elsewhere"]) == 0
    assert "First-se" not in capsys.readouterr().out
    assert main(["sessions", "search", "nowhere"]) == 1
    assert capsys.readouterr().err == "`nowhere` is in no session\n"


def test_a_long_line_is_shown_around_what_was_found(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd(), events=tricky("a" * 500 + "needle" + "b" * 500))
    assert main(["sessions", "search", "needle"]) == 0
    assert f"    ...{'a' * 33}needle{'b' * 60}…\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("format", "start", "part"),
    [
        ("markdown", "# Mend the mean\n", "> It is **mended**."),
        ("html", "<!doctype html>\n", "<p>It is **mended**.</p>"),
        ("json", '{\n  "session": {\n', '"speaker": "thought"'),
    ],
)
def test_a_session_is_exported(
    format: str, start: str, part: str, data: Path, tmp_path: Path, capsys: Capture
) -> None:
    store(data, FIRST, Path.cwd())
    assert main(["sessions", "export", FIRST, "--format", format]) == 0
    text = capsys.readouterr().out
    assert text.startswith(start)
    assert part in text
    file = tmp_path / "out"
    assert main(["sessions", "export", FIRST, "--format", format, "--output", str(file)]) == 0
    assert file.read_text() == text
    assert capsys.readouterr().out == ""


def test_json_has_the_events_of_the_session(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd())
    assert main(["sessions", "export", FIRST, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["session"]["sessionId"] == FIRST
    names = [each["event"] for each in found["events"]]
    assert (names[0], names[1], names[-1]) == ("state_changed", "message_changed", "state_changed")
    assert found["events"][-1] == {
        "event": "state_changed",
        "state": "idle",
        "stopReason": "end_turn",
    }


def test_a_file_that_cannot_be_written_is_a_message(
    data: Path, tmp_path: Path, capsys: Capture
) -> None:
    store(data, FIRST, Path.cwd())
    assert main(["sessions", "export", FIRST, "--output", str(tmp_path)]) == 2
    assert "`--output` cannot be written: Is a directory" in capsys.readouterr().err


def test_a_fork_has_the_same_story_and_an_id_of_its_own(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd())
    assert main(["sessions", "fork", FIRST]) == 0
    shown = capsys.readouterr()
    forked = shown.out.strip()
    assert f'parley run --session={forked} "..."' in shown.err
    assert ids(capsys) == [forked, FIRST]
    assert main(["sessions", "show", forked]) == 0
    assert "Mend it" in capsys.readouterr().out


def test_nothing_is_deleted_unless_every_id_is_clear(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd())
    store(data, SECOND, Path.cwd())
    assert main(["sessions", "delete", "First", "Third"]) == 2
    assert ids(capsys) == [SECOND, FIRST]
    assert main(["sessions", "delete", "First", "Second"]) == 0
    assert capsys.readouterr().err == (
        f"deleted {FIRST}  Mend the mean\ndeleted {SECOND}  Mend the mean\n"
    )
    assert ids(capsys) == []


def test_prune_says_what_it_would_do_and_does_it_only_if_told(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd(), time=time.time() - 31 * DAY)
    store(data, SECOND, Path.cwd())
    assert main(["sessions", "prune", "--older-than", "90d"]) == 0
    assert capsys.readouterr().err == "no session is that old\n"
    assert main(["sessions", "prune", "--older-than", "30d"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "to be deleted: 1\nnothing was deleted; --yes deletes them\n"
    assert [line.split()[0] for line in shown.out.splitlines()] == ["ID", "First-se"]
    assert main(["sessions", "prune", "--older-than", "30d", "--cwd", "/elsewhere", "--yes"]) == 0
    capsys.readouterr()
    assert ids(capsys) == [SECOND, FIRST]
    assert main(["sessions", "prune", "--older-than", "30d", "--yes"]) == 0
    capsys.readouterr()
    assert ids(capsys) == [SECOND]


@pytest.mark.parametrize(("answer", "left"), [(b"y\n", 0), (b"\n", 1), (b"no\n", 1)])
def test_prune_asks_where_somebody_can_answer(
    answer: bytes, left: int, data: Path, capsys: Capture
) -> None:
    store(data, FIRST, Path.cwd(), time=time.time() - 31 * DAY)
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer)
        subprocess.run(
            [*PARLEY, "sessions", "prune", "--older-than", "4w"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            timeout=30,
            check=True,
        )
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
    assert "delete these for good? [y/N]" in shown
    assert len(ids(capsys)) == left


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colours_unless_they_are_not_wanted(
    variables: dict[str, str], coloured: bool, data: Path
) -> None:
    store(data, FIRST, Path.cwd(), "t" * 200)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "50"}
    environment.pop("NO_COLOR", None)
    try:
        subprocess.run(
            [*PARLEY, "sessions", "show", FIRST],
            stdout=theirs,
            env={**environment, **variables},
            timeout=30,
            check=True,
        )
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
    title = shown.split("\r\n")[0]
    cut = "t" * 49 + "…"
    assert title == (f"\x1b[1m{cut}\x1b[0m" if coloured else cut)


def test_a_wrong_age_is_a_usage_error(data: Path, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sessions", "prune", "--older-than", "soon"])
    assert ended.value.code == 2
    assert (
        "`soon` is no time span\ntry: write for instance 12h, 30d or 2w\n"
        in capsys.readouterr().err
    )


def test_a_store_that_cannot_be_used_is_a_message(data: Path, capsys: Capture) -> None:
    store(data, FIRST, Path.cwd())
    (data / "locks").rmdir()
    (data / "locks").write_text("in the way")
    assert main(["sessions"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("parley sessions: The session store failed")
    assert "-32603" not in shown


def test_no_trick_in_a_stored_session_reaches_the_terminal(data: Path, capsys: Capture) -> None:
    every = "\n".join(trick.text for trick in TRICKS)
    store(
        data,
        FIRST,
        f"/x{every}".replace("\0", "").encode("utf-8", "replace").decode(),
        events=tricky(every),
    )
    for arguments in (
        ["list", "--all"],
        ["show", FIRST, "--full"],
        ["search", "e"],
        ["export", FIRST],
        ["export", FIRST, "--format", "json"],
        ["export", FIRST, "--format", "html"],
        ["delete", FIRST],
    ):
        assert main(["sessions", *arguments]) == 0
        shown = capsys.readouterr()
        assert leaked(shown.out + shown.err) == [], arguments
