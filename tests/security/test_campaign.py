"""The table says what holds, what does not, and what was not tried often enough."""

from tests.security.campaign import Result, table


def test_a_row_holds_if_enough_was_tried_and_nothing_passed() -> None:
    assert Result("x", 10, 10).holds
    assert not Result("x", 9, 10).holds
    assert not Result("x", 10, 10, ("y",)).holds


def test_the_table_has_a_line_for_each_row_and_for_each_failure() -> None:
    rows = (Result("one", 12, 10, how="quickly"), Result("two", 3, 5, ("it passed",)))
    head, _, one, two, *rest = table(rows)
    assert head.split() == ["what", "is", "tried", "goal", "tried", "passed", "through", "how"]
    assert one.split() == ["one", "10+", "12", "0", "quickly"]
    assert two.split() == ["two", "5+", "3", "1"]
    assert rest == [
        "failed: two: it passed",
        "failed: two: only 3 of at least 5",
        "1 of 2 rows hold; 15 cases",
    ]
