"""Scripts that make a shell complete commands, options and values. Pure.

A script is a table of what may stand where, and knows nothing of what commands do. Only plain words
get into it, so nothing in it can be taken for a command of the shell.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

Kind = Literal["none", "choice", "agent", "file", "folder", "text"]
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Slot(Struct, frozen=True):
    """What may stand in one place."""

    kind: Kind = "none"
    choices: tuple[str, ...] = ()


class Flag(Struct, frozen=True):
    names: tuple[str, ...]
    slot: Slot
    """Its value; of the kind `none` where it takes no value."""
    about: str = ""


class Node(Struct, frozen=True):
    """A command, its options, and the commands below it."""

    name: str
    about: str
    flags: tuple[Flag, ...] = ()
    slots: tuple[Slot, ...] = ()
    """What is expected besides options, in order."""
    children: tuple["Node", ...] = ()


def is_word(text: str) -> bool:
    """Whether a text means itself in every shell."""
    return _WORD.fullmatch(text) is not None


def bash_script(tree: Node, agents: Sequence[str]) -> str:
    return f"""\
# Completion of parley for bash.
_parley() {{
    local at="" i word kind="" list=""
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
    # Bash breaks --name=value at the sign.
    [[ $cur == "=" ]] && cur=""
    [[ $prev == "=" ]] && prev=${{COMP_WORDS[COMP_CWORD-2]}}
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
{_table(tree, agents, "return 0")}
    COMPREPLY=()
    case $kind in
        file | folder) compopt -o filenames 2>/dev/null ;;
    esac
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(
        compgen -W "$list" -- "$cur"
        case $kind in
            file) compgen -f -- "$cur" ;;
            folder) compgen -d -- "$cur" ;;
        esac
    )
    return 0
}}
complete -o bashdefault -o default -F _parley parley
"""


def zsh_script(tree: Node, agents: Sequence[str]) -> str:
    return f"""\
#compdef parley
# Completion of parley for zsh.
_parley() {{
    local at="" i word kind="" list="" prev=${{words[CURRENT-1]}}
    for ((i = 2; i < CURRENT; i++)); do
        word=${{words[i]}}
{_table(tree, agents, "_files && return 0")}
    [[ -n $list ]] && compadd -- ${{=list}}
    case $kind in
        file) _files ;;
        folder) _files -/ ;;
    esac
    return 0
}}
compdef _parley parley
"""


def fish_script(tree: Node, agents: Sequence[str]) -> str:
    return "\n".join([_FISH, *_fish_lines(tree, agents)]) + "\n"


SCRIPTS: Mapping[str, Callable[[Node, Sequence[str]], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}

_FISH = """\
# Completion of parley for fish.
function __parley_words
    set -l given (commandline -opc)
    set -e given[1]
    contains -- -- $given; and return 1
    for word in $given
        string match -q -- '-*' $word; or echo $word
    end
end
function __parley_at
    set -l at (__parley_words); or return 1
    set -l head $at[1..(count $argv)]
    test "$head" = "$argv"
end
function __parley_only
    set -l at (__parley_words); or return 1
    test "$at" = "$argv"
end
complete -c parley -f"""


def _table(tree: Node, agents: Sequence[str], elsewhere: str) -> str:
    """The part that bash and zsh share: where the cursor is, and what may stand there."""
    steps: list[str] = []
    behind: list[str] = []
    here: list[str] = []
    for path, node in _walk(tree):
        at = "".join(f"/{part}" for part in path)
        if at:
            steps.append(f'"{at}"')
        for flag in node.flags:
            if flag.slot.kind != "none":
                keys = " | ".join(f'"{at} {name}"' for name in flag.names)
                behind.append(
                    f'        {keys}) kind={flag.slot.kind} list="{_words(flag.slot)}" ;;'
                )
        first = node.slots[0] if node.slots else Slot()
        names = [name for flag in node.flags for name in flag.names if name.startswith("--")]
        words = [*_words(first).split(), *(child.name for child in node.children), *names]
        here.append(f'            "{at}") kind={first.kind} list="{" ".join(words)}" ;;')
    newline = "\n"
    return f"""\
        # What follows is the command of somebody else.
        [[ $word == "--" ]] && {elsewhere}
        case "$at/$word" in
            {"|".join(steps)}) at="$at/$word" ;;
        esac
    done
    case "$at $prev" in
{newline.join(behind)}
    esac
    if [[ -z $kind ]]; then
        case "$at" in
{newline.join(here)}
        esac
    fi
    [[ $kind == agent ]] && list="$list {" ".join(filter(is_word, agents))}\""""


def _walk(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    yield path, node
    for child in node.children:
        yield from _walk(child, (*path, child.name))


def _words(slot: Slot) -> str:
    return " ".join(filter(is_word, slot.choices))


def _fish_lines(tree: Node, agents: Sequence[str]) -> Iterator[str]:
    for path, node in _walk(tree):
        only = " ".join(("__parley_only", *path))
        at = " ".join(("__parley_at", *path)) if path else only
        for child in node.children:
            yield f"complete -c parley -n '{only}' -a {child.name} -d {_fish(child.about)}"
        for flag in node.flags:
            yield f"complete -c parley -n '{at}' {_fish_flag(flag, agents)}"
        for slot in node.slots:
            match slot.kind:
                case "file" | "folder":
                    yield f"complete -c parley -n '{at}' -F"
                case "choice" | "agent":
                    yield f"complete -c parley -n '{at}' -a '{_fish_words(slot, agents)}'"
                case _:
                    pass


def _fish(text: str) -> str:
    """A text in quotes, in which nothing means anything to fish."""
    kept = re.sub(r"[^ -~]", " ", text).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{kept}'"


def _fish_words(slot: Slot, agents: Sequence[str]) -> str:
    return " ".join(filter(is_word, agents if slot.kind == "agent" else slot.choices))


def _fish_flag(flag: Flag, agents: Sequence[str]) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names]
    match flag.slot.kind:
        case "none":
            value = ""
        case "file" | "folder":
            value = "-r -F "
        case "text":
            value = "-x "
        case _:
            value = f"-x -a '{_fish_words(flag.slot, agents)}' "
    return f"{' '.join(names)} {value}-d {_fish(flag.about)}"
