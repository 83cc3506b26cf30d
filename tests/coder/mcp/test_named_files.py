"""The files that a command names are found however they are written, and read with care."""

import os
from pathlib import Path

import pytest

from parley.coder.mcp import named_files
from parley.coder.mcp.named_files import Budget, Uncheckable, is_named_file, named_in


def named(root: Path, *texts: str) -> list[str]:
    return [each.path for each in named_in(str(root), texts, Budget()).files]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "tools").mkdir(parents=True)
    (root / "tools" / "server.py").write_text("1")
    (root / "run.sh").write_text("2")
    return root


@pytest.mark.parametrize(
    "text",
    [
        *("tools/server.py", "./tools/server.py", "tools/../tools/server.py", "{}/tools/server.py"),
        *("--config=tools/server.py", "--config=./tools/server.py", "-rtools/x,tools/server.py"),
        *("-r./tools/server.py", "@tools/server.py", "file://{}/tools/server.py"),
        *(
            "exec python tools/server.py --port 1",
            "cd x && './tools/server.py'",
            "a\ntools/server.py",
        ),
        *("/nowhere:{}/tools/server.py", "(tools/server.py)", "$(./tools/server.py|cat)"),
        *("--require=../project/tools/server.py", "{}/./tools//server.py"),
    ],
)
def test_a_file_is_found_however_it_is_named(root: Path, text: str) -> None:
    assert named(root, text.format(root)) == ["tools/server.py"]


@pytest.mark.parametrize(
    "text", ["server.py", "../run.sh", "/run.sh", "tools", ".", "", "x\0", "a" * 10_000, "~/run.sh"]
)
def test_what_is_not_there_is_not_found(root: Path, text: str) -> None:
    assert named(root, text) == []


@pytest.mark.parametrize(
    "word", ["tools/*.py", "./tools/s?rver.py", "tools/{{a,b}}", "{}/tools/[a]"]
)
def test_a_wildcard_names_the_folder_around_it(root: Path, word: str) -> None:
    found = named_in(str(root), [word.format(root)], Budget())
    assert (found.files, found.folders) == ((), ("tools",))


def test_what_only_looks_like_a_wildcard_is_a_name(root: Path) -> None:
    (root / "tools" / "[id].js").write_text("3")
    assert named(root, "tools/[id].js") == ["tools/[id].js"]
    assert is_named_file(str(root), "tools/[id].js")
    assert named_in(str(root), ["*", "*.py", '{"a": 1}', "no/*"], Budget()) == named_files.Named()


def test_folders_are_told_apart(root: Path) -> None:
    found = named_in(str(root), ["tools", "--dir=.", "run.sh"], Budget())
    assert found.folders == (".", "tools")
    assert [each.path for each in found.files] == ["run.sh"]


def test_content_path_and_target_of_a_link_make_a_difference(root: Path) -> None:
    def look() -> named_files.Named:
        return named_in(str(root), ["run.sh"], Budget())

    before = look()
    assert look() == before
    (root / "run.sh").write_text("3")
    changed = look()
    assert changed != before
    (root / "run.sh").unlink()
    (root / "run.sh").symlink_to("tools/server.py")
    inside = look()
    assert inside.files[0].leads == str(root / "tools" / "server.py")
    assert inside.files[0].size == 1
    (root / "run.sh").unlink()
    (root / "run.sh").symlink_to("/bin/sh")
    outside = look()
    assert outside.files[0].size is None
    assert outside.files[0].leads == os.path.realpath("/bin/sh")
    assert len({before, changed, inside, outside}) == 4


def test_a_project_that_is_named_by_a_link_is_the_same(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    assert named(root, f"{root.parent}/link/run.sh") == ["run.sh"]


def test_a_link_that_leads_nowhere_or_in_a_circle_cannot_be_checked(root: Path) -> None:
    (root / "circle").symlink_to("circle")
    (root / "gone").symlink_to("no-such-file")
    for name in ("circle", "gone"):
        with pytest.raises(Uncheckable, match=name):
            named(root, name)


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(Uncheckable, match="`pipe`, which is no file"):
        named(root, "./pipe")


def test_a_file_with_other_names_can_be_checked(root: Path) -> None:
    os.link(root / "run.sh", root / "also.sh")
    assert named(root, "also.sh") == ["also.sh"]


def test_too_much_cannot_be_checked(root: Path) -> None:
    (root / "big").write_bytes(b"\0" * 1000)
    with pytest.raises(Uncheckable, match="too large"):
        named_in(str(root), ["big"], Budget(999))
    budget = Budget(1000)
    named_in(str(root), ["big"], budget)
    assert budget.left == 0
    with pytest.raises(Uncheckable, match="too many words"):
        named(root, " ".join(str(number) for number in range(named_files.MOST_WORDS + 1)))


def test_a_file_that_becomes_a_pipe_at_the_last_moment_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(root / "pipe")
    regular = os.stat(root / "run.sh")

    def seen(*names: object, **how: object) -> os.stat_result:
        return regular

    monkeypatch.setattr(named_files.os, "stat", seen)
    with pytest.raises(Uncheckable, match="no file"):
        named(root, "./pipe")


def test_only_a_whole_word_that_is_no_folder_is_a_named_file(root: Path) -> None:
    assert is_named_file(str(root), "run.sh")
    assert is_named_file(str(root), f"{root}/tools/server.py")
    assert not is_named_file(str(root), "tools")
    assert not is_named_file(str(root), "--x=run.sh")
    assert not is_named_file(str(root), "")
