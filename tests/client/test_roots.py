"""Which paths lie within the roots of a session, links and all."""

import os
from pathlib import Path

import pytest

from parley.client.roots import Place, Roots, parent_of, shown
from parley.errors import InvalidParams


def _tree(folder: Path) -> Path:
    """A root with a file, beside a sibling whose name begins like it."""
    root = folder / "root"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "file").write_text("inside")
    (folder / "root-2").mkdir()
    (folder / "root-2" / "secret").write_text("outside")
    return root


def test_a_path_beneath_a_root_has_its_place_there(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    roots = Roots([root])
    assert roots.place("s", f"{root}/inner/file") == Place(str(root), ("inner", "file"))
    assert roots.place("s", f"{root}/inner/../new/./file/") == Place(str(root), ("new", "file"))
    assert roots.place("s", str(root)) == Place(str(root), ())
    assert roots.place("s", str(root)).path == str(root)
    assert Roots(["/"]).place("s", "/a/b") == Place("/", ("a", "b"))


@pytest.mark.parametrize(
    "path",
    ["{root}-2/secret", "{root}/../root-2/secret", "{root}/inner/../../root-2", "/", "/etc/passwd"],
)
def test_what_lies_beside_a_root_is_refused(path: str, tmp_path: Path) -> None:
    root = _tree(tmp_path)
    asked = path.format(root=root)
    with pytest.raises(InvalidParams) as caught:
        Roots([root]).place("s", asked)
    assert caught.value.message == (
        f"Invalid params: `{asked}` is outside the directories of the session"
    )
    assert caught.value.data == {"path": "path"}


@pytest.mark.parametrize("path", ["", "file", "./file", "../file", "/root\0/file"])
def test_a_path_that_is_not_absolute_is_refused_v1_fs_05(path: str) -> None:
    with pytest.raises(InvalidParams, match="not absolute"):
        Roots(["/"]).place("s", path)


@pytest.mark.parametrize(
    ("link", "target", "asked"),
    [
        ("link", "../root-2/secret", "link"),
        ("link", "../root-2", "link/secret"),
        ("link", "../root-2/missing", "link"),
        ("link", "../nowhere", "link/new"),
        ("inner/link", "../../root-2", "inner/link/../root-2/secret"),
        ("link", "hop", "link"),
        ("link", "/", "link/etc/passwd"),
    ],
)
def test_a_link_that_leads_out_is_refused_v1_dir_09(
    link: str, target: str, asked: str, tmp_path: Path
) -> None:
    root = _tree(tmp_path)
    (root / "hop").symlink_to("../root-2/secret")
    (root / link).symlink_to(target)
    with pytest.raises(InvalidParams, match="outside"):
        Roots([root]).place("s", f"{root}/{asked}")


def test_a_link_that_stays_inside_leads_where_it_leads(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    (root / "hop").symlink_to("inner")
    (root / "link").symlink_to("hop/file")
    assert Roots([root]).place("s", f"{root}/link") == Place(str(root), ("inner", "file"))


def test_a_root_that_is_a_link_stands_for_what_it_led_to(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    door = tmp_path / "door"
    door.symlink_to(root)
    roots = Roots([door])
    assert roots.place("s", f"{door}/inner/file").root == str(root)
    door.unlink()
    door.symlink_to(tmp_path / "root-2")
    with pytest.raises(InvalidParams, match="outside"):
        roots.place("s", f"{door}/secret")


def test_a_session_with_directories_of_its_own_has_no_others_v1_fs_06(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    other, more = tmp_path / "root-2", tmp_path / "more"
    roots = Roots([root])
    roots.allow("own", other, [more, other])
    assert roots.directories("own") == (str(other), str(more))
    assert roots.directories("any") == (str(root),)
    assert roots.place("own", f"{more}/file").root == str(more)
    with pytest.raises(InvalidParams, match="outside"):
        roots.place("own", f"{root}/inner/file")
    roots.forget("own")
    roots.forget("own")
    assert roots.directories("own") == (str(root),)


def test_a_path_that_no_system_has_is_outside() -> None:
    with pytest.raises(InvalidParams, match="outside"):
        Roots(["/"]).place("s", "/\ud800")


def test_without_roots_everything_is_outside() -> None:
    with pytest.raises(InvalidParams, match="outside"):
        Roots().place("s", "/etc/passwd")


def test_roots_are_shared_or_made_of_a_list() -> None:
    roots = Roots(["/"])
    assert Roots.of(roots) is roots
    assert Roots.of(["/"]).directories("s") == ("/",)
    with pytest.raises(TypeError, match="list"):
        Roots.of("/home")


def test_a_link_that_came_after_the_path_was_resolved_is_not_followed_v1_dir_09(
    tmp_path: Path,
) -> None:
    root = _tree(tmp_path)
    place = Roots([root]).place("s", f"{root}/inner/file")
    (root / "inner" / "file").unlink()
    (root / "inner").rmdir()
    (root / "inner").symlink_to(tmp_path / "root-2")
    for make in (False, True):
        with pytest.raises(OSError, match=r"."), parent_of(place, make=make):
            pass
    root.rename(tmp_path / "moved")
    root.symlink_to(tmp_path / "root-2")
    with pytest.raises(OSError, match=r"."), parent_of(Place(str(root), ("secret",))):
        pass


def test_directories_on_the_way_are_made_if_they_are_wanted(tmp_path: Path) -> None:
    place = Place(str(tmp_path), ("a", "b", "file"))
    with pytest.raises(FileNotFoundError), parent_of(place):
        pass
    for _ in range(2):
        with parent_of(place, make=True) as (folder, name):
            assert os.path.samestat(os.fstat(folder), (tmp_path / "a" / "b").stat())
            assert name == "file"
    with parent_of(Place(str(tmp_path), ())) as (_, name):
        assert name == "."


def test_an_error_shows_the_beginning_of_a_long_path() -> None:
    assert shown("/short") == "/short"
    assert shown("/" + "x" * 10_000) == "/" + "x" * 199
