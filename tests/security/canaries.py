"""Secrets that must stay where they are, and a home that is full of them.

Every canary is a word that stands nowhere else. `own` says which of them a place may have: the
environment of an MCP server holds what the configuration gives to just that server.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
VARIABLES = (
    *("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"),
    *("DEEPSEEK_API_KEY", "DASHSCOPE_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "OPENAI_API_KEY"),
    *("WORK_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "NPM_TOKEN"),
    *("PARLEY_ANYTHING", "VAULT_CREDENTIAL"),
)
ADDRESSES = ("HTTPS_PROXY", "PIP_INDEX_URL", "all_proxy", "GOFLAGS")
"""Variables whose values hold a password in an address."""
_OTHERS = ("keyring", "config-key", "mcp-config", "mcp-second", "mcp-client", "mcp-header")


def canary(name: str) -> str:
    return f"canary-{name.lower().replace('_', '-')}"


CANARIES = tuple(map(canary, (*VARIABLES, *ADDRESSES, *_OTHERS)))


def variables() -> dict[str, str]:
    """The environment that an editor would start the agent with."""
    env = {name: canary(name) for name in VARIABLES}
    env |= {name: f"http://user:{canary(name)}@127.0.0.1:9/" for name in ADDRESSES}
    return env | {
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
        "PYTHON_KEYRING_BACKEND": "tests.security.programs.canary_keyring.Keyring",
    }


def telltale(file: Path) -> dict[str, object]:
    """The command of an MCP server that writes down what it sees."""
    program = str(PROGRAMS / "telltale_server.py")
    return {"command": sys.executable, "args": ["-I", "-S", program, str(file)]}


def configuration(seen: Path, model_url: str, server_url: str) -> str:
    """A configuration file with a key, MCP servers and a hook, all of which see something."""
    first, second = telltale(seen / "first"), telltale(seen / "second")
    hook = f"{{ env; cat; echo; }} >> {seen / 'hook'}; true"
    return f"""\
[agent]
log_level = "debug"

[providers.work]
type = "openai"
base_url = {json.dumps(model_url)}
keyring = true
models = ["m"]

[providers.other]
type = "openai"
base_url = {json.dumps(model_url)}
key = "canary-config-key"
models = ["m"]

[mcp.first]
command = {json.dumps(first["command"])}
args = {json.dumps(first["args"])}
env = {{FIRST_TOKEN = "canary-mcp-config"}}

[mcp.second]
command = {json.dumps(second["command"])}
args = {json.dumps(second["args"])}
env = {{SECOND_TOKEN = "canary-mcp-second"}}

[mcp.far]
url = {json.dumps(server_url)}
headers = {{Authorization = "Bearer canary-mcp-header"}}

[[hooks.before_tool]]
tools = ["bash"]
command = {json.dumps(hook)}
"""


BROKEN = """\
rules = "canary-config-key"
[providers.work]
key = ["canary-config-key"]
kee = "canary-keyring"
base_url = "http://user:canary-mcp-config@[/"
[mcp.x]
command = "x"
env = {TOKEN = 5, OTHER = "canary-mcp-second"}
headers = "canary-mcp-header"
"""
"""A file in which every line with a secret is wrong."""


def found_in(text: str, own: tuple[str, ...] = ()) -> list[str]:
    """The canaries in a text that have no business there."""
    return [each for each in CANARIES if each not in own and each in text]
