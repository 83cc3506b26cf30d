"""The echo agent of the benchmark, on the RPC layer and the models: version 1, or 2 with
`--protocol 2`."""

import importlib
import sys
from collections.abc import Callable
from typing import cast

from parley.protocol.endpoint import Endpoint, Routes
from parley.rpc.transport import Transport
from parley.transport.stdio import run_stdio


async def serve(transport: Transport) -> None:
    endpoint = Endpoint(transport)
    endpoint.routes = routes(endpoint)
    endpoint.connection.peer.null_ids = version == 1
    await endpoint.connection.run()


if __name__ == "__main__":
    # Only the version that is spoken is imported, since a start is one of the things measured.
    version = 2 if sys.argv[1:] == ["--protocol", "2"] else 1
    routes = cast(
        "Callable[[Endpoint], Routes]", importlib.import_module(f"echo_v{version}").routes
    )
    sys.exit(run_stdio(serve))
