"""What the doctor says of the stored sessions, and how it repairs them."""

import json
import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from parley.cli import doctor_store
from parley.cli.doctor_store import SECONDS, repair_command, reported, store_findings
from parley.cli.finding import Finding
from parley.cli.main import main
from parley.coder.store import check, rebuild, schema
from parley.coder.store.check import Checked
from tests.cli.raw_agent import RawAgent
from tests.coder.store.staging import FIRST, SECOND, THIRD, chunks, filled, opened, run

FIX = "parley doctor --repair"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    async def make() -> None:
        async with opened(tmp_path / "data") as store:
            for session_id in (FIRST, SECOND):
                await filled(store, session_id, *chunks(3))

    run(make)
    return tmp_path / "data"


def changed(folder: Path, *statements: str) -> None:
    with closing(schema.connect(folder / "sessions.db")) as connection:
        for statement in statements:
            connection.execute(statement)


def texts(folder: Path, status: str) -> list[str]:
    return [each.text for each in store_findings(folder) if each.status == status]


def test_a_sound_store_is_described(folder: Path) -> None:
    (found,) = store_findings(folder)
    assert found.status == "ok"
    assert found.text.startswith("2 sessions with 6 records, ")
    assert found.text.endswith(" KB; every record is as it was written")


def test_without_a_store_there_is_nothing_to_say(tmp_path: Path) -> None:
    expected = Finding("store", "ok", "there are no sessions yet")
    assert list(store_findings(tmp_path / "none")) == [expected]
    assert not (tmp_path / "none").exists()


def test_whoever_has_sessions_open_is_named_and_not_blamed(folder: Path) -> None:
    async def scenario() -> list[Finding]:
        async with opened(folder) as store:
            log = await store.open(FIRST)
            log.append(*chunks(3))
            await log.flush()
            return list(store_findings(folder))

    sound, user = run(scenario)
    assert (sound.status, user.status) == ("ok", "ok")
    assert user.text == f"process {os.getpid()} has session `{FIRST}` open"


def test_damage_is_a_problem_that_a_repair_mends(folder: Path) -> None:
    changed(folder, "UPDATE entries SET crc = 0 WHERE session = 1 AND seq = 2")
    problem, summary = store_findings(folder)
    assert problem == Finding("store", "problem", f"session `{FIRST}`: record 2 is damaged", FIX)
    assert summary.status == "note"
    rebuild.demand(folder / "sessions.db")
    assert "waits for a repair" in texts(folder, "problem")[0]


def test_what_no_repair_mends_has_a_fix_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(folder, "PRAGMA user_version = 2")
    problem, *_ = store_findings(folder)
    assert "has layout 2" in problem.text
    assert problem.fix.startswith("update parley")
    monkeypatch.setattr(check.os, "geteuid", lambda: 123_456)
    problem, *_ = store_findings(folder)
    assert "may not be written" in problem.text
    assert problem.fix == f"check owner and permissions of `{folder}`"


def test_many_faults_are_cut_short(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = tuple(check.Fault("session", "odd", FIRST) for _ in range(14))

    def found(*_: object, **__: object) -> Checked:
        return Checked(True, 14, faults=faults)

    monkeypatch.setattr(doctor_store, "check", found)
    assert texts(folder, "problem")[-1] == "4 more like these"
    assert len(texts(folder, "problem")) == 11


def test_modes_and_things_out_of_place_are_problems(folder: Path) -> None:
    (folder / "sessions.db").chmod(0o644)
    assert texts(folder, "problem") == ["sessions.db has the mode 644 and should have 600"]
    (folder / "locks").chmod(0o755)
    (folder / "undo").touch()
    (folder / "sessions.db-shm").mkdir()
    assert texts(folder, "problem")[-3:] == [
        "sessions.db has the mode 644 and should have 600, and 1 more",
        "undo is in the place of something else",
        "sessions.db-shm is in the place of something else",
    ]


def test_what_is_left_behind_is_noted(folder: Path) -> None:
    (folder / "undo" / THIRD).mkdir(parents=True)
    (folder / "undo" / THIRD / "journal").write_bytes(bytes(1500))
    (folder / "locks" / f"{FIRST}.lock").touch()
    (folder / "sessions.db.new").touch()
    notes = [each for each in store_findings(folder) if each.status == "note"]
    assert [(each.text, each.fix) for each in notes] == [
        ("1 locks of processes that are gone (0 bytes)", FIX),
        ("1 temporary files of processes that were interrupted (0 bytes)", FIX),
        ("1 folders with undo data of sessions that are gone (1.5 KB)", FIX),
    ]
    (folder / "sessions.db.damaged-1").write_bytes(bytes(2_500_000))
    notes = [each for each in store_findings(folder) if each.status == "note"]
    aside = folder / "sessions.db.damaged-1"
    kept = f"{aside} (2.5 MB) was damaged and is kept; it may have sessions that the store has not"
    assert (notes[0].text, notes[0].fix) == (kept, "")
    assert notes[-1].text.endswith("; they stay while damaged files do, which may know them")
    assert notes[-1].fix == ""


def test_only_what_the_store_has_whole_is_recommended_for_removal(folder: Path) -> None:
    rebuild.rebuild(folder / "sessions.db")
    (folder / "locks.damaged-1").touch(0o600)
    other, whole = [each for each in store_findings(folder) if each.status == "note"]
    assert other.fix == "remove it if you miss nothing"
    assert whole.fix == "remove it: the store got all sessions and records of it"
    changed(folder, "DELETE FROM entries WHERE session = 1 AND seq = 3")
    rebuild.rebuild(folder / "sessions.db")
    *_, lossy = [each for each in store_findings(folder) if each.status == "note"]
    assert lossy.text.endswith("; 1 of 6 records are lost")
    assert lossy.fix == ""


def test_a_repair_that_has_lost_something_says_so_and_ends_with_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(folder, "DELETE FROM entries WHERE session = 1")
    arguments = ["doctor", "--repair", "--data-dir", str(folder)]
    assert main(arguments) == 1
    made, lost, *_ = capsys.readouterr().out.splitlines()
    assert made.startswith("PROBLEM  repaired: sessions.db: made anew; 2 sessions with 3 records")
    assert "; 3 of 6 records are lost; the damaged file is" in made
    loss = f"session `{FIRST}`: none of its 3 records could be read"
    assert lost == f"PROBLEM  repaired: {loss}"
    # What is lost stays told, and is no news any more.
    assert main(arguments) == 0
    assert "3 of 6 records are lost" in capsys.readouterr().out


def test_records_that_were_set_aside_and_changes_in_the_log_are_noted(
    folder: Path, tmp_path: Path
) -> None:
    changed(folder, "INSERT INTO damaged VALUES (1, 9, 0, x'')")

    async def killed() -> None:
        async with opened(folder) as store:
            log = await store.open(FIRST)
            log.append(*chunks(3))
            await log.flush()
            shutil.copytree(folder, tmp_path / "killed")

    run(killed)
    notes = texts(tmp_path / "killed", "note")
    assert notes[0].startswith("1 damaged records were taken out of sessions")
    assert notes[-1].startswith("the last process was killed; its changes (")


def test_a_look_that_takes_too_long_says_how_far_it_came(folder: Path) -> None:
    (note,) = store_findings(folder, within=-1)
    assert note.status == "note"
    assert note.text.endswith("; within -1 s 0 sessions could be looked at")
    assert note.fix == f"{FIX} looks at all of them"


def test_a_long_look_tells_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(doctor_store.time, "monotonic", lambda: now)
    progress = reported()
    for done in range(5):
        progress(done, 5)
        now += 0.9
    assert capsys.readouterr().err == "parley doctor: 3 of 5 sessions looked at\n"


def test_the_command_to_repair_names_the_folder_that_is_meant() -> None:
    assert repair_command(None) == FIX
    assert repair_command("/a b") == f"{FIX} --data-dir '/a b'"
    assert SECONDS <= 30


def test_the_command_repairs_and_tells_each_step(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(folder, "UPDATE entries SET crc = 0 WHERE session = 1 AND seq = 2")
    arguments = ["doctor", "--repair", "--data-dir", str(folder)]
    assert main(arguments) == 1
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith(f"PROBLEM  repaired: session `{FIRST}`: record 2 is damaged")
    assert second.startswith("ok       store: 2 sessions with 4 records")
    assert main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed[0]["text"] == "nothing, since nothing needs it"


def test_a_repair_that_cannot_be_done_ends_with_1_and_says_why(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def scenario() -> int:
        async with opened(folder) as store:
            await store.open(FIRST)
            return main(["doctor", "--repair", "--data-dir", str(folder)])

    assert run(scenario) == 1
    first, fix, *_ = capsys.readouterr().out.splitlines()
    words = f"in use: process {os.getpid()} has session `{FIRST}` open"
    assert first == f"PROBLEM  repair: The session store is {words}"
    assert fix.strip() == "to fix it: close it there, then repair again"


def test_a_store_that_no_repair_mends_ends_with_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(folder, "PRAGMA user_version = 2")
    assert main(["doctor", "--repair", "--data-dir", str(folder)]) == 1
    assert "PROBLEM  store: sessions.db has layout 2" in capsys.readouterr().out


def test_looking_and_repairing_are_told_apart_from_asking_a_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["doctor", "--repair", "--online"])
    assert left.value.code == 2
    assert "`--online` and `--repair` exclude each other" in capsys.readouterr().err


def test_a_working_agent_is_not_disturbed_and_a_killed_one_is_tidied_up_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    arguments = ["doctor", "--repair", "--data-dir", str(data)]
    with RawAgent("--data-dir", str(data), home=tmp_path) as agent:
        agent.begin()
        session = agent.open(tmp_path)
        agent.prompt(session, "help")
        assert main(arguments) == 1
        refusal = f"process {agent.process.pid} has session `{session}` open"
        assert refusal in capsys.readouterr().out
        assert agent.prompt(session, "help")["stopReason"] == "end_turn"
        agent.process.kill()
        agent.process.wait(5)
    notes = texts(data, "note")
    assert notes[0].startswith("1 locks of processes that are gone")
    assert "the last process was killed" in notes[-1]
    assert main(arguments) == 0
    assert f"repaired: locks/{session}.lock: removed" in capsys.readouterr().out
    assert [each.status for each in store_findings(data)] == ["ok"]
    with RawAgent("--data-dir", str(data), home=tmp_path) as agent:
        agent.begin()
        agent.call("session/load", sessionId=session, cwd=str(tmp_path), mcpServers=[])
        assert len([each for each in agent.updates if "user" in each["sessionUpdate"]]) == 2
