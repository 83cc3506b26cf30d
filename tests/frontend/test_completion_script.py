"""The scripts for shells, made from a small tree."""

import subprocess

import pytest

from parley.frontend.completion_script import (
    SCRIPTS,
    Flag,
    Node,
    Slot,
    bash_script,
    fish_script,
    is_word,
    zsh_script,
)

TREE = Node(
    "parley",
    "",
    (Flag(("-h", "--help"), Slot(), "it's help"),),
    (),
    (
        Node(
            "make",
            "make it",
            (
                Flag(("--agent",), Slot("agent")),
                Flag(("--file",), Slot("file")),
                Flag(("--dir", "-d"), Slot("folder")),
                Flag(("--say",), Slot("text")),
                Flag(("--kind",), Slot("choice", ("big", "small", "$(touch x)"))),
            ),
            (Slot("choice", ("tea", "time")),),
            (Node("deep", "deeper", (Flag(("--inner",), Slot()),), (Slot("agent"),)),),
        ),
        Node("open", "open it", (), (Slot("file"),)),
    ),
)
AGENTS = ("gemini", "goose", "`rm -rf`", "a b", "-x")


def completed(*words: str, cwd: str = "/") -> list[str]:
    """What bash offers behind these words."""
    quoted = " ".join(f"'{word}'" for word in ("parley", *words))
    program = f"""
{bash_script(TREE, AGENTS)}
COMP_WORDS=({quoted}); COMP_CWORD={len(words)}
_parley
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    finished = subprocess.run(
        ["bash", "--norc", "-c", program],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
    )
    assert finished.stderr == ""
    return finished.stdout.split("\n")[:-1] if finished.stdout.strip() else []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("",), ["make", "open", "--help"]),
        (("ma",), ["make"]),
        (("make", "t"), ["tea", "time"]),
        (("make", "--k"), ["--kind"]),
        (("make", "--kind", ""), ["big", "small"]),
        (("make", "--kind", "=", "s"), ["small"]),
        (("make", "--kind", "="), ["big", "small"]),
        (("make", "--agent", "g"), ["gemini", "goose"]),
        (("make", "--say", ""), []),
        (("make", "deep", "go"), ["goose"]),
        (("make", "deep", "--"), ["--inner"]),
        (("make", "--", "x", ""), []),
        (("nothing", "ma"), ["make"]),
    ],
)
def test_bash_offers_what_may_stand_there(words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(*words) == offered


def test_bash_offers_files_and_folders(tmp_path: pytest.TempPathFactory) -> None:
    folder = str(tmp_path)
    for name in ("an odd name", "a*"):
        with open(f"{folder}/{name}", "w"):
            pass
    subprocess.run(["mkdir", f"{folder}/a folder"], check=True, timeout=10)
    everything = {"an odd name", "a*", "a folder"}
    assert set(completed("make", "--file", "a", cwd=folder)) == everything
    assert completed("make", "--dir", "a", cwd=folder) == ["a folder"]
    assert completed("make", "-d", "a", cwd=folder) == ["a folder"]
    assert set(completed("open", "a", cwd=folder)) == everything


def test_bash_knows_the_function_by_the_command() -> None:
    program = f"{bash_script(TREE, AGENTS)}\ncomplete -p parley"
    finished = subprocess.run(
        ["bash", "--norc", "-c", program], capture_output=True, text=True, timeout=10, check=True
    )
    assert finished.stdout == "complete -o bashdefault -o default -F _parley parley\n"


@pytest.mark.parametrize("shell", list(SCRIPTS))
def test_nothing_that_a_shell_could_run_gets_into_a_script(shell: str) -> None:
    script = SCRIPTS[shell](TREE, AGENTS)
    assert "touch" not in script
    assert "rm -rf" not in script
    assert "gemini" in script


def test_fish_has_every_command_and_option() -> None:
    script = fish_script(TREE, AGENTS)
    for line in (
        "complete -c parley -n '__parley_only' -a make -d 'make it'",
        "complete -c parley -n '__parley_only' -s h -l help -d 'it\\'s help'",
        "complete -c parley -n '__parley_only make' -a deep -d 'deeper'",
        "complete -c parley -n '__parley_at make' -l kind -x -a 'big small' -d ''",
        "complete -c parley -n '__parley_at make' -l agent -x -a 'gemini goose' -d ''",
        "complete -c parley -n '__parley_at make' -l file -r -F -d ''",
        "complete -c parley -n '__parley_at make' -l say -x -d ''",
        "complete -c parley -n '__parley_at make' -a 'tea time'",
        "complete -c parley -n '__parley_at open' -F",
    ):
        assert line in script.splitlines()
    assert script.count("function ") == script.splitlines().count("end")


def test_zsh_has_the_same_table_as_bash() -> None:
    bash, zsh = bash_script(TREE, AGENTS), zsh_script(TREE, AGENTS)
    table = [line for line in bash.splitlines() if "kind=" in line and ") kind" in line]
    assert table
    assert set(table) <= set(zsh.splitlines())
    assert zsh.startswith("#compdef parley\n")


def test_a_word_means_itself_in_every_shell() -> None:
    assert [
        text for text in ("a", "a-b.c_1", "", "-a", "a b", "a;b", "ä", "a\n") if is_word(text)
    ] == [
        "a",
        "a-b.c_1",
    ]
