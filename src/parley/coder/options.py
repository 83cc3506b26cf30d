"""The options of a session: what can be chosen, what is chosen, what a choice means. Pure."""

from collections.abc import Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.catalogue import Offered
from parley.coder.providers.provider import ThoughtLevel
from parley.coder.settings import CoderSettings, Mode, PromptSize
from parley.errors import InvalidParams
from parley.session.option import Choice, Option, OptionValue, Select

NO_BUDGET = "none"
_BUDGETS = (1.0, 5.0, 20.0, 100.0)
_MODES = (
    Choice("ask", "Ask", "Reads freely; asks before it changes files or runs commands"),
    Choice("auto-edit", "Auto-edit", "Also changes files in the workspace; asks before commands"),
    Choice("plan", "Plan", "Changes nothing; runs only commands that only read"),
    Choice(
        "full-access",
        "Full access",
        "Asks for almost nothing; only the sandbox confines commands, if there is one",
    ),
)
_LEVELS = (
    Choice("off", "Off"),
    Choice("low", "Low"),
    Choice("medium", "Medium"),
    Choice("high", "High"),
)
_NETWORK = (
    Choice("on", "On", "Commands may use the network"),
    Choice("off", "Off", "Commands have no network, not even within this machine"),
)
_SIZES = (
    Choice("full", "Full", "Complete instructions"),
    Choice("small", "Small", "Short instructions, for local models"),
)


class Chosen(Struct, frozen=True):
    """The value of every option of a session."""

    model: str
    mode: Mode = "ask"
    thought_level: ThoughtLevel = "off"
    budget: float | None = None
    prompt_size: PromptSize = "full"
    network: bool = True


def chosen_from(settings: CoderSettings, stored: Mapping[str, OptionValue]) -> Chosen:
    """What holds in a session: the settings, and over them what was chosen in it.

    A stored value that is not offered any more counts as not chosen.
    """
    chosen = Chosen(
        settings.default_model,
        settings.mode,
        settings.thought_level,
        settings.budget,
        settings.prompt_size,
        settings.network,
    )
    for option_id, value in stored.items():
        changed = _with(chosen, option_id, value)
        chosen = chosen if changed is None else changed
    return chosen


def chosen_with(chosen: Chosen, options: tuple[Option, ...], id: str, value: OptionValue) -> Chosen:
    """The values after one was chosen from the options.

    Raises:
        InvalidParams: it is not offered.
    """
    option = next((each for each in options if each.id == id), None)
    if not isinstance(option, Select):
        raise InvalidParams("Invalid params: no such option", {"path": "configId"})
    changed = _with(chosen, id, value)
    if changed is None or value not in {choice.value for choice in option.flat()}:
        raise InvalidParams("Invalid params: no such value", {"path": "value"})
    return changed


def option_list(
    chosen: Chosen, model: Offered, offered: tuple[Offered, ...], *, confined: bool = False
) -> tuple[Option, ...]:
    """The complete list, the most important option first. `model` is the one that is in use.

    The network is offered where commands are confined, since nothing else could take it away.
    """
    models = offered if any(each.id == model.id for each in offered) else (model, *offered)
    options: list[Option] = [
        Select(
            "mode",
            "Mode",
            chosen.mode,
            _MODES,
            "What the agent may do without asking",
            "mode",
        ),
        Select("model", "Model", model.id, tuple(map(_model_choice, models)), None, "model"),
    ]
    if model.info.thinking:
        options.append(
            Select(
                "thought_level",
                "Thinking",
                chosen.thought_level,
                _LEVELS,
                "How much the model thinks before it answers",
                "thought_level",
            )
        )
    options.append(
        Select(
            "budget",
            "Budget",
            _budget_value(chosen.budget),
            _budget_choices(chosen.budget),
            "What this session may cost; its turns stop when that is reached",
        )
    )
    options.append(
        Select(
            "prompt_size",
            "Prompt size",
            chosen.prompt_size,
            _SIZES,
            "How long the instructions are that the model gets",
        )
    )
    if confined:
        options.append(
            Select(
                "network",
                "Network of commands",
                "on" if chosen.network else "off",
                _NETWORK,
                "Whether the commands that the agent runs may use the network",
            )
        )
    return tuple(options)


def _with(chosen: Chosen, id: str, value: OptionValue) -> Chosen | None:
    """The values with another one, if it can be one."""
    if not isinstance(value, str):
        return None
    match id:
        case "mode" if _is_among(value, _MODES):
            return replace(chosen, mode=cast("Mode", value))
        case "model" if value:
            return replace(chosen, model=value)
        case "thought_level" if _is_among(value, _LEVELS):
            return replace(chosen, thought_level=cast("ThoughtLevel", value))
        case "prompt_size" if _is_among(value, _SIZES):
            return replace(chosen, prompt_size=cast("PromptSize", value))
        case "network" if _is_among(value, _NETWORK):
            return replace(chosen, network=value == "on")
        case "budget" if value == NO_BUDGET:
            return replace(chosen, budget=None)
        case "budget" if (amount := _amount(value)) is not None:
            return replace(chosen, budget=amount)
        case _:
            return None


def _is_among(value: str, choices: tuple[Choice, ...]) -> bool:
    return any(choice.value == value for choice in choices)


def _amount(value: str) -> float | None:
    try:
        amount = float(value)
    except ValueError:
        return None
    return amount if 0 < amount < float("inf") else None


def _budget_value(budget: float | None) -> str:
    return NO_BUDGET if budget is None else f"{budget:g}"


def _budget_choices(current: float | None) -> tuple[Choice, ...]:
    amounts = sorted({*_BUDGETS, *(() if current is None else (current,))})
    priced = tuple(Choice(_budget_value(amount), f"${amount:g}") for amount in amounts)
    return (Choice(NO_BUDGET, "No limit"), *priced)


def _model_choice(model: Offered) -> Choice:
    return Choice(model.id, model.info.name or model.id.partition("/")[2] or model.id)
