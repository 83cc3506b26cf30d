"""What a client refuses to send, before anything leaves: what was not advertised or is malformed.

Pure. Every function raises `LocalProtocolError`, or returns what may be sent.
"""

import logging
from collections.abc import Iterable

from parley.errors import LocalProtocolError
from parley.protocol.v1.content import is_absolute
from parley.protocol.v1.option import Offered, value_for
from parley.session.content import Audio, Block, Image, OtherBlock, Resource
from parley.session.option import OptionValue
from parley.session.profile import AgentCapabilities, AgentLogin, AgentProfile
from parley.session.role import (
    AcpServer,
    HttpServer,
    McpServer,
    SessionRequest,
    StdioServer,
    SystemPrompt,
)

_log = logging.getLogger("parley.protocol")


def require(able: bool, what: str) -> None:
    """Refuse what the agent did not advertise."""
    if not able:
        raise LocalProtocolError(f"the agent does not offer {what}")


def checked_login(profile: AgentProfile, method_id: str) -> str:
    """V1-AUTH-01, V1-AUTH-06: a login that the agent carries out by itself."""
    for login in profile.logins:
        if login.id == method_id:
            if isinstance(login, AgentLogin):
                return method_id
            raise LocalProtocolError("this login is not one that the agent carries out")
    raise LocalProtocolError("the agent does not offer this login")


def checked_opening(request: SessionRequest, can: AgentCapabilities) -> SessionRequest:
    """What a session may be opened with."""
    if not is_absolute(request.cwd):  # V1-SES-02
        raise LocalProtocolError("the working directory of a session is not an absolute path")
    directories = _checked_directories(request, can)
    for server in request.mcp_servers:
        _check_server(server, can)
    if request.system_prompt is not None:
        _check_system_prompt(request.system_prompt, can)
    return SessionRequest(
        request.cwd,
        directories,
        request.mcp_servers,
        request.system_prompt,
        request.meta,
    )


def checked_prompt(content: tuple[Block, ...], can: AgentCapabilities) -> tuple[Block, ...]:
    """V1-PRM-02: blocks of kinds that the agent takes."""
    for block in content:
        match block:
            case Image():
                require(can.image, "images in prompts")
            case Audio():
                require(can.audio, "audio in prompts")
            case Resource():
                require(can.embedded_context, "embedded resources in prompts")
            case OtherBlock():
                raise LocalProtocolError("version 1 has no such block in prompts")
            case _:
                pass  # V1-INIT-08: text and links are always taken.
    return content


def checked_value(offered: Offered, option_id: str, value: OptionValue) -> OptionValue:
    """V1-MOD-02, V1-CFG-10: one of the values that the session offers."""
    option = offered.find(option_id)
    if option is None:
        raise LocalProtocolError(f"the session has no option `{option_id}`")
    accepted = value_for(option, value)
    if accepted is None:
        raise LocalProtocolError(f"the option `{option_id}` does not offer this value")
    return accepted


def _checked_directories(request: SessionRequest, can: AgentCapabilities) -> tuple[str, ...]:
    given = request.additional_directories
    if given:
        require(can.additional_directories, "additional directories")  # V1-DIR-01
    for directory in given:
        if not is_absolute(directory):  # V1-DIR-02
            raise LocalProtocolError("an additional directory is not an absolute path")
    # V1-DIR-08: each once, and none that is the working directory anyway.
    return tuple(_distinct(given, request.cwd))


def _distinct(values: Iterable[str], besides: str) -> list[str]:
    return [value for value in dict.fromkeys(values) if value != besides]


def _check_server(server: McpServer, can: AgentCapabilities) -> None:
    match server:
        case StdioServer(name=name, command=command):
            if not is_absolute(command):  # V1-MCP-07
                _log.warning("the command of the MCP server %.80r is not an absolute path", name)
        case HttpServer(sse=sse):  # V1-MCP-02
            require(can.mcp_sse if sse else can.mcp_http, "MCP servers over this transport")
        case AcpServer():
            require(can.mcp_acp, "MCP servers of the client")


def _check_system_prompt(prompt: SystemPrompt, can: AgentCapabilities) -> None:
    require(can.system_prompt, "system prompts")  # V1-U-13
    if prompt.mode == "override":
        require(can.system_prompt_override, "another system prompt instead of its own")
    if not prompt.content:
        raise LocalProtocolError("the system prompt is empty")
