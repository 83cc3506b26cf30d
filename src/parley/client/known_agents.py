"""Agents of others that speak the protocol on stdio: their programs and how to get them.

Data only. A command is what makes the program speak ACP. Where an agent was renamed, the name of
today stands first.
"""

from msgspec import Struct


class KnownAgent(Struct, frozen=True):
    """An agent as it is when it is installed the way its makers say."""

    name: str
    title: str
    commands: tuple[tuple[str, ...], ...]
    """The preferred one first: the program, then its arguments."""
    install: str
    npx: str = ""
    """The npm package that has the preferred program, if there is one."""
    uvx: str = ""
    """The Python package that has it, as `uvx --from` takes it."""
    registry: str = ""
    """Its id in the ACP registry, where that is not its name."""
    note: str = ""


KNOWN: tuple[KnownAgent, ...] = (
    KnownAgent(
        "gemini",
        "Gemini CLI",
        (("gemini", "--acp"),),
        "npm install -g @google/gemini-cli",
        npx="@google/gemini-cli",
        note="an old version wants --experimental-acp",
    ),
    KnownAgent(
        "claude",
        "Claude Agent",
        (("claude-agent-acp",), ("claude-code-acp",)),
        "npm install -g @agentclientprotocol/claude-agent-acp",
        npx="@agentclientprotocol/claude-agent-acp",
        registry="claude-acp",
        note="`claude` alone does not speak the protocol; this adapter does",
    ),
    KnownAgent(
        "codex",
        "Codex",
        (("codex-acp",),),
        "npm install -g @agentclientprotocol/codex-acp",
        npx="@agentclientprotocol/codex-acp",
        registry="codex-acp",
        note="`codex` alone does not speak the protocol; this adapter does",
    ),
    KnownAgent(
        "opencode",
        "OpenCode",
        (("opencode", "acp"),),
        "npm install -g opencode-ai",
        npx="opencode-ai",
    ),
    KnownAgent(
        "qwen",
        "Qwen Code",
        (("qwen", "--acp"),),
        "npm install -g @qwen-code/qwen-code",
        npx="@qwen-code/qwen-code",
        registry="qwen-code",
        note="an old version wants --experimental-acp",
    ),
    KnownAgent(
        "goose",
        "goose",
        (("goose", "acp"),),
        "see https://block.github.io/goose/docs/getting-started/installation",
    ),
    KnownAgent(
        "kimi",
        "Kimi Code",
        (("kimi", "acp"),),
        "npm install -g @moonshot-ai/kimi-code",
        npx="@moonshot-ai/kimi-code",
        registry="kimi-code",
        note="log in with `kimi login` first",
    ),
    KnownAgent(
        "vibe",
        "Mistral Vibe",
        (("vibe-acp",),),
        "uv tool install mistral-vibe",
        uvx="mistral-vibe",
        registry="mistral-vibe",
    ),
    KnownAgent(
        "copilot",
        "GitHub Copilot",
        (("copilot", "--acp"),),
        "npm install -g @github/copilot",
        npx="@github/copilot",
        registry="github-copilot-cli",
    ),
    KnownAgent(
        "cursor",
        "Cursor",
        (("cursor-agent", "acp"),),
        "see https://cursor.com/docs/cli/acp",
    ),
    KnownAgent(
        "auggie",
        "Auggie CLI",
        (("auggie", "--acp"),),
        "npm install -g @augmentcode/auggie",
        npx="@augmentcode/auggie",
    ),
    KnownAgent(
        "stakpak",
        "Stakpak",
        (("stakpak", "acp"),),
        "see https://github.com/stakpak/agent",
    ),
    KnownAgent(
        "openhands",
        "OpenHands",
        (("openhands", "acp"),),
        "uv tool install openhands --python 3.12",
        uvx="openhands",
    ),
    KnownAgent(
        "fast-agent",
        "fast-agent",
        (("fast-agent-acp",),),
        "uv tool install fast-agent-acp",
        uvx="fast-agent-acp",
    ),
    KnownAgent(
        "hermes",
        "Hermes Agent",
        (("hermes-acp",), ("hermes", "acp")),
        "uv tool install 'hermes-agent[acp]'",
        uvx="hermes-agent[acp]",
        registry="hermes-agent",
    ),
    KnownAgent(
        "cline",
        "Cline",
        (("cline", "--acp"),),
        "npm install -g cline",
        npx="cline",
    ),
    KnownAgent(
        "droid",
        "Factory Droid",
        (("droid", "exec", "--output-format", "acp-daemon"),),
        "npm install -g droid",
        npx="droid",
        registry="factory-droid",
    ),
    KnownAgent(
        "kilo",
        "Kilo",
        (("kilo", "acp"), ("kilocode", "acp")),
        "npm install -g @kilocode/cli",
        npx="@kilocode/cli",
    ),
    KnownAgent(
        "junie",
        "Junie",
        (("junie", "--acp=true"),),
        "see https://junie.jetbrains.com",
    ),
    KnownAgent(
        "amp",
        "Amp",
        (("amp-acp",),),
        "see https://github.com/tao12345666333/amp-acp",
        registry="amp-acp",
    ),
)
