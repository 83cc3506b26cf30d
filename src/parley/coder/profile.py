"""Who the coding agent is and what it can do, as every client is told.

Apart from the application, because it is said before that is loaded.
"""

from parley.coder.mcp.package import can_serve
from parley.session.profile import AgentCapabilities, AgentProfile, Implementation, Login


def agent_profile(version: str, *, images: bool, logins: tuple[Login, ...]) -> AgentProfile:
    """`images` says whether the model to begin with can see."""
    servers = can_serve()
    return AgentProfile(
        Implementation("parley", version, "Parley"),
        AgentCapabilities(
            load=True,
            resume=True,
            list=True,
            close=True,
            delete=True,
            fork=True,
            additional_directories=True,
            image=images,
            embedded_context=True,
            mcp_stdio=servers,
            mcp_http=servers,
            # Who can log in can log out again.
            logout=bool(logins),
        ),
        logins,
    )
