"""Paths that lead out of a workspace or seem to, and the tree that they are tried in.

In a path `{ws}` and `{more}` are the two roots of the workspace, `{out}` is the folder beside them
that nobody may reach, `{pid}` is this process, and `{top}` its link to the root of all.
"""

import os
import socket
from pathlib import Path

SECRET = "top secret of somebody else"

# What lies in the workspace to lead out of it.
LINKS = {
    "file": "../out/secret",
    "absolute": "{out}/secret",
    "folder": "../out",
    "absolute_folder": "{out}",
    "deep_folder": "../out/deep",
    "up": "..",
    "up_twice": "../..",
    "slash": "/",
    "etc": "/etc",
    "passwd": "/etc/passwd",
    "dangling": "../out/new",
    "dangling_absolute": "{out}/new",
    "dangling_folder": "../out/nowhere",
    "dangling_twice": "dangling",
    "chain": "chain_2",
    "chain_2": "chain_3",
    "chain_3": "../out/secret",
    "chain_folder": "chain_up/out",
    "chain_up": "inner/../..",
    "over_inner": "inner/../../out/secret",
    "over_itself": "../ws/../out/secret",
    "over_a_link": "up/out/secret",
    "over_more": "../more/../out",
    "with_dots": "./.././out/./secret",
    "with_slashes": "..//out///secret",
    "with_a_slash_behind": "../out/",
    "inner/link": "../../out/secret",
    "inner/folder": "../../out",
    "inner/dangling": "../../out/new",
    "inner/chain": "../chain_folder",
    "loop": "loop",
    "loop_1": "loop_2",
    "loop_2": "loop_1",
    "magic": "/proc/self/root",
    "magic_cwd": "/proc/self/cwd",
    "magic_fd": "/proc/self/fd",
    "magic_task": "/proc/thread-self/root",
    "null": "/dev/null",
    "zero": "/dev/zero",
    "stdin": "/dev/stdin",
    "memory": "/proc/self/mem",
    "environment": "/proc/self/environ",
    "prefix": "../ws-evil/secret",
    "prefix_folder": "../ws2",
    "more_prefix": "../more-evil/secret",
    " ": "../out/secret",
    "-": "../out",
    "--help": "../out/secret",
    "*": "../out/secret",
    "line\nbreak": "../out/secret",
    "\u00e4": "../out/secret",
    "a\u0308": "../out/deep",
    "\u202egnp.x": "../out/secret",
    "\U0001f4c1": "../out",
    "n" * 255: "../out/secret",
    ".hidden": "../out/secret",
    ".git": "../out",
    "node_modules": "../out/deep",
    "CON": "../out/secret",
    "a.b.c.": "../out/secret",
}
_THROUGH_LINKS = (
    *("folder/secret", "folder/deep/secret", "folder/new", "folder/new/deeper", "folder/"),
    *("folder/.", "folder//secret", "folder/./secret", "folder/deep/../secret", "./folder/secret"),
    *("folder/../out/secret", "deep_folder/../secret", "deep_folder/../new", "deep_folder/."),
    *("absolute_folder/secret", "absolute_folder/deep", "absolute_folder/new/new"),
    *("up/out/secret", "up/out/new", "up/ws-evil/secret", "up/more-evil/secret", "up/."),
    *("up_twice/etc", "slash/etc/passwd", "slash/proc/self/environ", "slash/dev/zero"),
    *("etc/passwd", "etc/hostname", "chain_folder/secret", "chain_folder/deep/secret"),
    *("chain_up/../out/secret", "chain_up/out/new", "dangling_folder/new", "over_more/secret"),
    *("dangling_folder/deep/new", "inner/folder/secret", "inner/folder/new", "inner/chain/secret"),
    *("inner/../folder/secret", "inner/../inner/../folder/secret", "with_a_slash_behind/secret"),
    *("magic/etc/passwd", "magic_cwd/secret", "magic_fd/0", "magic_fd/1", "magic_task/etc/passwd"),
    *("loop/secret", "loop_1/loop_2/secret", "file/below", "file/..", "null/below"),
    *("-/secret", "\U0001f4c1/secret", ".git/secret", ".git/new", "node_modules/secret"),
    *("prefix_folder/secret", "prefix_folder/new", "{ws}/folder/secret", "{ws}/./folder/secret"),
    *("{ws}//folder/secret", "{ws}/inner/../folder/new", "{ws}/dangling", "{more}/folder/secret"),
    *("{more}/dangling", "{more}/up/out/secret", "a\u0308/secret", "up/ws/folder/secret"),
)
_UPWARDS = (
    *("..", "../", "../..", "../.", "./..", "inner/../..", "../out", "../out/", "../out/secret"),
    *("../out/new", "../out/new/new", "../out/deep/secret", "../out/deep/../secret"),
    *("inner/../../out/secret", "./inner/./../../out/deep/secret", ".././out/secret"),
    *("..//out//secret", "inner/../../out/new", "inner/missing/../../../out/secret"),
    *("missing/../../out/secret", "missing/../../out/new", "../ws/../out/secret"),
    *("../ws/inner/../../out/new", "../more/../out/secret", "../ws-evil/secret", "../ws2/secret"),
    *("../ws-evil", "../ws2", "../more-evil/secret", "../more-evil", "../../", "../../../.."),
    *("../" * 8 + "etc/passwd", "../" * 40 + "etc/passwd", "inner/" + "../" * 9 + "etc/hostname"),
    *("~/.ssh/id_rsa/../../../../out/secret", "inside/../../out/secret", "hard/../../out/secret"),
)
_ABSOLUTE = (
    *("{ws}-evil/secret", "{ws}-evil", "{ws}2/secret", "{ws}2/new", "{ws}/../out/secret"),
    *("{ws}/../out/new", "{ws}/inner/../../out/secret", "{ws}/..", "{more}-evil/secret"),
    *("{more}/../out/secret", "{more}/../out/new", "{more}/..", "{out}", "{out}/", "{out}/secret"),
    *("{out}/new", "{out}/deep/secret", "{out}/../out/secret", "{out}/../ws-evil/secret"),
    *("//etc/passwd", "///etc/passwd", "/", "//", "/.", "/..", "/etc", "/etc/passwd"),
    *("/etc/../etc/passwd", "/./etc/passwd", "/dev/stdin", "/dev/fd/0", "/dev/zero", "/dev/mem"),
)
_BY_PROC = (
    *("/proc/self/{top}/etc/passwd", "/proc/self/{top}{ws}/inside", "/proc/self/{top}{out}/secret"),
    *("/proc/self/cwd/secret", "/proc/self/cwd", "/proc/self/environ", "/proc/self/mem"),
    *("/proc/self/maps", "/proc/self/cmdline", "/proc/self/fd/0", "/proc/self/fdinfo/0"),
    *("/proc/{pid}/environ", "/proc/{pid}/{top}{out}/secret", "/proc/{pid}/cwd", "/proc/1/environ"),
    *("/proc/{pid}/task/{pid}/{top}{out}/secret", "/proc/thread-self/{top}/etc/passwd"),
    *("/proc/thread-self/environ", "/proc/self/../self/environ", "/proc", "/proc/sys/kernel"),
    *("/proc/self/task/{pid}/environ", "/proc/net/unix", "{ws}/../../proc/self/environ"),
)
_NO_PATHS = (
    *("inside\0/../../out/secret", "\0", "inside\0", "a" * 5000, "a/" * 4000, "n" * 300),
    *("../" * 2000 + "etc/passwd", "hard", "inner/hard", "pipe", "socket", "inside/below"),
    *("inner/pipe", "{more}/hard", "socket/below", "pipe/below"),
)
REFUSED = tuple(
    dict.fromkeys((*LINKS, *_THROUGH_LINKS, *_UPWARDS, *_ABSOLUTE, *_BY_PROC, *_NO_PATHS))
)
"""Every tool refuses every one of them."""

# On this system these are names of files inside, however much they look like a way out. A tool
# may make or miss such a file; what lies outside must not be reached by it.
SEEMING = (
    *("%2e%2e/out/secret", "..%2fout%2fsecret", "%2e%2e%2fout%2fsecret", "..%252fout/secret"),
    *("..\\out\\secret", "..\\/out/secret", "....//out/secret", ".../out/secret", "..;/out/secret"),
    *("\uff0e\uff0e/out/secret", "\u2024\u2024/out/secret", "..\u2215out\u2215secret"),
    *("..\uff0fout\uff0fsecret", ".\u200b./out/secret", "..\u200b/out/secret", "\ufeff../out/x"),
    *("\u202e../out/secret", ". ./out/secret", ".. /out/secret", " ../out/secret", "..\t/out/x"),
    *("~/secret", "~nobody/secret", "$HOME/secret", "${HOME}/secret", "$(pwd)/../out/secret"),
    *("`pwd`/../out/secret", "C:\\Windows\\win.ini", "\\\\host\\share\\x"),
    *("file:///etc/passwd", "file:/etc/passwd", "http://example.org/x", "data:text/plain,x"),
    *("FOLDER/secret", "Folder/Secret", "FILE", "UP/out/secret", "Slash/etc/passwd", "\ufb01le"),
    *("\uff46older/secret", "f\u043elder/secret", "fo\u0131der/secret", "fo\u200dlder/secret"),
    *("inside:stream", "inside::$DATA", "out/secret", "etc/out", "..\n/out/secret", "-rf", "--"),
    *("|id", ";id", "&", "*/secret", "[f]older/secret", "{folder,x}/secret", "fol?er/secret"),
)


class Field:
    """A workspace of two roots with every trap in it, and what lies beside them."""

    def __init__(self, folder: Path) -> None:
        self.base = folder
        self.root, self.more, self.out = (folder / name for name in ("ws", "more", "out"))
        outside = (self.out, self.out / "deep", *(folder / name for name in _BESIDE))
        for each in (self.root / "inner", self.more, *outside):
            each.mkdir(parents=True)
        for each in outside:
            (each / "secret").write_text(SECRET)
        (self.root / "inside").write_text("inside")
        for name, target in LINKS.items():
            (self.root / name).symlink_to(self.spelled(target))
        for name in ("folder", "up", "dangling"):
            (self.more / name).symlink_to(self.spelled(LINKS[name]))
        for place, secret in ((self.root / "hard", "secret"), (self.more / "hard", "secret")):
            os.link(self.out / secret, place)
        os.link(self.out / "deep/secret", self.root / "inner/hard")
        os.mkfifo(self.root / "pipe")
        os.mkfifo(self.root / "inner/pipe")
        self._listen()

    def spelled(self, path: str) -> str:
        """A path of the lists above, for this tree."""
        places = {"{ws}": self.root, "{more}": self.more, "{out}": self.out}
        for name, place in places.items():
            path = path.replace(name, str(place))
        path = path.replace("{pid}", str(os.getpid())).replace("{top}", "root")
        return path

    def outside(self) -> dict[str, str]:
        """Everything beside the workspace, to be compared."""
        return {
            str(path.relative_to(self.base)): path.read_text() if path.is_file() else "folder"
            for name in ("out", *_BESIDE)
            for path in (self.base / name, *sorted((self.base / name).rglob("*")))
        }

    def names(self) -> list[str]:
        """What lies directly in the workspace."""
        return sorted((*os.listdir(self.root), *os.listdir(self.more)))

    def _listen(self) -> None:
        here = os.getcwd()
        os.chdir(self.root)  # A socket's path must be short.
        try:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind("socket")
        finally:
            os.chdir(here)


_BESIDE = ("ws-evil", "ws2", "more-evil")
