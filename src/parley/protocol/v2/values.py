"""Where sessions work and what is known of them, in the words of version 2 and back. Pure."""

import re
from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET

from parley.protocol.v2.content import block_models, blocks_from
from parley.protocol.v2.loss import Lose, given, told
from parley.protocol.v2.option import (
    command_models,
    commands_from,
    option_models,
    options_from,
)
from parley.schema import v2
from parley.session.role import (
    AcpServer,
    HttpServer,
    McpServer,
    SessionInfo,
    SessionPage,
    SessionRequest,
    SessionSetup,
    StdioServer,
    SystemPrompt,
)

SessionParams = v2.NewSessionRequest | v2.ResumeSessionRequest | v2.ForkSessionRequest
SetupModel = v2.NewSessionResponse | v2.ResumeSessionResponse | v2.ForkSessionResponse


# MCP servers and where a session works.


def server_model(server: McpServer) -> v2.McpServer:
    """The server; one over server-sent events has to be refused before (V2-MCP-03)."""
    meta = given(server.meta)
    match server:
        case StdioServer():
            return v2.McpServerStdio(
                name=server.name,
                command=server.command,
                args=list(server.args) or UNSET,
                env=env_models(server.env) or UNSET,
                meta=meta,
            )
        case HttpServer():
            # Readers of an older draft need `headers`, so an empty list is written too.
            headers = [v2.HttpHeader(name=name, value=value) for name, value in server.headers]
            return v2.McpServerHttp(name=server.name, url=server.url, headers=headers, meta=meta)
        case AcpServer():
            return v2.McpServerAcp(name=server.name, server_id=server.server_id, meta=meta)


def server_from(model: v2.McpServer) -> McpServer | None:
    """The server; `None` if nobody here knows its transport."""
    match model:
        case v2.McpServerStdio():
            args = tuple(model.args or ())  # V2-MCP-04
            return StdioServer(
                model.name, model.command, args, env_from(model.env or []), told(model.meta)
            )
        case v2.McpServerHttp():
            headers = tuple((header.name, header.value) for header in model.headers or ())
            return HttpServer(model.name, model.url, headers, meta=told(model.meta))
        case v2.McpServerAcp():
            return AcpServer(model.name, model.server_id, told(model.meta))
        case v2.OtherMcpServer():
            return None


def env_models(env: dict[str, str]) -> list[v2.EnvVariable]:
    return [v2.EnvVariable(name=name, value=value) for name, value in env.items()]


def env_from(models: list[v2.EnvVariable]) -> dict[str, str]:
    """V2-MCP-05: the last of several values for a name wins."""
    return {variable.name: variable.value for variable in models}


def request_members(request: SessionRequest, lose: Lose) -> dict[str, Any]:
    """What the requests that open a session have in common."""
    prompt = request.system_prompt
    return {
        "cwd": request.cwd,
        "additional_directories": list(request.additional_directories) or UNSET,
        "mcp_servers": [server_model(server) for server in request.mcp_servers] or UNSET,
        "system_prompt": UNSET
        if prompt is None
        else v2.SystemPrompt(
            mode=prompt.mode, content=block_models(prompt.content, lose), meta=given(prompt.meta)
        ),
        "meta": given(request.meta),
    }


def request_from(params: SessionParams, *, unstable: bool) -> SessionRequest:
    """What a session is opened with; servers of unknown transports have to be refused before."""
    prompt = told(params.system_prompt) if unstable else None
    servers = (server_from(server) for server in params.mcp_servers or ())
    return SessionRequest(
        params.cwd,
        tuple(params.additional_directories or ()),
        tuple(server for server in servers if server is not None),
        None
        if prompt is None
        else SystemPrompt(blocks_from(prompt.content), prompt.mode, told(prompt.meta)),
        told(params.meta),
    )


# What a session is opened with, and what is known of sessions.


def new_session_model(setup: SessionSetup, lose: Lose) -> v2.NewSessionResponse:
    # DEC-15: lists, never null.
    return v2.NewSessionResponse(
        session_id=setup.session_id,
        config_options=option_models(setup.options, lose) or UNSET,
        available_commands=command_models(setup.commands, lose) or UNSET,
        meta=given(setup.meta),
    )


def fork_session_model(setup: SessionSetup, lose: Lose) -> v2.ForkSessionResponse:
    return v2.ForkSessionResponse(
        session_id=setup.session_id,
        config_options=option_models(setup.options, lose) or UNSET,
        available_commands=command_models(setup.commands, lose) or UNSET,
        meta=given(setup.meta),
    )


def resume_session_model(setup: SessionSetup, lose: Lose) -> v2.ResumeSessionResponse:
    return v2.ResumeSessionResponse(
        config_options=option_models(setup.options, lose) or UNSET,
        available_commands=command_models(setup.commands, lose) or UNSET,
        meta=given(setup.meta),
    )


def setup_from(session_id: str, model: SetupModel) -> SessionSetup:
    return SessionSetup(
        session_id,
        options_from(model.config_options or []),
        commands_from(model.available_commands or []),
        told(model.meta),
    )


def page_model(page: SessionPage, *, unstable: bool, lose: Lose) -> v2.ListSessionsResponse:
    models: list[v2.SessionInfo] = []
    for info in page.sessions:
        if is_absolute(info.cwd):
            models.append(_info_model(info, unstable=unstable, lose=lose))
        else:
            lose("session.cwd", "a stored session without an absolute directory")
    return v2.ListSessionsResponse(
        sessions=models, next_cursor=given(page.next_cursor), meta=given(page.meta)
    )


def page_from(model: v2.ListSessionsResponse) -> SessionPage:
    # V2-LST-02: an empty cursor is a cursor.
    sessions = tuple(_info_from(info) for info in model.sessions)
    return SessionPage(sessions, told(model.next_cursor), told(model.meta))


def _info_model(info: SessionInfo, *, unstable: bool, lose: Lose) -> v2.SessionInfo:
    archived = info.archived
    if archived is not None and not unstable:
        lose("session.archived", "whether a session is archived")
        archived = None
    return v2.SessionInfo(
        session_id=info.session_id,
        cwd=info.cwd,
        additional_directories=list(info.additional_directories) or UNSET,
        title=given(info.title),
        updated_at=given(None if info.updated_at is None else sound_time(info.updated_at, lose)),
        archived=given(archived),
        meta=given(info.meta),
    )


def _info_from(model: v2.SessionInfo) -> SessionInfo:
    return SessionInfo(
        model.session_id,
        model.cwd,
        told(model.title),
        told(model.updated_at),
        tuple(model.additional_directories or ()),
        told(model.archived),
        told(model.meta),
    )


_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def sound_time(time: str, lose: Lose) -> str | None:
    """V2-LST-03: a time of RFC 3339. Without an offset it is taken as one of UTC."""
    if _RFC_3339.fullmatch(time):
        return time
    try:
        read = datetime.fromisoformat(time)
    except ValueError:
        lose("session.updated_at", "a time that cannot be read")
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).isoformat()


_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\[^\\]")


def is_absolute(path: str) -> bool:
    """V2-SES-04: absolute in the syntax of some machine, and no URI."""
    return _ABSOLUTE.match(path) is not None
