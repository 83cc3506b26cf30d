"""Reads a scenario and finds every mistake that shows without playing it.

Whatever is wrong is said with the number of the step, in the order of the file.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct

from parley.conformance.scenario import (
    Answer,
    AnyStep,
    Expect,
    Flood,
    Ignore,
    Oversized,
    Raw,
    Receive,
    Repeat,
    Request,
    Rule,
    Scenario,
    ScenarioError,
    Wait,
)
from parley.conformance.scenario_values import RESERVED, variables_in


def parse_scenario(data: bytes | str, source: str = "scenario") -> Scenario:
    """The scenario in a JSON text.

    Raises:
        ScenarioError: it is not one; the text names the step and what is wrong there.
    """
    try:
        scenario = msgspec.json.decode(data, type=Scenario)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{source}: {_located(str(error))}") from None
    check_scenario(scenario, source)
    return scenario


def check_scenario(scenario: Scenario, source: str = "scenario") -> None:
    """Find the mistakes that the shape alone does not show.

    Raises:
        ScenarioError: a variable is used before it has a value, an answer has no request, or a
            step says two things at once.
    """
    known = set(scenario.variables) | RESERVED
    names = _Names(set[str](), set[str]())
    for rule in scenario.always:
        where = f"{source}: the rule for `{rule.method}`"
        _require_one_answer(rule, where, required=False)
        _require_values(rule, known, where)
    _check_steps(scenario.steps, "", source, known, names)


_ANYTHING = ""


class _Names(Struct):
    """The requests that an answer can name, and those whose answer can be expected."""

    received: set[str]
    sent: set[str]


def _check_steps(
    steps: Sequence[AnyStep], prefix: str, source: str, known: set[str], names: _Names
) -> None:
    for number, step in enumerate(steps, 1):
        path = f"{prefix}{number}"
        where = f"{source}: step {path} (`{step.__struct_config__.tag}`)"
        if isinstance(step, Repeat):
            known.add(step.counter)
            _check_steps(step.steps, f"{path}.", source, known, names)
            continue
        _check_step(step, where, names)
        local = {"padding"} if isinstance(step, Oversized) else set[str]()
        if isinstance(step, Flood):
            local.add(step.counter)
        _require_values(step, known | local, where)
        if isinstance(step, Receive | Request | Expect):
            known.update(step.save)


def _check_step(step: AnyStep, where: str, names: _Names) -> None:
    match step:
        case Receive():
            names.received.add(step.name or step.method)
            _require_one_answer(step, where, required=False)
            _check_pointers(step.save, where)
        case Answer():
            _require_one_answer(step, where, required=True)
            _require_received(step.to, names, where)
        case Ignore():
            _require_received(step.to, names, where)
        case Wait():
            names.received.add(step.method or _ANYTHING)
        case Request():
            names.sent.add(step.name or step.method)
            _require_at_most_one(step, where)
            _check_pointers(step.save, where)
        case Expect():
            _require_at_most_one(step, where)
            if step.id is UNSET:
                _require_known(step.of, names.sent, f"{where}: no step before it sends")
            _check_pointers(step.save, where)
        case Raw():
            if (step.text is None) == (step.base64 is None):
                raise ScenarioError(f"{where}: it needs either `text` or `base64`")
        case _:
            pass


def _require_values(step: AnyStep | Rule, known: set[str], where: str) -> None:
    for name in sorted(variables_in(msgspec.to_builtins(step)) - known):
        raise ScenarioError(f"{where}: nothing before it gives `${{{name}}}` a value")


def _require_one_answer(step: Receive | Answer | Rule, where: str, *, required: bool) -> None:
    given = (step.result is not UNSET) + (step.error is not UNSET)
    if given > 1 or (required and not given):
        raise ScenarioError(f"{where}: it needs either `result` or `error`")
    if isinstance(step, Receive) and given and step.kind == "notification":
        raise ScenarioError(f"{where}: a notification cannot be answered")


def _require_at_most_one(step: Request | Expect, where: str) -> None:
    if step.result is not UNSET and step.error is not UNSET:
        raise ScenarioError(f"{where}: it can expect `result` or `error`, not both")


def _require_received(name: str | None, names: _Names, where: str) -> None:
    if _ANYTHING not in names.received:
        _require_known(name, names.received, f"{where}: no step before it receives")


def _require_known(name: str | None, known: set[str], problem: str) -> None:
    if name is None:
        if not known:
            raise ScenarioError(f"{problem} anything")
    elif name not in known:
        raise ScenarioError(f"{problem} `{name}`")


def _check_pointers(save: Mapping[str, str], where: str) -> None:
    for name, pointer in save.items():
        if name in RESERVED:
            raise ScenarioError(f"{where}: `{name}` is a reserved name")
        if pointer and not pointer.startswith("/"):
            raise ScenarioError(f"{where}: the pointer `{pointer}` does not begin with a slash")


_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`")
_INDEX = re.compile(r"\.steps\[(\d+)\]")


def _located(problem: str) -> str:
    """The decoder's complaint with the number of the step in front."""
    place = _PLACE.search(problem)
    if place is None:
        return problem[:1].lower() + problem[1:]
    text = problem[: place.start()]
    text = text[:1].lower() + text[1:]
    numbers = [str(int(index) + 1) for index in _INDEX.findall(place["path"])]
    member = _INDEX.sub("", place["path"]).lstrip(".")
    where = f"step {'.'.join(numbers)}: " if numbers else ""
    return f"{where}{text} at `{member}`" if member else f"{where}{text}"
