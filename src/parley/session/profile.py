"""Who the two sides are and what they can do, in one neutral value each."""

from typing import Any, Literal

from msgspec import Struct

from parley.session.content import Meta


class Implementation(Struct, frozen=True, omit_defaults=True):
    name: str
    version: str
    title: str | None = None
    meta: Meta | None = None

    @property
    def label(self) -> str:
        """What to show a person."""
        return self.title or self.name


UNKNOWN = Implementation("unknown", "unknown")


class AgentLogin(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="agent"):
    """A login that the agent carries out by itself."""

    id: str
    name: str
    description: str | None = None
    meta: Meta | None = None


class TerminalLogin(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="terminal"):
    """A login in a terminal: the agent's own program with these arguments and variables."""

    id: str
    name: str
    description: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    meta: Meta | None = None


class OtherLogin(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="other"):
    """A kind of login nobody here knows; it is never offered as another kind."""

    id: str
    name: str
    kind: str
    raw: dict[str, Any]


Login = AgentLogin | TerminalLogin | OtherLogin


class AgentCapabilities(Struct, frozen=True, omit_defaults=True):
    """What the agent offers beside opening sessions, prompts and cancelling."""

    load: bool = False
    resume: bool = False
    list: bool = False
    close: bool = False
    delete: bool = False
    fork: bool = False
    additional_directories: bool = False
    image: bool = False
    audio: bool = False
    embedded_context: bool = False
    mcp_stdio: bool = True
    mcp_http: bool = False
    mcp_sse: bool = False
    mcp_acp: bool = False
    logout: bool = False
    archive: bool = False
    status: bool = False
    title: bool = False
    system_prompt: bool = False
    system_prompt_override: bool = False
    auth_status: bool = False
    providers: bool = False
    meta: Meta | None = None


class ClientCapabilities(Struct, frozen=True, omit_defaults=True):
    """What the client offers. Version 2 has no files and no terminals."""

    read_files: bool = False
    write_files: bool = False
    terminals: bool = False
    terminal_login: bool = False
    elicitation_form: bool = False
    elicitation_url: bool = False
    boolean_options: bool = False
    notices: bool = False
    compaction: bool = False
    plans: bool = False
    """Several plans, and plans that are not lists. Unstable."""
    subagents: bool = False
    """Unstable."""
    meta: Meta | None = None


class AgentProfile(Struct, frozen=True, omit_defaults=True):
    info: Implementation = UNKNOWN
    capabilities: AgentCapabilities = AgentCapabilities()
    logins: tuple[Login, ...] = ()
    version: Literal[1, 2] = 1
    """The protocol version of the connection."""
    meta: Meta | None = None


class ClientProfile(Struct, frozen=True, omit_defaults=True):
    info: Implementation = UNKNOWN
    capabilities: ClientCapabilities = ClientCapabilities()
    version: Literal[1, 2] = 1
    """The protocol version of the connection."""
    meta: Meta | None = None
