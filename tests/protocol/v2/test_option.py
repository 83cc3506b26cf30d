"""Options, commands and plans: what version 2 does not allow is put right."""

import json
from typing import Any

import pytest

from parley.protocol.v2.option import (
    command_models,
    commands_from,
    option_models,
    options_from,
    plan_from,
    plan_model,
)
from parley.schema import v2
from parley.schema.codec import encode
from parley.session.option import (
    Choice,
    ChoiceGroup,
    Command,
    Option,
    OtherOption,
    OtherPlan,
    PlanEntry,
    PlanItems,
    PlanMarkdown,
    Select,
    Toggle,
)

A, B, C = Choice("a", "A"), Choice("b", "B", "second"), Choice("c", "C", meta={"m": 1})


def written(option: Option) -> tuple[Any, list[str]]:
    losses: list[str] = []
    models = option_models((option,), lambda what, _: losses.append(what))
    return json.loads(encode(models)), losses


def choices(*each: Choice | ChoiceGroup, current: str = "a") -> Select:
    return Select("o", "O", current, each)


def values(option: Option) -> tuple[list[Any], list[str]]:
    """The values of an option as they are written, groups as lists, and what was lost."""
    (model,), losses = written(option)
    found = [
        [inner["value"] for inner in each["options"]] if "options" in each else each["value"]
        for each in model["options"]
    ]
    return found, losses


@pytest.mark.parametrize(
    "option",
    [
        Select("o", "O", "a", (A, B, C), "d", "mode", {"m": 1}),
        Select("o", "O", "a", (ChoiceGroup("g", "G", (A,), {"m": 1}), ChoiceGroup("h", "H", (B,)))),
        Toggle("o", "O", True, "d", "_own", {"m": 1}),
    ],
)
def test_a_sound_option_comes_back_as_it_was(option: Option) -> None:
    losses: list[str] = []
    models = option_models((option,), lambda what, _: losses.append(what))
    assert options_from(models) == (option,)
    assert losses == []


def test_keys_are_those_of_version_2() -> None:
    """V2-CFG-06"""
    (model,), _ = written(choices(ChoiceGroup("g", "G", (A,))))
    assert model["configId"] == "o"
    assert model["options"][0]["groupId"] == "g"


@pytest.mark.parametrize(
    ("option", "expected", "losses"),
    [
        (choices(A, B, A), ["a", "b"], ["option.values"]),
        (
            choices(ChoiceGroup("g", "G", (A, B)), ChoiceGroup("h", "H", (B, C))),
            [["a", "b"], ["c"]],
            ["option.values"],
        ),
        (choices(A, ChoiceGroup("g", "G", (B,))), ["a", "b"], ["option.groups"]),
        (choices(ChoiceGroup("g", "G", (A,)), ChoiceGroup("h", "H", ())), [["a"]], []),
        (choices(A, current="z"), ["a", "z"], ["option.current"]),
        (choices(ChoiceGroup("g", "G", (A,)), current="z"), [["a", "z"]], ["option.current"]),
    ],
)
def test_values_are_unique_and_the_current_one_is_among_them(
    option: Option, expected: list[Any], losses: list[str]
) -> None:
    """V2-CFG-03"""
    assert values(option) == (expected, losses)


@pytest.mark.parametrize(
    ("option", "loss"),
    [
        (choices(), "option.choices"),
        (choices(ChoiceGroup("g", "G", ())), "option.choices"),
        (OtherOption("o", "O", "select", {}), "option.kind"),
    ],
)
def test_an_option_without_values_is_left_out(option: Option, loss: str) -> None:
    assert written(option) == ([], [loss])


def test_an_unknown_kind_of_option_keeps_its_members() -> None:
    """V2-CFG-05"""
    option = OtherOption("o", "O", "_slider", {"max": 5, "description": "d"}, "mode")
    (model,), losses = written(option)
    assert losses == []
    assert model == {
        "type": "_slider",
        "configId": "o",
        "name": "O",
        "category": "mode",
        "description": "d",
        "max": 5,
    }


def commands(*each: Command) -> tuple[Any, list[str]]:
    losses: list[str] = []
    models = command_models(each, lambda what, _: losses.append(what))
    return json.loads(encode(models)), losses


def test_a_command_says_what_it_is_and_what_it_takes() -> None:
    """V2-CMD-01, V2-CMD-02"""
    found, losses = commands(Command("a", "A"), Command("b", "B", "words", meta={"m": 1}))
    assert found == [
        {"type": "command", "name": "a", "description": "A"},
        {
            "type": "command",
            "name": "b",
            "description": "B",
            "input": {"type": "text", "hint": "words"},
            "_meta": {"m": 1},
        },
    ]
    assert losses == []


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["/help"], ["help"]),
        (["do it now"], ["do-it-now"]),
        ([" "], []),
        (["//"], []),
        (["a", "/a"], ["a"]),
    ],
)
def test_names_of_commands_are_single_words_and_unique(
    names: list[str], expected: list[str]
) -> None:
    """V2-CMD-01"""
    found, losses = commands(*(Command(name, "x") for name in names))
    assert [command["name"] for command in found] == expected
    assert set(losses) == {"command.name"}


@pytest.mark.parametrize("raw", [{}, {"input": 5}, {"input": {"type": "text"}}])
def test_raw_members_without_unknown_input_add_nothing(raw: dict[str, Any]) -> None:
    assert commands(Command("a", "A", raw=raw))[0] == [
        {"type": "command", "name": "a", "description": "A"}
    ]


def test_a_command_with_unknown_input_is_kept_whole() -> None:
    model = v2.Command(
        name="a",
        description="A",
        input=v2.OtherAvailableCommandInput.of({"type": "_form", "x": 1}),
    )
    (command,) = commands_from([model])
    assert (command.hint, command.raw and command.raw["input"]) == (None, {"type": "_form", "x": 1})
    assert commands(command)[0] == [json.loads(encode(model))]


@pytest.mark.parametrize(
    ("content", "entries"),
    [
        (
            "# Plan\n- [ ] one\n* [x] two\n  - [X] three  \nnot a box",
            (
                PlanEntry("one"),
                PlanEntry("two", status="completed"),
                PlanEntry("three", status="completed"),
            ),
        ),
        ("just words", (PlanEntry("just words"),)),
    ],
)
def test_a_plan_in_markdown_becomes_a_list(content: str, entries: tuple[PlanEntry, ...]) -> None:
    losses: list[str] = []
    model = plan_model(
        "p", PlanMarkdown(content), unstable=False, lose=lambda what, _: losses.append(what)
    )
    assert plan_from(model) == PlanItems(entries)
    assert losses == ["plan.markdown"]


def test_an_unknown_plan_is_kept_under_its_id() -> None:
    """V2-PLN-02, V2-PLN-03"""
    plan = OtherPlan("_graph", {"nodes": [1], "planId": "wrong"})
    model = plan_model("p", plan, unstable=False, lose=lambda *_: None)
    assert json.loads(encode(model)) == {"type": "_graph", "planId": "p", "nodes": [1]}
