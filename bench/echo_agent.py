"""The echo agent of the benchmark on Parley: version 1, or 2 with `--protocol 2`."""

import importlib
import sys
from collections.abc import Awaitable, Callable
from typing import cast

from parley.rpc.connection import Connection
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.rpc.transport import Transport
from parley.transport.stdio import run_stdio

Answer = Callable[[Connection, Call], Awaitable[Payload]]


async def serve(transport: Transport) -> None:
    async def on_call(call: Call) -> Payload:
        return await answer(connection, call)

    connection = Connection(transport, on_call=on_call, on_notification=ignore)
    await connection.run()


def ignore(notification: Notification) -> None:
    """A turn of the benchmark is never cancelled."""


if __name__ == "__main__":
    # Only the version that is spoken is imported, since a start is one of the things measured.
    version = 2 if sys.argv[1:] == ["--protocol", "2"] else 1
    answer = cast("Answer", importlib.import_module(f"echo_v{version}").answer)
    sys.exit(run_stdio(serve))
