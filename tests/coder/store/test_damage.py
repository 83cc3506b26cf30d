"""Files with flipped bits, lost ends and strange contents: nothing crashes, nothing is made up."""

from tests.coder.store.damage_campaign import (
    WHOLE,
    cut,
    flip_a_bit,
    ruin_a_block,
    sampled,
)


def unharmed(content: bytearray, chance: object) -> None:
    """Leave it as it is."""


def test_a_file_that_is_whole_loses_nothing() -> None:
    assert sampled(2, unharmed).entries == WHOLE + WHOLE // 2 * 2


def test_a_flipped_bit_costs_little_and_breaks_nothing() -> None:
    assert sampled(100, flip_a_bit).entries > 0.7 * 100 * WHOLE


def test_a_file_that_was_cut_off_keeps_what_is_before_the_cut() -> None:
    assert sampled(100, cut).entries > 0.2 * 100 * WHOLE


def test_a_ruined_block_breaks_nothing_but_itself() -> None:
    assert sampled(40, ruin_a_block).entries > 0.4 * 40 * WHOLE
