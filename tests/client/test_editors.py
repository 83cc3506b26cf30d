"""Entries for editors, and files that are changed without losing anything."""

import json
import os
import stat
from pathlib import Path

import pytest

from parley.client.editors import EDITORS, Editor, Entry, Place, apply, settings_file
from parley.client.json_edit import NotClear

ENTRY = Entry("Parley", ("/bin/parley", "acp"), {"MODE": 'a "b"'})
BY_NAME = {editor.name: editor for editor in EDITORS}
ZED = BY_NAME["zed"]
STDIO = {"command": "/bin/parley", "args": ["acp"], "env": {"MODE": 'a "b"'}}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("zed", {"agent_servers": {"Parley": {"type": "custom", **STDIO}}}),
        ("jetbrains", {"agent_servers": {"Parley": STDIO}}),
        ("vscode", {"acp.agents": {"Parley": STDIO}}),
    ],
)
def test_what_is_shown_is_what_is_written(name: str, wanted: object, tmp_path: Path) -> None:
    editor = BY_NAME[name]
    assert json.loads(editor.render(ENTRY)) == wanted
    file = tmp_path / "settings.json"
    assert apply(editor, ENTRY, file) is None
    assert json.loads(file.read_text()) == wanted


@pytest.mark.parametrize("name", ["neovim", "emacs"])
def test_a_program_is_never_written(name: str, tmp_path: Path) -> None:
    text = BY_NAME[name].render(ENTRY)
    assert '"/bin/parley"' in text
    assert '"acp"' in text
    assert r"a \"b\"" in text
    assert all(text.count(a) == text.count(b) for a, b in ("()", "{}", "[]"))
    with pytest.raises(NotClear, match="it is a program"):
        apply(BY_NAME[name], ENTRY, tmp_path / "init")
    assert list(tmp_path.iterdir()) == []


def test_an_agent_without_arguments_has_empty_lists() -> None:
    entry = Entry("A b", ("/bin/agent",))
    assert "args = {}," in BY_NAME["neovim"].render(entry)
    assert ":identifier 'a-b" in BY_NAME["emacs"].render(entry)


@pytest.mark.parametrize(
    ("name", "platform", "path"),
    [
        ("zed", "linux", "/h/.config/zed/settings.json"),
        ("zed", "darwin", "/h/.config/zed/settings.json"),
        ("jetbrains", "linux", "/h/.jetbrains/acp.json"),
        ("vscode", "linux", "/h/.config/Code/User/settings.json"),
        ("vscode", "darwin", "/h/Library/Application Support/Code/User/settings.json"),
        ("neovim", "linux", "/h/.config/nvim/init.lua"),
        ("emacs", "linux", "/h/.config/emacs/init.el"),
    ],
)
def test_each_editor_has_its_file(name: str, platform: str, path: str) -> None:
    assert settings_file(name, Place(Path("/h"), Path("/h/.config"), platform)) == Path(path)


def test_comments_stay_and_a_copy_of_the_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    before = '// mine\n{\n  "theme": "dark", // so\n}\n'
    file.write_text(before)
    file.chmod(0o640)
    copy = apply(ZED, ENTRY, file)
    assert copy == tmp_path / "settings.json.before-parley"
    assert copy.read_text() == before
    text = file.read_text()
    assert text.startswith('// mine\n{\n  "theme": "dark", // so\n  "agent_servers": {\n')
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    with pytest.raises(FileExistsError):
        apply(ZED, ENTRY, file)
    assert file.read_text() == text
    assert len(list(tmp_path.iterdir())) == 2


def test_a_copy_never_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}")
    apply(ZED, ENTRY, file)
    copy = apply(ZED, Entry("Other", ("x",)), file)
    assert copy == tmp_path / "settings.json.before-parley-2"
    assert (tmp_path / "settings.json.before-parley").read_text() == "{}"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles/zed.json"
    real.write_text("{}")
    file = tmp_path / "settings.json"
    file.symlink_to(real)
    apply(ZED, ENTRY, file)
    assert file.is_symlink()
    assert "Parley" in real.read_text()


def test_a_folder_is_made_only_where_the_editor_expects_it(tmp_path: Path) -> None:
    with pytest.raises(NotClear, match="start Zed once first"):
        apply(ZED, ENTRY, tmp_path / "zed/settings.json")
    assert list(tmp_path.iterdir()) == []
    apply(BY_NAME["jetbrains"], ENTRY, tmp_path / ".jetbrains/acp.json")
    assert (tmp_path / ".jetbrains/acp.json").exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"\xff\xfe{}", "it is not UTF-8"), (b"{", "line 1 is not JSON")],
)
def test_a_file_that_is_not_understood_is_not_touched(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    with pytest.raises(NotClear, match=problem):
        apply(ZED, ENTRY, file)
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_what_the_system_refuses_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(NotClear, match="Permission denied"):
        apply(ZED, ENTRY, file)
    assert file.read_text() == "{}"
    assert {each.name for each in tmp_path.iterdir()} == {
        "settings.json",
        "settings.json.before-parley",
    }


def test_every_editor_says_what_to_do_next() -> None:
    assert [editor.name for editor in EDITORS if not editor.steps] == []
    assert all(isinstance(editor, Editor) for editor in EDITORS)
