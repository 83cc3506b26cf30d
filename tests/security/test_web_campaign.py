"""The tool that fetches pages connects to nothing that it must not reach."""

import asyncio
import socket

from tests.security.web_campaign import (
    Connections,
    bombs,
    fetched,
    named,
    rebound,
    redirected,
    spellings,
)


def test_nothing_inside_is_reached_by_any_spelling_redirect_or_name() -> None:
    connections = Connections()
    with connections.watched():
        assert spellings() == []
        assert asyncio.run(fetched()) == []
        assert asyncio.run(redirected()) == []
        assert asyncio.run(named()) == []
        assert asyncio.run(rebound()) == []
    assert len(connections.made) > 100
    assert [each for each in connections.made if "'127.0.0.1'" not in str(each)] == []


def test_a_connection_is_noticed_while_it_is_watched() -> None:
    connections = Connections()
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        for _ in range(2):
            with connections.watched(), socket.create_connection(address, 5):
                pass
        with socket.create_connection(address, 5):
            pass
    assert connections.made == [address] * 2


def test_a_page_that_grows_is_cut() -> None:
    assert asyncio.run(bombs()) == []
