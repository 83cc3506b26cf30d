"""Options of a session, and the two older forms in which version 1 also lists modes and models.

Pure. Neutral options are the truth: a mode is the first selection of category `mode`, a model the
first of category `model`. An agent's options are sent as config options and in the older forms
(V1-MOD-05, SEE-02); a client's view is put together from all three, config options first
(V1-MOD-06, SEE-03).
"""

from collections.abc import Iterable
from typing import Any, Literal, cast

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.protocol.v1.content import Lose, known
from parley.session.option import (
    Choice,
    ChoiceGroup,
    Option,
    OptionValue,
    OtherOption,
    Select,
    Toggle,
)
from parley.session.patch import given

Setter = Literal["config", "mode", "model"]
"""Through which of the three forms an option is set."""

_ON_OFF = (Choice("true", "On"), Choice("false", "Off"))


def option_models(
    options: Iterable[Option], lose: Lose, *, booleans: bool
) -> list[v1.SessionConfigOption]:
    """The config options, in their order.

    V1-CFG-03: a toggle is sent as such only to a client that knows them (`booleans`); to others
    it is a selection of `true` and `false`.
    """
    found: list[v1.SessionConfigOption] = []
    for option in options:
        match option:
            case Select():
                found.append(_select_model(option, lose))
            case Toggle() if booleans:
                found.append(_toggle_model(option))
            case Toggle():
                found.append(_select_model(_as_select(option), lose))
            case OtherOption():
                lose("option.type", f"the option `{option.id}` of type `{option.kind}` is left out")
    return found


def option_from(model: v1.SessionConfigOption) -> Option:
    match model:
        case v1.SessionConfigSelect():
            return Select(
                model.id,
                model.name,
                model.current_value,
                tuple(_choice_from(choice) for choice in model.options),
                known(model.description),
                known(model.category),
                known(model.meta),
            )
        case v1.SessionConfigBoolean():
            return Toggle(
                model.id,
                model.name,
                model.current_value,
                known(model.description),
                known(model.category),
                known(model.meta),
            )
        case v1.OtherSessionConfigOption():
            raw = {**model.extra, "id": model.id, "name": model.name}
            return OtherOption(model.id, model.name, model.tag, raw, known(model.category))


def first_of(options: Iterable[Option], category: str) -> Select | None:
    """The selection that stands for the mode or the model."""
    for option in options:
        if isinstance(option, Select) and option.category == category:
            return option
    return None


def modes_model(options: Iterable[Option]) -> v1.SessionModeState | UnsetType:
    """The modes in their own form, for clients that know no config options."""
    option = first_of(options, "mode")
    if option is None or not option.flat():
        return UNSET
    modes = [
        v1.SessionMode(id=choice.value, name=choice.name, description=given(choice.description))
        for choice in option.flat()
    ]
    return v1.SessionModeState(current_mode_id=option.current, available_modes=modes)


def models_member(options: Iterable[Option]) -> dict[str, Any] | None:
    """The models in the form of an older dialect, which has no model of its own any more."""
    option = first_of(options, "model")
    if option is None or not option.flat():
        return None
    listed: list[dict[str, str]] = []
    for choice in option.flat():
        entry = {"modelId": choice.value, "name": choice.name}
        if choice.description is not None:
            entry["description"] = choice.description
        listed.append(entry)
    return {"availableModels": listed, "currentModelId": option.current}


def value_for(option: Option, value: OptionValue) -> OptionValue | None:
    """The value as the option takes it, or nothing if it is none of those offered."""
    match option:
        case Select():
            offered = {choice.value for choice in option.flat()}
            return value if isinstance(value, str) and value in offered else None
        case Toggle():
            if isinstance(value, str):
                # A client that does not know toggles was shown a selection.
                return {"true": True, "false": False}.get(value)
            return value
        case OtherOption():
            return value


class Offered:
    """The options of one session as its client knows them, put together from all three forms."""

    def __init__(self) -> None:
        self._config: tuple[Option, ...] = ()
        self._listed: dict[str, Select] = {}
        """Modes and models that have no config option, by category."""

    @property
    def all(self) -> tuple[Option, ...]:
        return (*self._config, *self._listed.values())

    def find(self, option_id: str) -> Option | None:
        return next((option for option in self.all if option.id == option_id), None)

    def setter(self, option_id: str) -> Setter:
        """Through which form the option is set."""
        for category, option in self._listed.items():
            if option.id == option_id:
                return "mode" if category == "mode" else "model"
        return "config"

    def set_up(
        self,
        config: Iterable[v1.SessionConfigOption] | None,
        modes: v1.SessionModeState | None,
        models: Any,
    ) -> None:
        """Take the answer that opened the session; no `config` leaves the list as it is."""
        if config is not None:
            self._config = tuple(option_from(model) for model in config)
        self._listed = {}
        if modes is not None and modes.available_modes:
            choices = [
                (mode.id, mode.name, known(mode.description)) for mode in modes.available_modes
            ]
            self._list("mode", "Mode", modes.current_mode_id, choices)
        listed = _listed_models(models)
        if listed is not None:
            self._list("model", "Model", *listed)

    def configured(self, config: Iterable[v1.SessionConfigOption]) -> None:
        """Take a complete list of config options (V1-CFG-09)."""
        self._config = tuple(option_from(model) for model in config)
        for category in list(self._listed):
            if first_of(self._config, category) is not None:
                del self._listed[category]

    def moded(self, mode_id: str) -> bool:
        """Take a changed mode; whether that changed anything."""
        option = first_of(self.all, "mode")
        if option is None:
            # The mode is all that is known, so it is all that can be offered.
            self._list("mode", "Mode", mode_id, [(mode_id, mode_id, None)])
            return True
        return self.chosen(option.id, mode_id)

    def chosen(self, option_id: str, value: OptionValue) -> bool:
        """Take the new value of one option; whether that changed anything."""
        before = self.all
        self._config = tuple(_with(option, option_id, value) for option in self._config)
        self._listed = {
            category: cast("Select", _with(option, option_id, value))
            for category, option in self._listed.items()
        }
        return self.all != before

    def _list(
        self, category: str, name: str, current: str, choices: list[tuple[str, str, str | None]]
    ) -> None:
        if first_of(self._config, category) is not None:
            return  # V1-MOD-06: config options come first.
        id_ = category
        while any(option.id == id_ for option in self.all):
            id_ = f"_{id_}"
        offered = tuple(Choice(*choice) for choice in choices)
        self._listed[category] = Select(id_, name, current, offered, category=category)


def _with(option: Option, option_id: str, value: OptionValue) -> Option:
    if option.id == option_id and (
        (isinstance(option, Select) and isinstance(value, str))
        or (isinstance(option, Toggle) and isinstance(value, bool))
    ):
        return cast("Option", replace(option, current=value))
    return option


def _select_model(option: Select, lose: Lose) -> v1.SessionConfigSelect:
    groups = [choice for choice in option.choices if isinstance(choice, ChoiceGroup)]
    choices: list[v1.SessionConfigSelectOption] | list[v1.SessionConfigSelectGroup]
    if groups and len(groups) == len(option.choices):
        choices = [
            v1.SessionConfigSelectGroup(
                group=group.id,
                name=group.name,
                options=[_choice_model(choice) for choice in group.choices],
                meta=given(group.meta),
            )
            for group in groups
        ]
    else:
        if groups:
            lose("option.group", f"the groups of `{option.id}` are dissolved")
        choices = [_choice_model(choice) for choice in option.flat()]
    return v1.SessionConfigSelect(
        id=option.id,
        name=option.name,
        current_value=option.current,
        options=choices,
        description=given(option.description),
        category=given(option.category),
        meta=given(option.meta),
    )


def _toggle_model(option: Toggle) -> v1.SessionConfigBoolean:
    return v1.SessionConfigBoolean(
        id=option.id,
        name=option.name,
        current_value=option.current,
        description=given(option.description),
        category=given(option.category),
        meta=given(option.meta),
    )


def _as_select(option: Toggle) -> Select:
    return Select(
        option.id,
        option.name,
        "true" if option.current else "false",
        _ON_OFF,
        option.description,
        option.category,
        option.meta,
    )


def _choice_model(choice: Choice) -> v1.SessionConfigSelectOption:
    return v1.SessionConfigSelectOption(
        value=choice.value,
        name=choice.name,
        description=given(choice.description),
        meta=given(choice.meta),
    )


def _choice_from(
    model: v1.SessionConfigSelectOption | v1.SessionConfigSelectGroup,
) -> Choice | ChoiceGroup:
    if isinstance(model, v1.SessionConfigSelectOption):
        return Choice(model.value, model.name, known(model.description), known(model.meta))
    choices = [
        Choice(choice.value, choice.name, known(choice.description), known(choice.meta))
        for choice in model.options
    ]
    return ChoiceGroup(model.group, model.name, tuple(choices), known(model.meta))


def _listed_models(value: Any) -> tuple[str, list[tuple[str, str, str | None]]] | None:
    """The current model and the others, as far as the older form can be read (SEE-03)."""
    match value:
        case {"currentModelId": str(current), "availableModels": [*listed]}:
            choices: list[tuple[str, str, str | None]] = []
            for entry in listed:
                match entry:
                    case {"modelId": str(id_), "name": str(name)}:
                        about = cast("dict[str, Any]", entry).get("description")
                        choices.append((id_, name, about if isinstance(about, str) else None))
                    case _:
                        pass
            return (current, choices) if choices else None
        case _:
            return None
