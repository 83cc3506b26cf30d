"""Paths that decide what runs later: tools that follow them would act without anybody's consent.

Files that agents take as instructions are among them, since every later session obeys those.
Writing them always asks, whatever the mode, and whether they exist or not. So does everything in a
session that is opened inside of a folder that decides. Only a rule that names
exactly such a path lets it pass. Names are compared as file systems do that ignore case, or
characters that nobody sees.
"""

import re
from collections.abc import Iterable

from parley.coder.permission.guess import pieces
from parley.coder.permission.paths import folded
from parley.coder.permission.wildcard import ANYTHING, is_wild, may_be
from parley.coder.unseen import without_unseen

_FOLDERS = frozenset(
    (".git", ".hg", ".svn", ".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".husky")
).union(
    (".claude", ".codex", ".gemini", ".cursor", ".windsurf", ".roo", ".continue", ".opencode"),
    (".kiro", ".amazonq", ".qwen", ".clinerules", ".junie", ".goose", ".crush", ".aider"),
    (".parley", ".agents", ".ssh", ".gnupg", ".aws", ".kube", ".docker", ".yarn", ".cargo"),
    (".bundle", ".mvn", ".config", ".direnv", ".githooks", ".mise", ".vim", ".emacs.d"),
    (".ipython", ".jupyter", ".local"),
)
_FILES = frozenset((".gitmodules", ".gitconfig", ".gitattributes", ".git-credentials")).union(
    (".mcp.json", "opencode.json", "opencode.jsonc", ".aider.conf.yml", ".code-workspace"),
    ("agents.md", "agent.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md"),
    (".cursorrules", ".windsurfrules", ".roorules", ".goosehints", "copilot-instructions.md"),
    (".env", ".envrc", ".autoenv", ".autoenv.zsh", ".tool-versions", "mise.toml", ".mise.toml"),
    (".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pypirc", "pip.conf", ".netrc"),
    (".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
    (".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc"),
    (".login", ".inputrc", ".xprofile", ".xinitrc", ".xsession", ".tmux.conf", ".screenrc"),
    (".vimrc", ".nvimrc", ".nvim.lua", ".exrc", ".emacs", ".dir-locals.el", ".pdbrc"),
    (".gdbinit", ".lldbinit", ".curlrc", ".wgetrc", ".ripgreprc", ".rgrc", ".psqlrc"),
    (".rprofile", ".irbrc", ".pryrc", ".pre-commit-config.yaml", "sitecustomize.py"),
    ("usercustomize.py", "pyvenv.cfg", "trust.json", "skill.md"),
)
# Folders in which people work: what lies below counts only with one of these names.
_HOLDERS = {
    ".config": frozenset(
        ("parley", "git", "autostart", "systemd", "environment.d", "fish", "opencode", "goose")
    ),
    ".local": frozenset(("bin",)),
    ".cargo": frozenset(("bin",)),
    ".vim": frozenset[str](),
    ".emacs.d": frozenset[str](),
}
# Where agents keep further checkouts of a project, in their own folder in it.
_CHECKOUTS = "worktrees"
_OF_VERSIONS = frozenset((".git", ".hg", ".svn"))
_DOTTED = tuple(sorted(name for name in (*_FOLDERS, *_FILES) if name.startswith(".")))
_ENDINGS = (".code-workspace", ".pth")

# The name that a file system with short names gives to `.git`.
_SHORT = re.compile(r"git~\d+")
# Options of git that are followed by a value.
_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")


def is_protected(path: str) -> bool:
    """Whether writing a path may make something run; any step of the path may be the reason."""
    steps = [_plain_name(step) for step in folded(path).split("/") if step not in ("", ".")]
    return any(map(_decides, steps)) or (bool(steps) and steps[-1].endswith(_ENDINGS))


def is_inside_one(root: str) -> bool:
    """Whether a folder of the workspace lies in a folder that decides what runs later.

    Then everything in it does. A checkout that merely lies there is left alone: `.config/nvim`, or
    `.claude/worktrees/new`.
    """
    steps = [_plain_name(step) for step in folded(root).split("/") if step not in ("", ".")]
    found = (at for at, step in enumerate(steps) if step in _FOLDERS)
    return any(not _is_apart(steps[at], steps[at + 1 :]) for at in found)


def _is_apart(folder: str, below: list[str]) -> bool:
    if folder in _HOLDERS:
        return bool(below) and below[0] not in _HOLDERS[folder]
    return below[1:] != [] and below[0] == _CHECKOUTS and folder not in _OF_VERSIONS


def protected_word(words: Iterable[str]) -> str | None:
    """A word of a command that names a protected path, as a whole or as a value."""
    for word in sorted(words):
        if any(is_protected(part) or _may_become_one(part) for part in pieces(word)):
            return _shown(word)
    return None


def unknown_target(targets: Iterable[str]) -> str | None:
    """Where output goes, if nobody can tell what folder or what name that is."""
    for target in sorted(targets):
        steps = target.split("/")
        if ANYTHING in (steps[0], steps[-1]):
            return _shown(target)
    return None


def _shown(guessed: str) -> str:
    return guessed.replace(ANYTHING, "\u2026")


def git_settings(commands: Iterable[tuple[str | None, ...]]) -> str | None:
    """The settings of a repository, if a command changes them without naming their file."""
    for words in commands:
        if words[0] is not None and words[0].rpartition("/")[2] == "git" and _sets(words[1:]):
            return ".git/config"
    return None


def _sets(words: tuple[str | None, ...]) -> bool:
    """Whether the first word that is no option, nor the value of one, names such a command."""
    value = False
    for word in words:
        if value or word is None or word.startswith("-"):
            value = not value and word in _WITH_VALUE
            continue
        return word in ("config", "remote", "submodule")
    return False


def _may_become_one(path: str) -> bool:
    """Whether a shell might make a protected path of wildcards.

    Only names with a dot in front count: `*.md` is too common to ask for, and does not match those.
    """
    steps = [step for step in folded(path).split("/") if step.startswith(".") and is_wild(step)]
    return any(may_be(step, name) for step in steps for name in _DOTTED)


def _decides(step: str) -> bool:
    return step in _FOLDERS or step in _FILES or _SHORT.fullmatch(step) is not None


def _plain_name(step: str) -> str:
    # Windows ignores dots and blanks at the end of a name, and what follows a colon.
    # Some file systems leave out what nobody sees when they compare names.
    seen = without_unseen(step)
    return seen.split(":", 1)[0].rstrip(". ") or seen
