"""The Agent Client Protocol in Python, versions 1 and 2.

`Agent` is what an agent is written with, `Client` and `connect` what one is driven with, `testing`
what both are tested with. The names in `__all__` are the public surface of the package root; a test
pins them. Importing the root imports nothing else, so that a program pays only for what it uses.
"""

from importlib import import_module

# A checker takes the name for true; importing `typing` for it would cost more than this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import parley.testing as testing
    from parley.errors import AcpError, RpcError
    from parley.sdk.agent import Agent
    from parley.sdk.client import Client, Settings, connect
    from parley.sdk.conversation import AgentConnection, RemoteSession
    from parley.sdk.remote_turn import RemoteTurn
    from parley.sdk.tool import ToolCall
    from parley.sdk.turn import Session, Turn
    from parley.session.question import Decision
    from parley.session.role import Ending

__all__ = [
    "AcpError",
    "Agent",
    "AgentConnection",
    "Client",
    "Decision",
    "Ending",
    "RemoteSession",
    "RemoteTurn",
    "RpcError",
    "Session",
    "Settings",
    "ToolCall",
    "Turn",
    "__version__",
    "connect",
    "testing",
]

__version__ = "0.1.0.dev0"

_HOMES = {
    "AcpError": "parley.errors",
    "Agent": "parley.sdk.agent",
    "AgentConnection": "parley.sdk.conversation",
    "Client": "parley.sdk.client",
    "Decision": "parley.session.question",
    "Ending": "parley.session.role",
    "RemoteSession": "parley.sdk.conversation",
    "RemoteTurn": "parley.sdk.remote_turn",
    "RpcError": "parley.errors",
    "Session": "parley.sdk.turn",
    "Settings": "parley.protocol.settings",
    "ToolCall": "parley.sdk.tool",
    "Turn": "parley.sdk.turn",
    "connect": "parley.sdk.client",
    "testing": "parley.testing",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'parley' has no attribute {name!r}")
    module = import_module(home)
    value = module if name == "testing" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
