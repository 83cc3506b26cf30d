"""Options in version 1 and back, and a client's view of the three forms."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parley.schema.v1 as v1
from parley.protocol.v1.option import (
    Offered,
    first_of,
    models_member,
    modes_model,
    option_from,
    option_models,
    value_for,
)
from parley.schema.codec import decode, decode_strictly, encode
from parley.session.option import Choice, ChoiceGroup, Option, OtherOption, Select, Toggle
from tests.session.strategies import options

MODE = Select("m", "Mode", "a", (Choice("a", "A"), Choice("b", "B")), category="mode")
MODES = v1.SessionModeState(
    current_mode_id="x",
    available_modes=[v1.SessionMode(id="x", name="X"), v1.SessionMode(id="y", name="Y")],
)


@given(options, st.booleans())
def test_an_option_comes_back_unless_something_was_lost(option: Option, booleans: bool) -> None:
    lost: list[str] = []
    models = option_models([option], lambda what, detail: lost.append(what), booleans=booleans)
    back = [option_from(decode_strictly(v1.SessionConfigOption, encode(m))) for m in models]
    match option:
        case OtherOption():
            assert (back, lost) == ([], ["option.type"])
        case Toggle() if not booleans:
            (select,) = back
            assert isinstance(select, Select)
            assert select.current == ("true" if option.current else "false")
            assert value_for(option, "false") is False
            assert lost == []
        case Select() if lost:
            assert lost == ["option.group"]
            assert isinstance(back[0], Select)
            assert back[0].flat() == option.flat()
        case _:
            assert back == [option]


def test_modes_and_models_are_listed_when_there_are_any() -> None:
    assert not modes_model([MODE][:0])
    assert not modes_model([Select("m", "M", "a", (), category="mode")])
    assert models_member([MODE]) is None
    assert models_member([Select("m", "M", "a", (), category="model")]) is None
    assert first_of([Toggle("t", "T", current=True, category="mode"), MODE], "mode") is MODE


@pytest.mark.parametrize(
    ("option", "value", "taken"),
    [
        (MODE, "b", "b"),
        (MODE, "c", None),
        (MODE, True, None),
        (Toggle("t", "T", current=True), True, True),
        (Toggle("t", "T", current=True), "true", True),
        (Toggle("t", "T", current=True), "yes", None),
        (OtherOption("o", "O", "_x", {}), "any", "any"),
    ],
)
def test_a_value_is_one_of_those_offered(option: Option, value: Any, taken: Any) -> None:
    assert value_for(option, value) == taken


def test_a_mode_without_an_option_gets_one_of_its_own() -> None:
    offered = Offered()
    clash = Select("mode", "Other", "q", (Choice("q", "Q"),))
    offered.set_up(option_models([clash], _no_loss, booleans=True), MODES, None)
    assert [option.id for option in offered.all] == ["mode", "_mode"]
    assert offered.setter("_mode") == "mode"
    assert offered.setter("mode") == "config"
    assert offered.moded("y")
    assert not offered.moded("y")
    assert offered.find("_mode") == Select(
        "_mode", "Mode", "y", (Choice("x", "X"), Choice("y", "Y")), category="mode"
    )
    offered.configured(option_models([MODE], _no_loss, booleans=True))
    assert offered.all == (MODE,)
    assert offered.moded("b")
    assert offered.find("m") == Select("m", "Mode", "b", MODE.choices, category="mode")


def test_a_mode_that_was_never_listed_is_at_least_named() -> None:
    offered = Offered()
    assert offered.moded("x")
    assert offered.all == (Select("mode", "Mode", "x", (Choice("x", "x"),), category="mode"),)
    offered.configured([])
    assert offered.setter("mode") == "mode"


def test_a_list_that_is_already_newer_is_left_alone() -> None:
    offered = Offered()
    offered.configured(option_models([MODE], _no_loss, booleans=True))
    offered.set_up(None, MODES, None)
    assert offered.all == (MODE,)


def test_a_value_of_the_wrong_kind_changes_nothing() -> None:
    offered = Offered()
    toggle = Toggle("t", "T", current=True)
    offered.configured(option_models([MODE, toggle], _no_loss, booleans=True))
    assert not offered.chosen("m", value=True)
    assert not offered.chosen("t", "x")
    assert offered.chosen("t", value=False)


@pytest.mark.parametrize(
    "models",
    [
        None,
        5,
        {},
        {"currentModelId": "a"},
        {"currentModelId": 5, "availableModels": []},
        {"currentModelId": "a", "availableModels": []},
        {"currentModelId": "a", "availableModels": [{"modelId": "a"}, 5]},
    ],
)
def test_a_list_of_models_that_cannot_be_read_is_none(models: Any) -> None:
    offered = Offered()
    offered.set_up((), None, models)
    assert offered.all == ()


def test_groups_come_back_as_groups() -> None:
    group = ChoiceGroup("g", "G", (Choice("a", "A", "about", {"m": 1}),), {"n": 2})
    select = Select("s", "S", "a", (group,))
    (model,) = option_models([select], _no_loss, booleans=True)
    assert option_from(decode(v1.SessionConfigOption, encode(model))) == select


def _no_loss(what: str, detail: str) -> None:
    raise AssertionError(what)
