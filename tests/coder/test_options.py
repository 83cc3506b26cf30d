"""The options of a session."""

import pytest

from parley.coder.catalogue import Offered
from parley.coder.options import Chosen, chosen_from, chosen_with, option_list
from parley.coder.providers.provider import ModelInfo
from parley.coder.settings import CoderSettings
from parley.errors import InvalidParams
from parley.session.option import Choice, OptionValue
from tests.coder.stage import option

MODEL = Offered("p/m", ModelInfo("m", name="The M", thinking=True))
OTHER = Offered("p/n", ModelInfo("n"))


def test_the_list_has_every_option_with_a_value_that_it_offers() -> None:
    options = option_list(Chosen("p/m"), MODEL, (MODEL, OTHER))
    assert [(each.id, each.category) for each in options] == [
        ("mode", "mode"),
        ("model", "model"),
        ("thought_level", "thought_level"),
        ("budget", None),
        ("prompt_size", None),
    ]
    for each in options:
        select = option(options, each.id)
        assert select.current in [choice.value for choice in select.flat()]
    assert option(options, "model").choices == (Choice("p/m", "The M"), Choice("p/n", "n"))


def test_a_model_that_cannot_think_offers_no_thinking() -> None:
    options = option_list(Chosen("p/n"), OTHER, (MODEL, OTHER))
    assert "thought_level" not in [each.id for each in options]


def test_the_network_is_offered_where_commands_are_confined() -> None:
    options = option_list(Chosen("p/m", network=False), MODEL, (), confined=True)
    assert option(options, "network").current == "off"
    assert chosen_with(Chosen("p/m"), options, "network", "off") == Chosen("p/m", network=False)
    with pytest.raises(InvalidParams):
        chosen_with(Chosen("p/m"), options, "network", "maybe")


def test_the_model_in_use_is_offered_also_when_no_list_has_it() -> None:
    alone = Offered("p/", ModelInfo(""))
    assert option(option_list(Chosen("p/"), alone, ()), "model").choices == (Choice("p/", "p/"),)


def test_a_budget_from_the_settings_is_among_the_choices() -> None:
    budget = option(option_list(Chosen("p/m", budget=2.5), MODEL, ()), "budget")
    assert budget.current == "2.5"
    assert [choice.value for choice in budget.flat()] == ["none", "1", "2.5", "5", "20", "100"]


def test_what_was_chosen_in_a_session_stands_over_the_settings() -> None:
    settings = CoderSettings(default_model="p/m", mode="plan", budget=5.0, prompt_size="small")
    assert chosen_from(settings, {}) == Chosen("p/m", "plan", "off", 5.0, "small")
    stored: dict[str, OptionValue] = {
        "mode": "auto-edit",
        "model": "p/n",
        "thought_level": "high",
        "budget": "none",
        "prompt_size": "full",
    }
    assert chosen_from(settings, stored) == Chosen("p/n", "auto-edit", "high", None, "full")


def test_a_stored_value_that_nobody_knows_any_more_counts_as_not_chosen() -> None:
    stored: dict[str, OptionValue] = {
        "mode": "yolo",
        "budget": "much",
        "thought_level": True,
        "prompt_size": "huge",
        "old": "x",
        "model": "",
    }
    assert chosen_from(CoderSettings(), stored) == chosen_from(CoderSettings(), {})
    assert chosen_from(CoderSettings(), {"budget": "nan"}).budget is None
    assert chosen_from(CoderSettings(), {"budget": "-1"}).budget is None


@pytest.mark.parametrize(
    ("id", "value", "path"),
    [
        ("colour", "red", "configId"),
        ("mode", "yolo", "value"),
        ("mode", True, "value"),
        ("model", "p/unknown", "value"),
        ("budget", "3", "value"),
        ("budget", "inf", "value"),
    ],
)
def test_only_what_is_offered_can_be_chosen(id: str, value: OptionValue, path: str) -> None:
    chosen = Chosen("p/m")
    options = option_list(chosen, MODEL, (MODEL, OTHER))
    with pytest.raises(InvalidParams) as refused:
        chosen_with(chosen, options, id, value)
    assert refused.value.data == {"path": path}


def test_choosing_changes_one_value() -> None:
    chosen = Chosen("p/m")
    options = option_list(chosen, MODEL, (MODEL, OTHER))
    assert chosen_with(chosen, options, "budget", "20") == Chosen("p/m", budget=20.0)
    assert chosen_with(chosen, options, "model", "p/n") == Chosen("p/n")
