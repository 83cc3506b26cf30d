"""How much of a command a rule must spell out before the words behind it can be anything."""

from posixpath import basename

from parley.coder.permission.program_table import (
    BARE,
    CARRIERS,
    CODE,
    ESCAPES,
    LINE_ONLY,
    LONGER,
    NAMED_BY_ITSELF,
    ONE_DASH,
    OPEN_SUBCOMMANDS,
    SAME,
    SUBCOMMANDS,
)


def program_of(argv: tuple[str, ...]) -> str:
    """The name of a program without its folder."""
    return basename(argv[0])


def is_open(argv: tuple[str, ...]) -> bool:
    """Whether a command may run anything at all, so that only its exact line can be allowed."""
    if inner := _carried(argv):
        return is_open(inner)
    program = program_of(argv)
    if program in LINE_ONLY:
        return True
    if CODE.fullmatch(program):
        return _script_end(argv) is None
    opened = OPEN_SUBCOMMANDS.get(program, frozenset())
    # Options may stand before the subcommand, with values that look like one.
    return bool(opened & set(argv[1:4])) or any(argv[: len(words)] == words for words in CARRIERS)


def leaves_free(argv: tuple[str, ...], fixed: int) -> bool:
    """Whether all words from `fixed` on may be anything that a rule leaves open.

    False when the program would run other programs, or when one of these words makes it.
    """
    if inner := _carried(argv):
        return leaves_free(inner, max(0, fixed - (len(argv) - len(inner))))
    if is_open(argv):
        return False
    if CODE.fullmatch(program_of(argv)):
        return fixed >= (_script_end(argv) or fixed + 1)
    program = program_of(argv)
    program = SAME.get(program, program)
    return not any(_escapes(word, program) for word in argv[max(1, fixed) :])


def naming_words(argv: tuple[str, ...]) -> int | None:
    """How many of the first words say what a command does; `None` if only all of them do."""
    if is_open(argv):
        return None
    if inner := _carried(argv):
        count = naming_words(inner)
        return None if count is None else count + len(argv) - len(inner)
    program = argv[0]
    if CODE.fullmatch(program):
        return _script_end(argv)
    if program in NAMED_BY_ITSELF:
        return 1
    count = LONGER.get(argv[:2], SUBCOMMANDS.get(program))
    if count is None or len(argv) < count:
        return None
    return count if all(BARE.fullmatch(word) for word in argv[1:count]) else None


def _carried(argv: tuple[str, ...]) -> tuple[str, ...]:
    for words in CARRIERS:
        count = len(words)
        if argv[:count] == words and len(argv) > count and not argv[count].startswith("-"):
            return argv[count:]
    return ()


def _script_end(argv: tuple[str, ...]) -> int | None:
    """The end of `python -m module` and of `python script.py`."""
    if len(argv) > 2 and argv[1] == "-m" and BARE.fullmatch(argv[2]):
        return 3
    if len(argv) > 1 and BARE.fullmatch(argv[1].removeprefix("./")) and "." in argv[1]:
        return 2
    return None


def _escapes(word: str, program: str) -> bool:
    if not word.startswith("-"):
        # A variable of `make` and a remote helper of `git` run programs too.
        return word.startswith("ext::") or (program == "make" and "=" in word)
    name = word.split("=", 1)[0]
    for option in ESCAPES.get(program, ESCAPES["*"]):
        if program in ONE_DASH:
            found = name.lstrip("-") == option.lstrip("-")
        elif option.startswith("--"):
            # Long options may be shortened to any clear beginning, and some have variants.
            found = len(name) > 2 and (option.startswith(name) or name.startswith(f"{option}-"))
        else:
            # Short options may stand together, and their value may follow at once.
            found = not word.startswith("--") and option[1] in word
        if found:
            return True
    return False
