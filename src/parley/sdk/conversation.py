"""An agent, a session and a turn, as the author of a client handles them."""

import os
from collections.abc import AsyncIterator, Generator, Iterable
from typing import Any

from msgspec import Struct

from parley.protocol.connect import RemoteAgent
from parley.sdk.stream import EventStream
from parley.sdk.tasks import Tasks
from parley.session.content import Block, Meta, Text
from parley.session.event import (
    ChunkAdded,
    CommandsChanged,
    Event,
    MessageChanged,
    OptionsChanged,
)
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile
from parley.session.role import (
    Ending,
    McpServer,
    Prompt,
    SessionPage,
    SessionRequest,
    SessionSetup,
)
from parley.session.state import SessionState

Path = str | os.PathLike[str]
Content = str | Block | Iterable[str | Block]


class RemoteSession:
    """A session of an agent. `state` is what it looks like now."""

    def __init__(self, agent: RemoteAgent, tasks: Tasks, session_id: str) -> None:
        self._agent = agent
        self._tasks = tasks
        self.id = session_id
        self.state = SessionState(session_id)
        self.stream: EventStream | None = None
        """Where events go while somebody iterates over a turn."""

    @property
    def options(self) -> tuple[Option, ...]:
        return self.state.options

    def prompt(self, content: Content, *, meta: Meta | None = None) -> "RemoteTurn":
        """Begin a turn: `await` it for how it ended, or iterate over what happens."""
        return RemoteTurn(self, self._agent, self._tasks, Prompt(_blocks(content), meta=meta))

    async def ask(self, content: Content) -> str:
        """Prompt, wait, and return the text of the agent's answer."""
        parts: list[str] = []
        async for event in self.prompt(content):
            text = agent_text(event)
            if text is not None:
                parts.append(text)
        return "".join(parts)

    async def cancel(self) -> None:
        """Cancel the running turn and withdraw the prompts that wait."""
        await self._agent.cancel(self.id)

    async def set_option(self, option_id: str, value: OptionValue) -> tuple[Option, ...]:
        return await self._agent.set_option(self.id, option_id, value)

    async def close(self) -> None:
        await self._agent.close_session(self.id)

    async def delete(self) -> None:
        await self._agent.delete_session(self.id)


class RemoteTurn:
    """A turn that runs at the agent.

    Nothing is sent before it is awaited or iterated over. Leaving the iteration early, or
    cancelling the task, cancels the turn.
    """

    def __init__(
        self, session: RemoteSession, agent: RemoteAgent, tasks: Tasks, prompt: Prompt
    ) -> None:
        self._session = session
        self._agent = agent
        self._tasks = tasks
        self._prompt = prompt
        self.ending: Ending | None = None

    def __await__(self) -> Generator[Any, None, Ending]:
        return self._run().__await__()

    async def __aiter__(self) -> AsyncIterator[Event]:
        stream = EventStream()
        self._session.stream = stream
        task = self._tasks.start(self._run())
        task.add_done_callback(lambda _: stream.end())
        try:
            async for event in stream:
                yield event
            await task
        finally:
            self._session.stream = None
            stream.end()
            task.cancel()

    async def _run(self) -> Ending:
        self.ending = await self._agent.prompt(self._session.id, self._prompt)
        return self.ending


class AgentConnection:
    """A connection to an agent."""

    def __init__(
        self, agent: RemoteAgent, tasks: Tasks, sessions: dict[str, RemoteSession]
    ) -> None:
        self._agent = agent
        self._tasks = tasks
        self._sessions = sessions
        self.profile: AgentProfile = agent.profile
        """Who the agent is, what it can do, and which version it speaks."""

    async def new_session(
        self,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
        additional_directories: Iterable[str] = (),
        meta: Meta | None = None,
    ) -> RemoteSession:
        """Open a new session in a directory."""
        request = _request(cwd, mcp_servers, additional_directories, meta)
        return self._opened(await self._agent.new_session(request))

    async def load_session(
        self,
        session_id: str,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
    ) -> RemoteSession:
        """Open a stored session with its history, which is in `state` when this returns."""
        session = self.session(session_id)
        setup = await self._agent.load_session(session_id, _request(cwd, mcp_servers))
        return self._opened(setup, session)

    async def resume_session(
        self,
        session_id: str,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
    ) -> RemoteSession:
        """Open a stored session without its history."""
        session = self.session(session_id)
        setup = await self._agent.resume_session(session_id, _request(cwd, mcp_servers))
        return self._opened(setup, session)

    async def fork_session(
        self,
        session_id: str,
        cwd: Path,
        *,
        mcp_servers: Iterable[McpServer] = (),
    ) -> RemoteSession:
        """Open a copy of a session, which goes its own way from here."""
        return self._opened(await self._agent.fork_session(session_id, _request(cwd, mcp_servers)))

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None) -> SessionPage:
        """One page of the agent's sessions."""
        return await self._agent.list_sessions(cwd=cwd, cursor=cursor)

    async def login(self, method_id: str) -> None:
        await self._agent.login(method_id)

    async def logout(self) -> None:
        await self._agent.logout()

    async def call(self, method: str, params: Any = None) -> Any:
        """An extension method of the agent."""
        return await self._agent.call(method, params)

    def tell(self, method: str, params: Any = None) -> None:
        """An extension notification to the agent."""
        self._agent.tell(method, params)

    def session(self, session_id: str) -> RemoteSession:
        """The handle of a session; made if it is not open here yet."""
        session = self._sessions.get(session_id)
        if session is None:
            session = RemoteSession(self._agent, self._tasks, session_id)
            self._sessions[session_id] = session
        return session

    def _opened(self, setup: SessionSetup, session: RemoteSession | None = None) -> RemoteSession:
        session = session or self.session(setup.session_id)
        if setup.options:
            session.state.apply(OptionsChanged(setup.options))
        if setup.commands:
            session.state.apply(CommandsChanged(setup.commands))
        return session


def agent_text(event: Event) -> str | None:
    """The text that an event adds to the agent's message."""
    match event:
        case ChunkAdded(speaker="agent", content=Text(text=text)):
            return text
        case MessageChanged(speaker="agent", content=tuple() as blocks):
            return "".join(block.text for block in blocks if isinstance(block, Text))
        case _:
            return None


def _request(
    cwd: Path,
    mcp_servers: Iterable[McpServer],
    additional_directories: Iterable[str] = (),
    meta: Meta | None = None,
) -> SessionRequest:
    # V1-DIR-08: an entry that is repeated, or is the directory itself, says nothing.
    path = os.path.abspath(cwd)
    extra = tuple(dict.fromkeys(d for d in additional_directories if d != path))
    return SessionRequest(path, extra, tuple(mcp_servers), meta=meta)


def _blocks(content: Content) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),)
    if isinstance(content, Struct):
        return (content,)
    return tuple(Text(block) if isinstance(block, str) else block for block in content)
