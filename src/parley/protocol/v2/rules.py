"""What may be asked of an agent, given what it advertised. Pure.

Both sides judge by these rules: a client before it sends, an agent when it receives. Each
function names the problem, or returns `None`.
"""

from parley.protocol.v2.values import is_absolute
from parley.session.content import Audio, Block, Image, OtherBlock, Resource
from parley.session.option import Option, OptionValue, Select, Toggle
from parley.session.profile import AgentCapabilities
from parley.session.role import AcpServer, HttpServer, McpServer, SessionRequest, StdioServer


def request_problem(request: SessionRequest, agent: AgentCapabilities) -> str | None:
    """V2-SES-04, V2-DIR-01: paths are absolute, and extra ones only where advertised."""
    if not is_absolute(request.cwd):
        return "`cwd` is not absolute"
    if request.additional_directories and not agent.additional_directories:
        return "`additionalDirectories` is not supported"
    if not all(is_absolute(path) for path in request.additional_directories):
        return "`additionalDirectories` has a path that is not absolute"
    if request.system_prompt is not None:
        if not agent.system_prompt:
            return "`systemPrompt` is not supported"
        if request.system_prompt.mode == "override" and not agent.system_prompt_override:
            return "`systemPrompt` cannot be overridden"
        if not request.system_prompt.content:
            return "`systemPrompt` is empty"
    return _servers_problem(request.mcp_servers, agent)


def _servers_problem(servers: tuple[McpServer, ...], agent: AgentCapabilities) -> str | None:
    for server in servers:
        # V2-MCP-02, V2-MCP-03
        match server:
            case StdioServer():
                supported = agent.mcp_stdio
            case HttpServer():
                supported = agent.mcp_http and not server.sse
            case AcpServer():
                supported = agent.mcp_acp
        if not supported:
            return "`mcpServers` has a transport that is not supported"
    if len({server.name for server in servers}) < len(servers):
        return "`mcpServers` has a name twice"  # V2-MCP-06
    return None


def prompt_problem(content: tuple[Block, ...], agent: AgentCapabilities) -> str | None:
    """V2-PRM-01, V2-PRM-22: not empty, and only kinds of content that are supported."""
    if not content:
        return "`prompt` is empty"
    for block in content:
        match block:
            case Image():
                supported = agent.image
            case Audio():
                supported = agent.audio
            case Resource():
                supported = agent.embedded_context
            case OtherBlock():
                supported = False
            case _:
                supported = True  # V2-INIT-06
        if not supported:
            return "`prompt` has a kind of content that is not supported"
    return None


def option_problem(options: tuple[Option, ...], option_id: str, value: OptionValue) -> str | None:
    """V2-CFG-02: one of the options, and one of its values. An unknown list decides nothing."""
    option = next((each for each in options if each.id == option_id), None)
    match option:
        case None:
            return "no such option" if options else None
        case Select():
            values = {choice.value for choice in option.flat()}
            offered = isinstance(value, str) and (not values or value in values)
        case Toggle():
            offered = isinstance(value, bool)
        case _:
            offered = True
    return None if offered else "not a value of the option"
