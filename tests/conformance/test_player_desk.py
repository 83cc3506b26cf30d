"""Open requests and ids are found by name."""

import pytest

from parley.conformance.player_desk import Departure, Desk
from parley.conformance.player_inbox import Arrived
from tests.conformance.staging import scenario


def desk(**more: object) -> Desk:
    return Desk(scenario({"do": "wait", "count": 1}, plays="client", **more), {})


def test_an_open_request_is_the_oldest_of_its_name_or_the_latest_of_all() -> None:
    papers = desk()
    one, two, three = (Arrived("request", "a", id_) for id_ in (1, 2, 3))
    papers.open += [("x", one), ("x", two), ("y", three)]
    assert papers.close("x") == one
    assert papers.close(None) == three
    assert papers.close("x") == two
    with pytest.raises(Departure) as raised:
        papers.close(None)
    assert raised.value.expected == "an open request `of any name`"


@pytest.mark.parametrize(("ids", "expected"), [(1, [1, 2]), (0, [0, 1]), ("r-", ["r-1", "r-2"])])
def test_ids_are_numbers_or_texts(ids: int | str, expected: list[int | str]) -> None:
    papers = desk(ids=ids)
    made = [papers.request(None, "_a", {}, extra={}, fault=None)[0] for _ in range(2)]
    assert made == expected


def test_a_request_is_found_by_its_name_or_as_the_last_one() -> None:
    papers = desk()
    for name in ("one", "two", "one"):
        papers.request(name, "_a", {}, extra={}, fault=None)
    assert papers.asked_id("two") == 2
    assert papers.asked_id("one") == 3
    assert papers.asked_id(None) == 3


def test_a_step_that_waits_for_anything_takes_every_request() -> None:
    papers = desk()
    papers.take(b'{"jsonrpc":"2.0","id":1,"method":"x"}')
    assert papers.unexpected == []
    papers.advance(1)
    assert papers.unexpected == ["request `x`"]
