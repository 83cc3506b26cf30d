"""Names of servers and their tools, as model APIs take them and as rules go by them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from parley.coder.mcp.naming import server_names, tool_names

ACCEPTED = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def test_plain_names_stay_and_strange_ones_are_made_plain() -> None:
    assert server_names(["docs", "my files", "a__b", "_x_", "", "1st", "日本"]) == (
        *("docs", "my_files", "a_b", "x", "server", "s1st", "server_2"),
    )
    assert tool_names("docs", ["find", "get page", "a.b/c", ""]) == (
        *("docs__find", "docs__get_page", "docs__a_b_c", "docs__tool"),
    )


def test_the_same_name_twice_is_told_apart() -> None:
    assert server_names(["docs", "docs", "docs_2"]) == ("docs", "docs_2", "docs_2_2")
    assert tool_names("x", ["a", "a", "a!"]) == ("x__a", "x__a_2", "x__a_")


def test_long_names_that_differ_at_their_ends_stay_different() -> None:
    long = "very_long_name_of_a_tool_that_goes_on_and_on"
    one, two = tool_names("x" * 24, [f"{long}_one", f"{long}_two"])
    assert one != two
    assert len(one) == len(two) == 64


@given(st.lists(st.text(max_size=80), max_size=6), st.lists(st.text(max_size=80), max_size=6))
def test_every_name_is_accepted_and_names_one_tool_of_one_server(
    servers: list[str], tools: list[str]
) -> None:
    names = server_names(servers)
    assert len(set(names)) == len(names)
    found = [name for server in names for name in tool_names(server, tools)]
    assert len(set(found)) == len(found)
    assert all(ACCEPTED.fullmatch(name) for name in (*names, *found))
    # The part before the first `__` is the server, so no tool can look like that of another.
    assert [name.partition("__")[0] for name in found] == [n for n in names for _ in tools]
