"""Paths that decide what runs later: tools that follow them would act without anybody's consent.

Writing them always asks, whatever the mode, and whether they exist or not. Only a rule that names
exactly such a path lets it pass. Names are compared without case, since some file systems do.
"""

from collections.abc import Iterable

from parley.coder.permission.paths import folded

_FOLDERS = frozenset(
    (".git", ".hg", ".svn", ".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".husky")
).union(
    (".claude", ".codex", ".gemini", ".cursor", ".windsurf", ".roo", ".continue", ".opencode"),
    (".parley", ".agents", ".ssh", ".gnupg", ".aws", ".kube", ".docker", ".yarn", ".cargo"),
    (".bundle", ".mvn", ".config", ".direnv", ".githooks"),
)
_FILES = frozenset((".gitmodules", ".gitconfig", ".mcp.json", ".envrc", ".npmrc", ".yarnrc")).union(
    (".yarnrc.yml", ".pnpmfile.cjs", ".pypirc", ".netrc", ".tool-versions", "mise.toml"),
    (".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
    (".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc"),
    (".login", ".inputrc", ".vimrc", ".nvimrc", ".exrc", ".ripgreprc", ".pdbrc", ".gdbinit"),
    (".lldbinit", ".curlrc", ".wgetrc", ".pre-commit-config.yaml", ".mise.toml", ".rgrc"),
    ("sitecustomize.py", "usercustomize.py", ".code-workspace"),
)

# Options of git that are followed by a value.
_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")


def is_protected(path: str) -> bool:
    """Whether writing a path may make something run; any step of the path may be the reason."""
    steps = [_plain_name(step) for step in folded(path).split("/") if step not in ("", ".")]
    return any(step in _FOLDERS or step in _FILES for step in steps) or (
        bool(steps) and steps[-1].endswith(".code-workspace")
    )


def protected_word(words: Iterable[str]) -> str | None:
    """A word of a command that names a protected path, as a whole or as a value."""
    for word in sorted(words):
        if any(map(is_protected, word.split("="))):
            return word
    return None


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


def _plain_name(step: str) -> str:
    # Windows ignores dots and blanks at the end of a name, and what follows a colon.
    return step.split(":", 1)[0].rstrip(". ") or step
