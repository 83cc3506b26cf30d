"""What a command may write, read and reach. Pure: paths come in as text, nothing is looked up.

A command writes in the workspace, in the temp folder and to a few devices, and nowhere else. It
reads everything but what is hidden: the agent's own files, and the places where people keep keys.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from msgspec import Struct

DEVICES = (
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"),
    "/dev/ptmx",
)
"""Devices that may be written to; the terminals of the user are not among them."""

# Below the home folder. A command that needs one of them is named in the settings by its user.
_KEY_STORES = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".netrc", ".git-credentials", ".pypirc"),
    *(".password-store", ".vault-token", ".mozilla", ".thunderbird", ".docker/config.json"),
    *(".config/gh", ".config/hub", ".config/gcloud", ".config/op", ".config/google-chrome"),
    *(".config/chromium", ".local/share/keyrings", ".local/share/python_keyring"),
    *("Library/Keychains", "Library/Cookies"),
)
# Variables that move what package managers keep between runs, with the folder of each.
_CACHES = {
    "XDG_CACHE_HOME": "xdg",
    "npm_config_cache": "npm",
    "CARGO_HOME": "cargo",
    "GOMODCACHE": "go",
    "GRADLE_USER_HOME": "gradle",
}
# What decides what runs later, directly in a folder of the workspace. Git itself must be able to
# write its folder, so of that only the parts that run something are here.
_GIT = ("config", "config.worktree", "hooks", "info/attributes")
_FOLDERS = (
    *(".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".husky", ".githooks", ".hg", ".svn"),
    *(".claude", ".codex", ".gemini", ".cursor", ".windsurf", ".roo", ".continue", ".opencode"),
    *(".kiro", ".amazonq", ".qwen", ".clinerules", ".junie", ".goose", ".crush"),
    *(".parley", ".agents", ".mvn", ".cargo", ".direnv", ".ssh", ".gnupg", ".aws", ".kube"),
)
_FILES = (
    *(".gitmodules", ".gitconfig", ".mcp.json", ".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml"),
    *(".pnpmfile.cjs", ".pypirc", ".netrc", ".pre-commit-config.yaml", ".mise.toml", "mise.toml"),
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc"),
    *(".login", ".inputrc", ".vimrc", ".nvimrc", ".exrc", ".gdbinit", ".lldbinit", ".pdbrc"),
    *(".curlrc", ".wgetrc", ".ripgreprc", ".tool-versions", "opencode.json", "opencode.jsonc"),
)
# What agents are told, and what git reads of a checkout. Whoever changes branches must be able to
# write them, so they are watched and not kept.
_WATCHED = (
    *("AGENTS.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules"),
    *(".windsurfrules", ".roorules", ".goosehints", ".github/copilot-instructions.md"),
    *(".gitattributes", ".env", "sitecustomize.py", "usercustomize.py"),
)


class Limits(Struct, frozen=True):
    """What holds for one command. All paths are absolute and real."""

    writable: tuple[str, ...]
    """Folders in which everything may be changed."""
    hidden: tuple[str, ...] = ()
    """Files and folders that can be neither read nor written."""
    protected: tuple[str, ...] = ()
    """May be read and not written; only some mechanisms can do that inside a writable folder."""
    network: bool = True
    own: tuple[str, ...] = ()
    """Of the agent itself: may be read and not written, and every mechanism can do that."""

    @property
    def kept(self) -> tuple[str, ...]:
        """What may be read and not written, as far as it can be seen at all."""
        every = sorted({*self.protected, *self.own})
        return tuple(path for path in every if not any(is_below(path, it) for it in self.hidden))


def key_stores(home: str) -> tuple[str, ...]:
    """Where a person keeps keys."""
    return tuple(posixpath.join(home, name) for name in _KEY_STORES)


def cache_variables(folder: str) -> dict[str, str]:
    """Where package managers keep things, since those of the user cannot be written."""
    return {name: posixpath.join(folder, part) for name, part in _CACHES.items()}


def protected_in(root: str) -> tuple[str, ...]:
    """The paths of a workspace folder that decide what runs later, whether they exist or not."""
    return (
        *(posixpath.join(root, ".git", name) for name in _GIT),
        *(posixpath.join(root, name) for name in (*_FOLDERS, *_FILES)),
    )


def watched_in(root: str) -> tuple[str, ...]:
    """The paths whose changes a person should know of: those, and some that nothing protects."""
    return (*protected_in(root), *(posixpath.join(root, name) for name in _WATCHED))


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it, by whole components."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def around(paths: Iterable[str], folders: Iterable[str]) -> tuple[str, ...]:
    """The folders between some folders and the paths in them, the outer ones first.

    Whoever could rename one of them would take what lies in it to a place where nothing holds it,
    and could put another in its place.
    """
    above = {
        folder
        for path in paths
        for folder in map(str, PurePosixPath(path).parents)
        if any(folder != it and is_below(folder, it) for it in folders)
    }
    return tuple(sorted(above.difference(folders)))


def without(
    path: str, holes: Iterable[str], children: Callable[[str], Iterable[str]]
) -> Iterator[str]:
    """The parts of a folder that together are all of it but the holes.

    What is directly in a folder around a hole has to be named one by one, so nothing new can be
    made there. `children` lists the names in a folder.
    """
    if any(is_below(path, hole) for hole in holes):
        return
    inner = tuple(hole for hole in holes if is_below(hole, path))
    if not inner:
        yield path
        return
    for name in children(path):
        yield from without(posixpath.join(path, name), inner, children)
