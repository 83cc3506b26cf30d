"""Opens the session of a run: a new one or a stored one, with the options the user wants."""

from contextlib import suppress

from parley.errors import (
    AcpError,
    AuthRequired,
    ConfigError,
    MethodNotFound,
    ResourceNotFound,
    RpcError,
)
from parley.frontend.headless.brief_state import BriefState
from parley.frontend.headless.request import RunRequest
from parley.frontend.session_list import session_named
from parley.frontend.visible import one_line
from parley.sdk.conversation import AgentConnection, RemoteSession
from parley.session.option import Option, OptionValue, Select, Toggle
from parley.session.role import HttpServer, SessionInfo

_MOST_PAGES = 20
_ON, _OFF = ("true", "on", "yes", "1"), ("false", "off", "no", "0")


async def open_session(agent: AgentConnection, request: RunRequest) -> RemoteSession:
    """The session that was asked for, ready for its first prompt.

    Raises:
        ConfigError: the agent cannot do what was asked for.
    """
    _check(agent, request)
    stored = request.session
    if request.latest:
        stored = await _latest(agent, request.cwd)
    if stored is None:
        session = await agent.new_session(
            request.cwd,
            mcp_servers=request.servers,
            additional_directories=request.directories,
        )
    else:
        session = await _stored(agent, stored, request)
    brief = BriefState(session.id, session.state.events())
    # Notices are no part of a conversation, so they are not among its events.
    brief.notices.extend(session.state.notices)
    session.state = brief
    try:
        await _choose(session, request)
    except AcpError:
        if stored is None:
            await _discard(agent, session)
        raise
    return session


async def _discard(agent: AgentConnection, session: RemoteSession) -> None:
    """Leave nothing of a new session in which nothing was said, as far as the agent can do that."""
    can = agent.profile.capabilities
    with suppress(AcpError):
        if can.close:
            await session.close()
        if can.delete:
            await session.delete()


async def _stored(agent: AgentConnection, name: str, request: RunRequest) -> RemoteSession:
    """The session with an id, or with the only id that begins like this."""
    can = agent.profile.capabilities
    if not (can.resume or can.load):
        raise _cannot("--session", "open stored sessions", "begin a new one")
    try:
        return await _reopened(agent, name, request)
    except (AuthRequired, MethodNotFound):
        raise
    except RpcError as error:
        id_ = await _meant(agent, name, error)
    return await _reopened(agent, id_, request)


async def _reopened(agent: AgentConnection, id_: str, request: RunRequest) -> RemoteSession:
    can = agent.profile.capabilities
    servers, more = request.servers, request.directories
    if can.resume:
        try:
            return await agent.resume_session(
                id_, request.cwd, mcp_servers=servers, additional_directories=more
            )
        except MethodNotFound:
            # Agents exist that say they can and cannot.
            if not can.load:
                raise
    return await agent.load_session(
        id_, request.cwd, mcp_servers=servers, additional_directories=more
    )


async def _meant(agent: AgentConnection, name: str, refused: RpcError) -> str:
    """The id that a name stands for which the agent did not open as it is.

    Raises:
        ConfigError: it stands for none, or for several.
        RpcError: the agent knows the very id, or nobody can tell; this is what it answered.
    """
    option = f"--session {one_line(name, 70)}"
    if not agent.profile.capabilities.list:
        if isinstance(refused, ResourceNotFound):
            fix = "write its whole id"
            raise ConfigError("parley run", option, "is no session of this agent", fix) from refused
        raise refused
    try:
        sessions = await _listed(agent, None)
    except RpcError:
        raise refused from None
    if any(each.session_id == name for each in sessions):
        raise refused
    try:
        return session_named(sessions, name).session_id
    except ConfigError as error:
        raise ConfigError("parley run", option, error.problem, error.hint) from refused


async def _latest(agent: AgentConnection, cwd: str) -> str:
    """The id of the session of a directory that was changed last."""
    if not agent.profile.capabilities.list:
        raise _cannot("--continue", "list its sessions", "name one with --session ID")
    found = [each for each in await _listed(agent, cwd) if each.cwd == cwd]
    if not found:
        raise ConfigError("parley run", "--continue", f"finds no session in {cwd}", "begin one")
    # Of those that were changed at the same time the first one listed.
    return max(found, key=lambda each: each.updated_at or "").session_id


async def _listed(agent: AgentConnection, cwd: str | None) -> list[SessionInfo]:
    found: list[SessionInfo] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await agent.list_sessions(cwd, cursor)
        found += page.sessions
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def _check(agent: AgentConnection, request: RunRequest) -> None:
    can = agent.profile.capabilities
    if request.directories and not can.additional_directories:
        raise _cannot("--add-dir", "work in several directories", "leave it out")
    for server in request.servers:
        if isinstance(server, HttpServer):
            able = can.mcp_sse if server.sse else can.mcp_http
            how = "server-sent events" if server.sse else "HTTP"
            if not able:
                raise _cannot("--mcp", f"use MCP servers over {how}", f"leave out `{server.name}`")


async def _choose(session: RemoteSession, request: RunRequest) -> None:
    wanted = list(request.options)
    for category, value in (("mode", request.mode), ("model", request.model)):
        if value is not None:
            wanted.append((_by_category(session, category), value))
    for id_, text in wanted:
        option = next((each for each in session.options if each.id == id_), None)
        if option is None:
            names = ", ".join(one_line(each.id, 40) for each in session.options) or "none"
            raise ConfigError("parley run", f"--set {id_}", "is no option", f"there are: {names}")
        await session.set_option(id_, value_for(option, text))


def _by_category(session: RemoteSession, category: str) -> str:
    for option in session.options:
        if isinstance(option, Select) and option.category == category:
            return option.id
    # Some agents have the option and do not say of which category it is.
    if any(option.id == category for option in session.options):
        return category
    raise _cannot(f"--{category}", f"let its user choose a {category}", "leave it out")


def value_for(option: Option, text: str) -> OptionValue:
    """What a text stands for: a value, its name, or yes and no.

    Raises:
        ConfigError: the option has no such value.
    """
    match option:
        case Toggle():
            lowered = text.lower()
            if lowered in _ON or lowered in _OFF:
                return lowered in _ON
            raise ConfigError("parley run", f"--set {option.id}", "is no switch", "use on or off")
        case Select():
            choices = option.flat()
            named = [each.value for each in choices if text == each.value]
            named += [each.value for each in choices if text.lower() == each.name.lower()]
            if named or not choices:
                return named[0] if named else text
            values = ", ".join(one_line(each.value, 60) for each in choices[:40])
            problem = f"has no value `{one_line(text, 60)}`"
            raise ConfigError("parley run", f"{option.id}", problem, f"the values are: {values}")
        case _:
            return text


def _cannot(option: str, what: str, fix: str) -> ConfigError:
    return ConfigError("parley run", option, f"does not fit: this agent does not {what}", fix)
