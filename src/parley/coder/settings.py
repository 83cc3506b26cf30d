"""What can be chosen about the coding agent, as plain values; nothing is read from anywhere here.

Whoever composes the agent fills these in from files, the environment and flags. New sessions start
from them; what a person chooses in a session is kept with the session.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from parley.coder.hook import Hooks
from parley.coder.providers.provider import ThoughtLevel
from parley.session.role import McpServer

Mode = Literal["ask", "auto-edit", "plan", "full-access"]
PromptSize = Literal["full", "small"]


class RetryLimits(Struct, frozen=True):
    """How long a model that fails for the moment is asked again, for one answer.

    With the defaults a turn that cannot get an answer ends within a minute of the first failure,
    beside the time that the requests themselves take.
    """

    tries: int = 5
    """Requests in all, the first one included."""
    delays: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    """Seconds before each further try; a provider that names its own time is given that."""
    jitter: float = 0.25
    """The share of a delay that is added at random, so that clients do not return together."""
    total: float = 60.0
    """No further try begins later than this many seconds after the first failure."""


class SubagentLimits(Struct, frozen=True):
    """What one sub-agent may use. It also counts for the turn and the session that it works for."""

    at_once: int = 4
    """Sub-agents of one answer that run at the same time."""
    requests: int = 50
    tokens: int = 2_000_000
    """Input and output of all its requests."""


class CoderSettings(Struct, frozen=True):
    """Defaults work without any configuration."""

    version: str = "0"
    """Of the agent, as clients are told."""
    default_model: str = "offline/offline"
    """`provider/model`; without a model behind the slash the provider's preferred one."""
    images: bool = False
    """Whether the default model can see, so that clients are told they may send images."""
    mode: Mode = "ask"
    thought_level: ThoughtLevel = "off"
    prompt_size: PromptSize = "full"
    network: bool = True
    """Whether commands that are confined may use the network."""
    budget: float | None = None
    """US dollars that one session may cost; `None` is no limit."""
    max_requests: int = 100
    """Requests to the model in one turn."""
    parallel_reads: int = 8
    """Read-only calls of one answer that run at the same time."""
    subagents: SubagentLimits = SubagentLimits()
    retry: RetryLimits = RetryLimits()
    hint: str = ""
    """That there is no model; the first answer of a session begins with it. Empty: there is one."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the configuration; every session begins with these as notices."""
    instructions: str = ""
    """What the user wants agents to keep to, in every project."""
    commands_folder: str = ""
    """Where the user keeps slash commands; empty if nowhere."""
    mcp_servers: tuple[McpServer, ...] = ()
    """Servers of the user, which every session has beside those of its client."""
    environment: Mapping[str, str] = {}
    """Of the commands that tools run, and of hooks; it must hold no keys."""
    skill_folders: tuple[str, ...] = ()
    """Where the user keeps skills; absolute, the first one counts most."""
    own_paths: tuple[str, ...] = ()
    """What decides how the agent works, as real paths; nothing changes it unasked."""
    hooks: Hooks = Hooks()
    """Programs of the user that run before and after tool calls."""
