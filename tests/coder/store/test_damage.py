"""Files with flipped bits, lost ends and strange contents: nothing crashes, nothing is made up."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.coder.store.damage_campaign import Found, campaign
from tests.coder.store.faults.damages import DAMAGES, Damage
from tests.coder.store.truncation_campaign import truncated


def unharmed(folder: Path, chance: random.Random) -> Callable[[], None]:
    return lambda: None


def lost(folder: Path, chance: random.Random) -> Callable[[], None]:
    (folder / "sessions.db").write_bytes(b"")
    return lambda: None


def only(name: str, samples: int) -> Found:
    damages = [damage for damage in DAMAGES if damage.name == name]
    return campaign(samples, 7, damages)[name]


def test_a_file_that_is_whole_loses_nothing() -> None:
    found = campaign(2, 7, [Damage("unharmed", unharmed, harmless=True)])["unharmed"]
    assert (found.whole, found.wrong) == (2, [])


def test_the_campaign_sees_what_is_lost() -> None:
    found = campaign(2, 7, [Damage("lost", lost, harmless=True)])["lost"]
    assert (found.whole, len(found.wrong)) == (0, 2)


def test_no_kind_of_damage_crashes_hangs_or_makes_something_up() -> None:
    found = campaign(5 * len(DAMAGES), 7)
    assert {name: each.wrong for name, each in found.items() if each.wrong} == {}


@pytest.mark.parametrize(
    ("name", "least"),
    [("flipped bit", 0.7), ("cut off", 0.3), ("block of zeros", 0.5), ("block of garbage", 0.5)],
)
def test_damage_costs_what_is_damaged_and_little_more(name: str, least: float) -> None:
    found = only(name, 40)
    assert found.wrong == []
    assert found.entries > least * found.there


def test_a_file_that_was_cut_anywhere_keeps_what_is_before_the_cut() -> None:
    found = truncated(60, 7)
    assert {name: each.wrong for name, each in found.items() if each.wrong} == {}
