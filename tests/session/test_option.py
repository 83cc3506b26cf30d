"""Options with groups of choices."""

from parley.session.option import Choice, ChoiceGroup, Select

FAST, SLOW, ODD = (Choice(value, value.title()) for value in ("fast", "slow", "odd"))


def test_groups_of_choices_are_dissolved_in_order() -> None:
    group = ChoiceGroup("g", "Usual", (FAST, SLOW))
    assert Select("o", "Speed", "fast", (group, ODD)).flat() == (FAST, SLOW, ODD)


def test_an_option_without_choices_has_none() -> None:
    assert Select("o", "Speed", "fast").flat() == ()
