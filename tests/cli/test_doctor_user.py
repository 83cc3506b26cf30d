"""What `parley doctor` says of hooks and skills."""

import os
from pathlib import Path

import pytest

from parley.cli.doctor_user import user_findings
from parley.cli.finding import Finding
from parley.coder.config import load
from tests.coder.skills.folders import add_skill


def examined(home: Path, text: str) -> list[Finding]:
    config = home / "parley" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(text)
    return list(user_findings(load({"HOME": str(home), "PARLEY_CONFIG": str(config)})))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_nothing_is_said_where_there_is_nothing(tmp_path: Path) -> None:
    assert examined(tmp_path, "") == []


def test_hooks_are_named_with_what_they_concern(tmp_path: Path) -> None:
    text = """
        [[hooks.before_tool]]
        tools = ["bash"]
        command = ["/bin/sh", "-c", "exit 0"]
        [[hooks.before_tool]]
        command = ["no-such-program-anywhere"]
        timeout = 5
        [[hooks.after_tool]]
        tools = ["shell"]
        command = ["~/bin/gone"]
    """
    found = examined(tmp_path, text)
    assert [(each.about, each.status) for each in found] == [
        ("hooks.before_tool[0]", "ok"),
        ("hooks.before_tool[1]", "problem"),
        ("hooks.after_tool[0]", "problem"),
        ("hooks.after_tool[0]", "problem"),
    ]
    assert found[0].text == "`exit 0` for bash, 30 seconds at most"
    assert found[1].text == (
        "`no-such-program-anywhere` for *, 5 seconds at most: the program cannot be found, so every"
        " call that it concerns is stopped"
    )
    assert found[2].text.endswith("so it never runs")
    assert str(tmp_path) in found[2].fix
    assert "names the tool `shell`" in found[3].text


def test_skills_are_counted_and_garbage_is_named(tmp_path: Path) -> None:
    add_skill(tmp_path / "parley" / "skills", "ant")
    add_skill(tmp_path / ".claude" / "skills", "bee")
    (tmp_path / ".agents" / "skills" / "bad").mkdir(parents=True)
    os.mkfifo(tmp_path / ".agents" / "skills" / "bad" / "SKILL.md")
    found = examined(tmp_path, "")
    assert found == [
        Finding("skills", "ok", "2 of your own: ant, bee"),
        Finding(
            "skills",
            "note",
            "The skill `~/.agents/skills/bad` is left out: its `SKILL.md` is not a regular file.",
        ),
    ]


def test_other_folders_can_be_named(tmp_path: Path) -> None:
    add_skill(tmp_path / "mine", "ant")
    add_skill(tmp_path / ".claude" / "skills", "bee")
    found = examined(tmp_path, '[agent]\nskill_folders = ["~/mine", "relative"]\n')
    assert [(each.status, each.text) for each in found] == [
        ("problem", "`relative` is not an absolute path"),
        ("ok", "1 of your own: ant"),
    ]


def test_very_many_skills_are_not_all_named(tmp_path: Path) -> None:
    for at in range(60):
        add_skill(tmp_path / "parley" / "skills", f"s{at:02}")
    (finding,) = examined(tmp_path, "")
    assert finding.text.startswith("60 of your own: s00, s01")
    assert finding.text.endswith("s49 and 10 more")
