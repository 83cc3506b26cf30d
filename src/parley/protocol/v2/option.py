"""What a session lets its user choose, in the words of version 2 and back. Pure.

Options, slash commands and plans. Version 2 is strict about them: an option has at least one value
and its current one is among them, names of commands are single words. What an application made
otherwise is put right and told to `lose`.
"""

import re

import msgspec
from msgspec import UNSET

from parley.protocol.v2.loss import Lose, given, members_of, told
from parley.schema import v2
from parley.schema.codec import decode
from parley.schema.problem import DecodeProblem
from parley.session.option import (
    Choice,
    ChoiceGroup,
    Command,
    Option,
    OtherOption,
    OtherPlan,
    Plan,
    PlanEntry,
    PlanFile,
    PlanItems,
    PlanMarkdown,
    Select,
    Toggle,
)

# Options.


def option_models(options: tuple[Option, ...], lose: Lose) -> list[v2.SessionConfigOption]:
    models = (_option_model(option, lose) for option in options)
    return [model for model in models if model is not None]


def options_from(models: list[v2.SessionConfigOption]) -> tuple[Option, ...]:
    return tuple(_option_from(model) for model in models)


def _option_model(option: Option, lose: Lose) -> v2.SessionConfigOption | None:
    match option:
        case Select():
            return _select_model(option, lose)
        case Toggle():
            return v2.SessionConfigBoolean(
                config_id=option.id,
                name=option.name,
                current_value=option.current,
                description=given(option.description),
                category=given(option.category),
                meta=given(option.meta),
            )
        case OtherOption():
            raw = {**option.raw, "type": option.kind, "configId": option.id, "name": option.name}
            if option.category is not None:
                raw["category"] = option.category
            try:
                return decode(v2.SessionConfigOption, msgspec.json.encode(raw))
            except DecodeProblem:
                lose("option.kind", "an option that claims to be of a known kind and is not")
                return None


def _select_model(option: Select, lose: Lose) -> v2.SessionConfigSelect | None:
    choices = _sound_choices(option, lose)
    if not choices:
        lose("option.choices", "an option without a value to choose")
        return None
    groups = [choice for choice in choices if isinstance(choice, ChoiceGroup)]
    values: v2.SessionConfigSelectOptions
    if len(groups) == len(choices):
        values = [
            v2.SessionConfigSelectGroup(
                group_id=group.id,
                name=group.name,
                options=[_choice_model(choice) for choice in group.choices],
                meta=given(group.meta),
            )
            for group in groups
        ]
    else:
        if groups:
            lose("option.groups", "groups of values beside values without a group")
        flat = Select(option.id, option.name, option.current, choices).flat()
        values = [_choice_model(choice) for choice in flat]
    return v2.SessionConfigSelect(
        config_id=option.id,
        name=option.name,
        current_value=option.current,
        options=values,
        description=given(option.description),
        category=given(option.category),
        meta=given(option.meta),
    )


def _sound_choices(option: Select, lose: Lose) -> tuple[Choice | ChoiceGroup, ...]:
    """V2-CFG-03: no value twice, no group without one, and the current value among them."""
    seen: set[str] = set()

    def unique(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
        kept = [choice for choice in choices if choice.value not in seen and not _add(seen, choice)]
        if len(kept) < len(choices):
            lose("option.values", "a value that is offered twice")
        return tuple(kept)

    sound: list[Choice | ChoiceGroup] = []
    for each in option.choices:
        if isinstance(each, Choice):
            sound.extend(unique((each,)))
        elif kept := unique(each.choices):
            sound.append(ChoiceGroup(each.id, each.name, kept, each.meta))
    if sound and option.current not in seen:
        lose("option.current", "a current value that is not offered")
        last, extra = sound[-1], Choice(option.current, option.current)
        if isinstance(last, ChoiceGroup):
            sound[-1] = ChoiceGroup(last.id, last.name, (*last.choices, extra), last.meta)
        else:
            sound.append(extra)
    return tuple(sound)


def _add(seen: set[str], choice: Choice) -> None:
    seen.add(choice.value)


def _choice_model(choice: Choice) -> v2.SessionConfigSelectOption:
    return v2.SessionConfigSelectOption(
        value=choice.value,
        name=choice.name,
        description=given(choice.description),
        meta=given(choice.meta),
    )


def _option_from(model: v2.SessionConfigOption) -> Option:
    match model:
        case v2.SessionConfigSelect():
            return Select(
                model.config_id,
                model.name,
                model.current_value,
                tuple(_choice_from(choice) for choice in model.options),
                told(model.description),
                told(model.category),
                told(model.meta),
            )
        case v2.SessionConfigBoolean():
            return Toggle(
                model.config_id,
                model.name,
                model.current_value,
                told(model.description),
                told(model.category),
                told(model.meta),
            )
        case v2.OtherSessionConfigOption():
            raw = members_of(model)  # V2-CFG-05: preserved.
            return OtherOption(model.config_id, model.name, model.tag, raw, told(model.category))


def _choice_from(
    model: v2.SessionConfigSelectOption | v2.SessionConfigSelectGroup,
) -> Choice | ChoiceGroup:
    if isinstance(model, v2.SessionConfigSelectGroup):
        choices = tuple(_plain_choice_from(choice) for choice in model.options)
        return ChoiceGroup(model.group_id, model.name, choices, told(model.meta))
    return _plain_choice_from(model)


def _plain_choice_from(model: v2.SessionConfigSelectOption) -> Choice:
    return Choice(model.value, model.name, told(model.description), told(model.meta))


# Commands.


def command_models(commands: tuple[Command, ...], lose: Lose) -> list[v2.AvailableCommand]:
    models: dict[str, v2.AvailableCommand] = {}
    for command in commands:
        name = _single_word(command.name, lose)
        if not name or name in models:
            lose("command.name", "a command without a name of its own")
            continue
        models[name] = _command_model(command, name)
    return list(models.values())


def commands_from(models: list[v2.AvailableCommand]) -> tuple[Command, ...]:
    return tuple(_command_from(model) for model in models)


def _single_word(name: str, lose: Lose) -> str:
    """V2-CMD-01: no white space and no slash in front."""
    word = "-".join(name.split()).lstrip("/")
    if word != name:
        lose("command.name", "a name with white space or a slash in front")
    return word


def _command_model(command: Command, name: str) -> v2.AvailableCommand:
    raw = command.raw
    if raw is None or (command.kind == "command" and not isinstance(raw.get("input"), dict)):
        hint = UNSET if command.hint is None else v2.TextCommandInput(hint=command.hint)
        return v2.Command(
            name=name, description=command.description, input=hint, meta=given(command.meta)
        )
    raw = {**raw, "type": command.kind, "name": name, "description": command.description}
    return decode(v2.AvailableCommand, msgspec.json.encode(raw))


def _command_from(model: v2.AvailableCommand) -> Command:
    if isinstance(model, v2.OtherAvailableCommand):
        return Command(model.name, model.description, kind=model.tag, raw=members_of(model))
    match told(model.input):
        case v2.TextCommandInput(hint=hint):
            return Command(model.name, model.description, hint, meta=told(model.meta))
        case v2.OtherAvailableCommandInput():
            raw = members_of(model)  # V2-CMD-02: preserved.
            return Command(model.name, model.description, raw=raw, meta=told(model.meta))
        case None:
            return Command(model.name, model.description, meta=told(model.meta))


# Plans.


def plan_model(plan_id: str, plan: Plan, *, unstable: bool, lose: Lose) -> v2.PlanUpdateContent:
    match plan:
        case PlanItems(entries=entries, meta=meta):
            models = [_entry_model(entry) for entry in entries]
            return v2.PlanItems(plan_id=plan_id, entries=models, meta=given(meta))
        case PlanMarkdown(content=content, meta=meta):
            if unstable:
                return v2.PlanMarkdown(plan_id=plan_id, content=content, meta=given(meta))
            lose("plan.markdown", "a plan in Markdown, sent as a list")
            return plan_model(plan_id, _listed(content, plan), unstable=False, lose=lose)
        case PlanFile(uri=uri, meta=meta):
            if unstable:
                return v2.PlanFile(plan_id=plan_id, uri=uri, meta=given(meta))
            lose("plan.file", "a plan in a file, sent as the name of the file")
            items = PlanItems((PlanEntry(uri),), meta)
            return plan_model(plan_id, items, unstable=False, lose=lose)
        case OtherPlan(kind=kind, raw=raw):
            members = {**raw, "type": kind, "planId": plan_id}
            return v2.OtherPlanUpdateContent.of(members, plan_id=plan_id)


def plan_from(model: v2.PlanUpdateContent) -> Plan:
    match model:
        case v2.PlanItems(entries=entries, meta=meta):
            return PlanItems(tuple(_entry_from(entry) for entry in entries), told(meta))
        case v2.PlanMarkdown(content=content, meta=meta):
            return PlanMarkdown(content, told(meta))
        case v2.PlanFile(uri=uri, meta=meta):
            return PlanFile(uri, told(meta))
        case v2.OtherPlanUpdateContent():
            return OtherPlan(model.tag, members_of(model))


_CHECK_BOX = re.compile(r"^\s*[-*+]\s+\[([ xX])\]\s+(.+?)\s*$", re.MULTILINE)


def _listed(content: str, plan: PlanMarkdown) -> PlanItems:
    """The boxes of a check list as entries, or the whole text as one."""
    boxes = [(box.group(1), box.group(2)) for box in _CHECK_BOX.finditer(content)]
    entries = [
        PlanEntry(text, status="pending" if mark == " " else "completed") for mark, text in boxes
    ]
    return PlanItems(tuple(entries) or (PlanEntry(content),), plan.meta)


def _entry_model(entry: PlanEntry) -> v2.PlanEntry:
    return v2.PlanEntry(
        content=entry.content,
        priority=entry.priority,
        status=entry.status,
        meta=given(entry.meta),
    )


def _entry_from(model: v2.PlanEntry) -> PlanEntry:
    return PlanEntry(model.content, model.priority, model.status, told(model.meta))
