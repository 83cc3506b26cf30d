"""The model vendors that are known by name: where they are, and which variables hold their keys.

Pure data. The order is the order of preference where several are configured and nothing says
which one to use.
"""

from typing import Literal

from msgspec import Struct

ApiType = Literal["openai", "responses", "anthropic", "gemini"]
"""The wire format: chat completions, OpenAI Responses, Anthropic Messages, Gemini."""


class Vendor(Struct, frozen=True):
    name: str
    title: str
    type: ApiType
    base_url: str
    key_variables: tuple[str, ...]
    """The first one that is set counts."""
    model: str
    """What is used when nothing else is asked for."""
    url_variable: str | None = None
    model_signs: tuple[str, ...] = ()
    """How the names of its models begin."""


VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "anthropic",
        "Anthropic",
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        "claude-sonnet-4-5",
        "ANTHROPIC_BASE_URL",
        ("claude",),
    ),
    Vendor(
        "openai",
        "OpenAI",
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        "gpt-5",
        "OPENAI_BASE_URL",
        ("gpt-", "o1", "o3", "o4", "chatgpt", "codex"),
    ),
    Vendor(
        "gemini",
        "Google Gemini",
        "gemini",
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini-2.5-pro",
        "GEMINI_BASE_URL",
        ("gemini",),
    ),
    Vendor(
        "openrouter",
        "OpenRouter",
        "openai",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        "anthropic/claude-sonnet-4.5",
    ),
    Vendor(
        "deepseek",
        "DeepSeek",
        "openai",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        "deepseek-chat",
        model_signs=("deepseek",),
    ),
    Vendor(
        "qwen",
        "Qwen (DashScope)",
        "openai",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("DASHSCOPE_API_KEY",),
        "qwen3-coder-plus",
        "DASHSCOPE_BASE_URL",
        ("qwen",),
    ),
    Vendor(
        "mistral",
        "Mistral",
        "openai",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        "devstral-medium-latest",
        model_signs=("mistral", "devstral", "codestral", "magistral"),
    ),
    Vendor(
        "groq",
        "Groq",
        "openai",
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        "openai/gpt-oss-120b",
    ),
)
BY_NAME = {vendor.name: vendor for vendor in VENDORS}

OFFLINE, SCRIPTED = "offline", "scripted"
EMBEDDED = (OFFLINE, SCRIPTED)
"""Providers that need no configuration; no other may have their names."""
OFFLINE_MODEL = f"{OFFLINE}/commands"


class LocalServer(Struct, frozen=True):
    """A model server on this machine that speaks chat completions and needs no key."""

    name: str
    title: str
    port: int


LOCAL_SERVERS: tuple[LocalServer, ...] = (
    LocalServer("ollama", "Ollama", 11434),
    LocalServer("lmstudio", "LM Studio", 1234),
    LocalServer("llamacpp", "llama.cpp", 8080),
    LocalServer("vllm", "vLLM", 8000),
)
