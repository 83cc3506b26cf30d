"""An agent and its sessions, as the author of a client handles them."""

import os
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from msgspec import Struct

from parley.sdk.remote_turn import Line, RemoteTurn
from parley.sdk.stream import EventStream
from parley.session.content import Block, Meta, Text
from parley.session.event import CommandsChanged, OptionsChanged
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile
from parley.session.role import McpServer, Prompt, SessionPage, SessionRequest, SessionSetup
from parley.session.state import SessionState

Path = str | os.PathLike[str]
Content = str | Block | Iterable[str | Block]


class RemoteSession:
    """A session of an agent. `state` is what it looks like now."""

    def __init__(self, line: Line, session_id: str, sessions: "dict[str, RemoteSession]") -> None:
        self._line = line
        self._sessions = sessions
        self.id = session_id
        self.state = SessionState(session_id)
        self.stream: EventStream | None = None
        self.turns: list[RemoteTurn] = []

    @property
    def options(self) -> tuple[Option, ...]:
        """What the user can choose: modes, models and whatever else the agent offers."""
        return self.state.options

    def prompt(self, content: Content, *, meta: Meta | None = None) -> RemoteTurn:
        """A turn: `await` it for how it ended, or iterate over what happens.

        A turn that is begun while another one runs waits until that is over.
        """
        return RemoteTurn(self._line, self, Prompt(_blocks(content), meta=meta))

    async def ask(self, content: Content, *, meta: Meta | None = None) -> str:
        """Prompt, wait, and return the text of the agent's answer.

        Raises:
            RpcError: the turn ended with an error.
        """
        turn = self.prompt(content, meta=meta)
        await turn
        turn.result()
        return turn.text

    async def cancel(self) -> None:
        """Cancel the running turn and withdraw the prompts that wait."""
        turns = tuple(self.turns)
        for turn in turns:
            turn.withdraw()
        await self._line.agent.cancel(self.id)
        for turn in turns:
            turn.see_out()

    async def set_option(self, option_id: str, value: OptionValue) -> tuple[Option, ...]:
        """Choose a value; the answer is the complete list of options as it is now.

        Raises:
            LocalProtocolError: the session offers no such option, or no such value.
        """
        with self._line.pace:
            options = await self._line.agent.set_option(self.id, option_id, value)
        self.state.apply(OptionsChanged(options))
        return options

    async def close(self) -> None:
        """End the session here; a stored one can be loaded again."""
        with self._line.pace:
            await self._line.agent.close_session(self.id)
        self._sessions.pop(self.id, None)

    async def delete(self) -> None:
        """Delete it for good."""
        with self._line.pace:
            await self._line.agent.delete_session(self.id)
        self._sessions.pop(self.id, None)


class AgentConnection:
    """A connection to an agent. Every call has the deadline of the settings, except a prompt."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._agent = line.agent
        self.sessions: dict[str, RemoteSession] = {}
        """Those that are open, or that the agent has spoken of, by id."""
        self.profile: AgentProfile = line.agent.profile
        """Who the agent is, what it can do, and which version it speaks."""

    async def new_session(
        self,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
        additional_directories: Iterable[Path] = (),
        meta: Meta | None = None,
    ) -> RemoteSession:
        """Open a new session in a directory; a relative path is made absolute."""
        request = _request(cwd, mcp_servers, additional_directories, meta)
        with self._line.pace:
            return self._opened(await self._agent.new_session(request))

    async def load_session(
        self,
        session_id: str,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
        additional_directories: Iterable[Path] = (),
        meta: Meta | None = None,
    ) -> RemoteSession:
        """Open a stored session with its history, which is in `state` when this returns."""
        request = _request(cwd, mcp_servers, additional_directories, meta)
        with self._line.pace, ExitStack() as failed:
            session, before = self.session(session_id), self.session(session_id).state
            # The whole history comes again.
            session.state = SessionState(session_id)
            failed.callback(setattr, session, "state", before)
            setup = await self._agent.load_session(session_id, request)
            failed.pop_all()
            return self._opened(setup)

    async def resume_session(
        self,
        session_id: str,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
        additional_directories: Iterable[Path] = (),
        meta: Meta | None = None,
    ) -> RemoteSession:
        """Open a stored session without its history."""
        request = _request(cwd, mcp_servers, additional_directories, meta)
        with self._line.pace:
            return self._opened(await self._agent.resume_session(session_id, request))

    async def fork_session(
        self,
        session_id: str,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
        additional_directories: Iterable[Path] = (),
        meta: Meta | None = None,
    ) -> RemoteSession:
        """Open a copy of a session, which goes its own way from here."""
        request = _request(cwd, mcp_servers, additional_directories, meta)
        with self._line.pace:
            return self._opened(await self._agent.fork_session(session_id, request))

    async def list_sessions(
        self, cwd: Path | None = None, cursor: str | None = None
    ) -> SessionPage:
        """One page of the agent's sessions."""
        where = None if cwd is None else _absolute(cwd)
        with self._line.pace:
            return await self._agent.list_sessions(cwd=where, cursor=cursor)

    async def login(self, method_id: str) -> None:
        """Log in by one of `profile.logins`."""
        with self._line.pace:
            await self._agent.login(method_id)

    async def logout(self) -> None:
        with self._line.pace:
            await self._agent.logout()

    async def call(self, method: str, params: Any = None) -> Any:
        """An extension method of the agent; its name starts with an underscore."""
        with self._line.pace:
            return await self._agent.call(method, params)

    def tell(self, method: str, params: Any = None) -> None:
        """An extension notification to the agent."""
        self._agent.tell(method, params)

    def session(self, session_id: str) -> RemoteSession:
        """The handle of a session; made if it is not known here yet."""
        session = self.sessions.get(session_id)
        if session is None:
            session = RemoteSession(self._line, session_id, self.sessions)
            self.sessions[session_id] = session
        return session

    def _opened(self, setup: SessionSetup) -> RemoteSession:
        session = self.session(setup.session_id)
        # V2-SES-03: an update that came before the answer is newer.
        if setup.options and not session.state.options:
            session.state.apply(OptionsChanged(setup.options))
        if setup.commands and not session.state.commands:
            session.state.apply(CommandsChanged(setup.commands))
        return session


def _request(
    cwd: Path,
    mcp_servers: Iterable[McpServer],
    additional_directories: Iterable[Path],
    meta: Meta | None,
) -> SessionRequest:
    path = _absolute(cwd)
    extra = (_absolute(each) for each in additional_directories)
    # V1-DIR-08: an entry that is repeated, or is the directory itself, says nothing.
    directories = tuple(dict.fromkeys(each for each in extra if each != path))
    return SessionRequest(path, directories, tuple(mcp_servers), meta=meta)


def _absolute(path: Path) -> str:
    """V1-SES-02: the protocol knows no relative paths, but a person at a keyboard does."""
    return os.path.abspath(path)


def _blocks(content: Content) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),)
    if isinstance(content, Struct):
        return (content,)
    return tuple(Text(block) if isinstance(block, str) else block for block in content)
