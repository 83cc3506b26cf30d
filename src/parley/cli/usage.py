"""Wrong usage, and every other failure of a command, in one form: what is wrong, and what to try.

For instance "parley run: `--modle` is no option", and then "try: did you mean `--model`?".
"""

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from parley.cli.help_text import HelpText
from parley.errors import AcpError, RpcError

# How the standard library words what it finds, and how we do.
_MISSING = "the following arguments are required: "
_EXPECTED = re.compile(r"argument (\S+): expected .*")
_INVALID = re.compile(r"argument (\S+): invalid \w+ value: '(.*)'")
_EXCLUDED = re.compile(r"argument (\S+): not allowed with argument (\S+)")
_NO_VALUE = re.compile(r"argument (\S+): ignored explicit argument .*")
_WRONG = re.compile(r"argument (\S+): (.*)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """Takes options by their whole names, and says what is wrong in our form."""

    example = ""
    """A command line that is right."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self._given: list[str] = []
        super().__init__(*given, **{"allow_abbrev": False, "formatter_class": HelpText, **named})

    def fail(self, problem: str, fix: str) -> NoReturn:
        """Leave, since the command line is wrong."""
        self.exit(2, complaint(self.prog, f"{problem}\nhint: {fix}"))

    def error(self, message: str) -> NoReturn:
        """Say in our words what the standard library found."""
        help_ = f"`{self.prog} --help` explains it"
        if message.startswith(_MISSING):
            first = message.removeprefix(_MISSING).split(", ")[0]
            self.fail(f"`{first}` is missing", self.example or self._needed())
        if found := _EXPECTED.fullmatch(message):
            self.fail(f"`{found[1]}` needs a value", self._value_of(found[1]) or help_)
        if found := _INVALID.fullmatch(message):
            self.fail(f"`{found[1]}` cannot be `{found[2]}`", self._value_of(found[1]) or help_)
        if found := _EXCLUDED.fullmatch(message):
            self.fail(f"`{found[1]}` and `{found[2]}` exclude each other", "leave out one of them")
        if found := _NO_VALUE.fullmatch(message):
            self.fail(f"`{found[1]}` takes no value", f"`{found[1]}` alone")
        if found := _WRONG.fullmatch(message):
            problem, _, fix = found[2].partition("\nhint: ")
            self.fail(f"`{found[1]}`: {problem}", fix or help_)
        self.fail(message, help_)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Refuse what is not known here, where the arguments that there are can be named."""
        self._given = list(args or ())
        options, strange = super().parse_known_args(args, namespace)
        if strange:
            self._refuse(strange)
        return options, strange

    def _refuse(self, strange: Sequence[str]) -> NoReturn:
        self._refuse_options(strange)
        fix = f"leave it out, or quote words that belong together; {self._help()}"
        self.fail(f"`{strange[0]}` is an argument too many", fix)

    def _refuse_options(self, words: Sequence[str]) -> None:
        known = self._option_string_actions
        names = (word.partition("=")[0] for word in words if word.startswith("-"))
        if name := next((each for each in names if each not in known), None):
            agents = "-- AGENT" in (self.usage or "")
            other = "options of the agent stand behind `--`; " if agents else ""
            self.fail(f"`{name}` is no option", (meant(name, known) or other) + self._help())

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [str(each) for each in action.choices or ()]
        if action.choices is None or value in action.choices:
            return
        if isinstance(action.choices, Mapping) and value in self._given:
            # What follows an option that is not known looks like an action, and is its value.
            self._refuse_options(self._given[: self._given.index(value)])
        if action.option_strings:
            problem = f"`{action.option_strings[-1]}` cannot be `{value}`"
        else:
            kind = action.metavar if isinstance(action.metavar, str) else action.dest
            problem = f"`{value}` is no {kind.lower()}"
        self.fail(problem, f"{meant(str(value), choices)}there are: {', '.join(choices)}")

    def _needed(self) -> str:
        """The shortest line that has everything."""
        return " ".join((self.prog, *(_written(each) for each in self._actions if each.required)))

    def _value_of(self, names: str) -> str:
        """How an option with its value is written; nothing if it is not known."""
        action = self._option_string_actions.get(names.split("/")[-1])
        return "" if action is None else _written(action)

    def _help(self) -> str:
        return f"`{self.prog} --help` explains what there is"


def complaint(command: str, error: AcpError | str) -> str:
    """What is shown when a command fails; a line with `hint:` in the text becomes what to try."""
    # Only here, since a command that works does not need it.
    from parley.frontend.visible import visible  # noqa: PLC0415

    text = error.message if isinstance(error, RpcError) else str(error)
    problem, _, fix = text.partition("\nhint: ")
    # Where the error was found is not told: it is the line that somebody has just typed.
    for place in ("the command line: ", f"{command}: "):
        problem = problem.removeprefix(place)
    # An agent may have written it.
    return visible(f"{command}: {problem}\n" + (f"try: {fix}\n" if fix else ""))


def meant(word: str, known: Iterable[str]) -> str:
    """A question whether something like it was meant, with a blank behind; or nothing."""
    # Only somebody who made a mistake needs it.
    from difflib import get_close_matches  # noqa: PLC0415

    # Dashes would make all options look alike.
    names = {each.lstrip("-"): each for each in known}
    bare = word.lstrip("-")
    # Letters in another order are the most common slip, and count as two mistakes otherwise.
    turned = [each for each in names if sorted(each) == sorted(bare)]
    close = turned or get_close_matches(bare, names, 1)
    return f"did you mean `{names[close[0]]}`? " if close else ""


def _written(action: argparse.Action) -> str:
    value = "|".join(map(str, action.choices)) if action.choices else action.metavar
    return " ".join((*action.option_strings[-1:], str(value or action.dest.upper())))
