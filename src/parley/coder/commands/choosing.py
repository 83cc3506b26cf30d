"""`/model`, `/mode` and `/permissions`: what holds in the session, and choosing something else."""

from parley.coder.commands.outcome import Say
from parley.coder.open_session import OpenSession
from parley.coder.options import chosen_with
from parley.coder.store.entry import OptionSet, Remembered
from parley.session.option import Choice, Select

_MOST_SHOWN = 60


async def model(session: OpenSession, arguments: str) -> Say:
    return _option(session, "model", arguments)


async def mode(session: OpenSession, arguments: str) -> Say:
    return _option(session, "mode", arguments)


async def permissions(session: OpenSession, arguments: str) -> Say:
    """Everything that decides whether a call is asked for."""
    current = next(each for each in session.options if each.id == "mode")
    assert isinstance(current, Select)
    lines = ["Mode", *_choices(current)]
    rules = session.runtime.rules
    lines += ["", "Rules (strongest: deny, then ask, then allow)"]
    lines += [f"- `{rule.text}`" for rule in rules] or ["- none"]
    remembered = session.history.remembered
    lines += ["", "Answers that hold for this session"]
    lines += [f"- {_remembered(each)}" for each in remembered] or ["- none"]
    return Say("\n".join(lines))


def _option(session: OpenSession, id: str, wanted: str) -> Say:
    option = next(each for each in session.options if each.id == id)
    assert isinstance(option, Select)
    if not wanted:
        lines = [f"The {id} is `{option.current}`.", "", *_choices(option)]
        return Say("\n".join([*lines, "", f"Choose another one with `/{id} NAME`."]))
    found = _matches(option, wanted)
    if len(found) != 1:
        what = "More than one" if found else "No"
        shown = [f"- `{choice.value}`" for choice in (found or option.flat())[:_MOST_SHOWN]]
        return Say("\n".join([f"{what} {id} is called `{wanted[:100]}`:", "", *shown]))
    value = found[0].value
    chosen_with(session.chosen, session.options, id, value)
    session.append(OptionSet(id, value))
    session.refresh()
    return Say(f"The {id} is `{value}` now.")


def _matches(option: Select, wanted: str) -> list[Choice]:
    """The choices that somebody may mean; the exact one alone where there is one."""
    plain = wanted.casefold()
    closest: list[list[Choice]] = [[], [], [], []]
    for choice in option.flat():
        value = choice.value.casefold()
        if choice.value == wanted:
            closest[0].append(choice)
        if plain in (value, choice.name.casefold()):
            closest[1].append(choice)
        if value.rpartition("/")[2] == plain:
            closest[2].append(choice)
        if plain in value:
            closest[3].append(choice)
    return next((found for found in closest if found), closest[0])


def _choices(option: Select) -> list[str]:
    choices = option.flat()
    lines: list[str] = []
    for choice in choices[:_MOST_SHOWN]:
        said = f": {choice.description}" if choice.description else ""
        current = " (current)" if choice.value == option.current else ""
        lines.append(f"- `{choice.value}`{current}{said}")
    if len(choices) > _MOST_SHOWN:
        lines.append(f"- and {len(choices) - _MOST_SHOWN} more")
    return lines


def _remembered(answer: Remembered) -> str:
    effect = "allow" if answer.allowed else "deny"
    return f"`{effect} {answer.tool}{f':{answer.pattern}' if answer.pattern else ''}`"
