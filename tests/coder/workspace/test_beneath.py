"""What is opened beneath a root lies there, whatever is put in the way."""

import errno
import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from parley.coder.workspace import beneath
from parley.coder.workspace.beneath import (
    NotPlain,
    Place,
    open_by_kernel,
    open_by_steps,
    open_folder,
    open_plain,
    parent_of,
)

Opener = Callable[[int, tuple[str, ...]], int]
OPENERS = [
    pytest.param(opener, id=opener.__name__)
    for opener in ((open_by_kernel, open_by_steps) if sys.platform == "linux" else (open_by_steps,))
]
ROUNDS = 3000


def _root(folder: Path) -> Path:
    root = folder / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "file").write_text("inside")
    (folder / "outside" / "b").mkdir(parents=True)
    (folder / "outside" / "b" / "file").write_text("outside")
    return root


def _names(folder: int) -> list[str]:
    try:
        return os.listdir(folder)
    finally:
        os.close(folder)


def test_the_steps_of_a_place_are_those_below_its_root() -> None:
    assert Place("/r/a/b", "/r", "a/b").steps == ("a", "b")
    assert Place("/r", "/r", ".").steps == ()
    assert Place("/a", "/", "a").steps == ("a",)


@pytest.mark.parametrize("opener", OPENERS)
def test_a_folder_beneath_is_opened(opener: Opener, tmp_path: Path) -> None:
    above = os.open(_root(tmp_path), os.O_RDONLY)
    try:
        assert _names(opener(above, ("a", "b"))) == ["file"]
    finally:
        os.close(above)


@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize(
    "steps",
    [
        ("..", "outside"),
        ("a", "..", "..", "outside"),
        ("link",),
        ("link", "b"),
        ("a", "inner"),
        ("magic",),
        ("a", "b", "file"),
        ("missing",),
    ],
)
def test_no_way_leads_out_or_over_a_link(
    opener: Opener, steps: tuple[str, ...], tmp_path: Path
) -> None:
    root = _root(tmp_path)
    (root / "link").symlink_to("../outside")
    (root / "a" / "inner").symlink_to("b")
    (root / "magic").symlink_to("/proc/self/root")
    above = os.open(root, os.O_RDONLY)
    try:
        with pytest.raises(OSError, match=r"\[Errno"):
            opener(above, steps)
    finally:
        os.close(above)


@pytest.mark.parametrize("step", ["", ".", "..", "a/b"])
def test_a_step_that_is_no_name_is_refused(step: str, tmp_path: Path) -> None:
    above = os.open(_root(tmp_path), os.O_RDONLY)
    try:
        with pytest.raises(OSError, match=r"\[Errno") as caught:
            open_by_steps(above, (step,))
    finally:
        os.close(above)
    assert caught.value.errno == errno.EXDEV


def test_without_the_call_of_the_kernel_folders_are_entered_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _root(tmp_path)
    (root / "link").symlink_to("../outside")
    monkeypatch.setattr(beneath, "_OPENAT2", 999_999)
    assert _names(open_folder(str(root), ("a", "b"))) == ["file"]
    with pytest.raises(OSError, match=r"\[Errno"):
        open_folder(str(root), ("link",))
    monkeypatch.setattr(sys, "platform", "other")
    assert _names(open_folder(str(root), ("a", "b"))) == ["file"]


@pytest.mark.parametrize("number", [beneath.__dict__["_OPENAT2"], 999_999])
def test_a_link_that_is_swapped_in_never_leads_out(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beneath, "_OPENAT2", number)
    root = _root(tmp_path)
    # The folder `a` and a link to what is outside take turns under one name.
    (root / "evil").symlink_to("../outside")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            os.rename(root / "a", root / "kept")
            os.rename(root / "evil", root / "a")
            os.rename(root / "a", root / "evil")
            os.rename(root / "kept", root / "a")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        seen = [_content(str(root)) for _ in range(ROUNDS)]
    finally:
        over.set()
        swapping.join(5)
    assert set(seen) <= {b"inside", None}
    assert b"inside" in seen


def _content(root: str) -> bytes | None:
    try:
        with parent_of(root, ("a", "b", "file")) as (folder, name):
            file, _ = open_plain(folder, name, os.O_RDONLY)
    except OSError:
        return None
    with os.fdopen(file, "rb") as source:
        return source.read()


def test_a_file_that_is_swapped_for_a_link_never_leads_out(tmp_path: Path) -> None:
    root = _root(tmp_path)
    file = root / "a" / "b" / "file"
    (root / "evil").symlink_to(tmp_path / "outside" / "b" / "file")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            os.link(root / "evil", root / "x", follow_symlinks=False)
            os.replace(root / "x", file)
            (root / "x").write_text("inside")
            os.replace(root / "x", file)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        seen = [_content_or_refusal(str(root)) for _ in range(ROUNDS)]
    finally:
        over.set()
        swapping.join(5)
    assert set(seen) <= {b"inside", None}
    assert b"inside" in seen


def _content_or_refusal(root: str) -> bytes | None:
    try:
        return _content(root)
    except NotPlain:
        return None


def test_folders_on_the_way_are_made_on_demand(tmp_path: Path) -> None:
    root = _root(tmp_path)
    with parent_of(str(root), ("new", "deep", "file"), make=True) as (folder, name):
        assert (name, os.listdir(folder)) == ("file", [])
    assert (root / "new" / "deep").is_dir()
    with pytest.raises(FileNotFoundError), parent_of(str(root), ("none", "file")):
        raise AssertionError
    with pytest.raises(IsADirectoryError), parent_of(str(root), ()):
        raise AssertionError


def test_folders_are_not_made_behind_a_link(tmp_path: Path) -> None:
    root = _root(tmp_path)
    (root / "link").symlink_to("../outside")
    (root / "nowhere").symlink_to("../outside/missing")
    for first in ("link", "nowhere"):
        with (
            pytest.raises(OSError, match=r"\[Errno"),
            parent_of(str(root), (first, "new", "file"), make=True),
        ):
            raise AssertionError
    assert os.listdir(tmp_path / "outside") == ["b"]


def _special(folder: Path, kind: str) -> None:
    match kind:
        case "pipe":
            os.mkfifo(folder / "x")
        case "socket":
            here = os.getcwd()
            os.chdir(folder)  # A socket's path must be short.
            try:
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind("x")
            finally:
                os.chdir(here)
        case "folder":
            (folder / "x").mkdir()
        case "link":
            (folder / "x").symlink_to("/etc/passwd")
        case _:
            (folder / "y").write_text("")
            os.link(folder / "y", folder / "x")


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "link", "hard link"])
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_WRONLY])
def test_what_is_no_plain_file_is_never_opened(kind: str, flags: int, tmp_path: Path) -> None:
    _special(tmp_path, kind)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(NotPlain, match=kind.split()[-1]):
            open_plain(folder, "x", flags)
    finally:
        os.close(folder)


def test_a_device_is_never_opened() -> None:
    folder = os.open("/dev", os.O_RDONLY)
    try:
        with pytest.raises(NotPlain, match="device"):
            open_plain(folder, "zero", os.O_RDONLY)
    finally:
        os.close(folder)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    root = _root(tmp_path)
    (root / "link").symlink_to("../outside")
    before = os.listdir("/proc/self/fd")
    for steps in (("a", "b"), ("link",), ("missing",)):
        for make in (False, True):
            try:
                with parent_of(str(root), (*steps, "file"), make=make):
                    pass
            except OSError:
                pass
    assert len(os.listdir("/proc/self/fd")) == len(before)
