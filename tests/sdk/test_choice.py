"""Values of options, read and changed."""

import pytest

from parley.sdk.choice import value_of, with_value
from parley.session.option import Choice, ChoiceGroup, OtherOption, Select, Toggle

MODE = Select("mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")))
MODEL = Select("model", "Model", "a", (ChoiceGroup("g", "Group", (Choice("a", "A"),)),))
LOUD = Toggle("loud", "Loud", current=False)
OTHER = OtherOption("odd", "Odd", "_slider", {})
OPTIONS = (MODE, MODEL, LOUD, OTHER)


def test_the_value_of_an_option_is_found_by_its_id() -> None:
    assert (value_of(OPTIONS, "mode"), value_of(OPTIONS, "loud")) == ("ask", False)


def test_an_unknown_option_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(LookupError, match="no option 'x'; the options are: 'mode', 'model', "):
        value_of(OPTIONS, "x")
    with pytest.raises(LookupError, match="no option 'x'; the options are: none"):
        with_value((), "x", "y")


def test_an_option_of_an_unknown_kind_has_no_value_and_takes_none() -> None:
    with pytest.raises(LookupError, match="'odd' is of a kind that has no known value"):
        value_of(OPTIONS, "odd")
    with pytest.raises(ValueError, match="'odd' has no value 3"):
        with_value(OPTIONS, "odd", 3)  # pyright: ignore


def test_one_option_changes_and_the_others_stay() -> None:
    changed = with_value(OPTIONS, "mode", "code")
    assert value_of(changed, "mode") == "code"
    assert changed[1:] == OPTIONS[1:]
    assert value_of(with_value(OPTIONS, "loud", True), "loud") is True
    assert value_of(with_value(OPTIONS, "model", "a"), "model") == "a"


@pytest.mark.parametrize(("id", "value"), [("mode", "fly"), ("mode", True), ("loud", "yes")])
def test_a_value_that_is_not_offered_is_refused(id: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"'{id}' has no value {value!r}"):
        with_value(OPTIONS, id, value)  # pyright: ignore
