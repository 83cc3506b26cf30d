"""A client that lets agents use files and commands of this machine, within one directory."""

from collections.abc import Iterable
from pathlib import Path

import parley
from parley.client.files import LocalFiles
from parley.client.login import login_in_terminal
from parley.client.roots import Roots
from parley.client.terminals import LocalTerminals
from parley.session.profile import Login, TerminalLogin

unsaved: dict[str, str] = {}
"""What the editor has not saved yet, by path."""

roots = Roots([Path.cwd()])
client = parley.Client(
    "local", "1.0", files=LocalFiles(roots, overlays=unsaved), terminals=LocalTerminals(roots)
)


async def begin(agent: parley.AgentConnection, cwd: str) -> parley.RemoteSession:
    """A session that may touch its own directory, and no other."""
    session = await agent.new_session(cwd)
    roots.allow(session.id, cwd)
    return session


async def log_in(command: list[str], logins: Iterable[Login]) -> bool:
    """Let the agent's own program ask the person; connect anew after a success."""
    for login in logins:
        if isinstance(login, TerminalLogin):
            return await login_in_terminal(command, login)
    return False
