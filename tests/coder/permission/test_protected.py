"""What decides what runs later is protected, whatever its case and wherever it lies."""

import pytest

from parley.coder.permission.protected import (
    git_settings,
    is_inside_one,
    is_protected,
    protected_word,
)


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        ".git/config",
        ".git",
        "sub/.git/config",
        ".gitmodules",
        ".vscode/settings.json",
        ".idea/workspace.xml",
        ".zed/tasks.json",
        ".claude/settings.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".parley/rules",
        ".cursor/mcp.json",
        ".mcp.json",
        ".envrc",
        ".npmrc",
        ".bashrc",
        ".zshenv",
        ".profile",
        "project.code-workspace",
        "AGENTS.md",
        "sub/Claude.md",
        "CLAUDE.local.md",
        "GEMINI.md",
        ".cursorrules",
        ".github/copilot-instructions.md",
        ".claude/skills/new/SKILL.md",
        ".agents/skills/new/SKILL.md",
        ".parley/skills/new/SKILL.md",
        "opencode.json",
        ".local/share/parley/trust.json",
        ".local/bin/git",
        "data/trust.json",
        ".env",
        ".gitattributes",
        ".tool-versions",
        "lib/site-packages/x.pth",
        ".config/fish/config.fish",
        ".g\u200cit/hooks/x",
        ".gi\ufefft/config",
        ".c\u017fhrc",
        "GIT~1/config",
        ".GIT/hooks/x",
        ".Mcp.JSON",
        ".git./config",
        ".git /config",
        ".git::$INDEX_ALLOCATION/config",
        "/home/someone/.bashrc",
        "./.vscode/tasks.json",
        "anywhere/Skill.md",
    ],
)
def test_it_is_protected(path: str) -> None:
    assert is_protected(path)


@pytest.mark.parametrize(
    "path",
    [
        *("src/app.py", "pyproject.toml", ".gitignore", ".github/x.yml", "git/x", "", "."),
        *("docs/agents.rst", ".env.example", "path", "x.pthx", "environment", "git~x/y"),
    ],
)
def test_it_is_not_protected(path: str) -> None:
    assert not is_protected(path)


def test_a_word_names_a_protected_path_as_a_whole_or_as_a_value() -> None:
    assert protected_word(("cp", "a", ".git/hooks/x")) == ".git/hooks/x"
    assert protected_word(("x", "--output=.git/config")) == "--output=.git/config"
    assert protected_word(("x", "about .git things")) is None


@pytest.mark.parametrize(
    "word", [".gi?/hooks/x", ".g*/config", ".*", "sub/.vscod*", "of=.mcp.jso?", ".[g]it/x"]
)
def test_wildcards_may_become_a_protected_path(word: str) -> None:
    assert protected_word(("cp", word)) == word


@pytest.mark.parametrize("word", ["*", "*.md", "src/*.py", ".github-x*", ".github/*", "a.*", "./*"])
def test_common_wildcards_become_none(word: str) -> None:
    assert protected_word(("cp", word)) is None


@pytest.mark.parametrize(
    "line",
    [
        "git config core.hooksPath evil",
        "/usr/bin/git -C sub config x y",
        "git -c a=b --no-pager remote add origin url",
        "git submodule add url",
    ],
)
def test_some_commands_change_the_settings_of_a_repository(line: str) -> None:
    assert git_settings((("cd", "x"), tuple(line.split()))) == ".git/config"


@pytest.mark.parametrize("line", ["git add config", "git", "git -C config status", "hg config x"])
def test_other_commands_do_not_change_the_settings(line: str) -> None:
    assert git_settings((tuple(line.split()),)) is None


def test_a_command_that_is_not_known_changes_no_settings_that_are() -> None:
    assert git_settings(((None, "config"), ("git", None))) is None


@pytest.mark.parametrize(
    "root",
    [
        "/w/.git",
        "/w/.GIT/hooks",
        "/w/.git/worktrees/new",
        "/w/.vscode",
        "/h/.claude",
        "/w/.claude/skills/x",
        "/h/.claude/worktrees",
        "/h/.config",
        "/h/.config/parley/skills",
        "/h/.config/autostart",
        "/h/.local/bin",
        "/h/.ssh",
    ],
)
def test_everything_decides_where_the_folder_around_the_root_does(root: str) -> None:
    assert is_inside_one(root)


@pytest.mark.parametrize(
    "root",
    [
        "/w",
        "/h/.config/nvim",
        "/h/.local/share/chezmoi",
        "/w/.claude/worktrees/new",
        "/w/.claude/worktrees/new/src",
        "/h/.codex/worktrees/1/w",
        "/h/.vim/pack/mine",
        "/w/.env/lib",
        "/w/git",
    ],
)
def test_a_checkout_that_merely_lies_there_is_left_alone(root: str) -> None:
    assert not is_inside_one(root)
