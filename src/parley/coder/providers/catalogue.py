"""What is known of well-known models: sizes, abilities, prices. Pure data and lookups.

A name is found by the longest prefix that fits, so a dated or sized variant is its family. What is
not here has the defaults of `ModelInfo`. A server that describes its models itself is believed
more than this table.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.providers.provider import ModelInfo

Ability = Literal["", "i", "t", "it"]
"""What a model can do beside text: see images, think."""


class Family(Struct, frozen=True):
    """Models whose names begin alike."""

    prefix: str
    vendor: str
    context_window: int
    max_output: int
    abilities: Ability = ""
    prices: tuple[float, ...] = ()
    """Dollars per million tokens: input, output, cached input, writing to the cache."""


K = 1024
_1M = 1_048_576
_FAMILIES = (
    # The first of a vendor is the one to prefer.
    Family("gpt-5.2", "openai", 400_000, 128_000, "it", (1.75, 14.0, 0.175)),
    Family("gpt-5.1", "openai", 400_000, 128_000, "it", (1.25, 10.0, 0.125)),
    Family("gpt-5", "openai", 400_000, 128_000, "it", (1.25, 10.0, 0.125)),
    Family("gpt-5-mini", "openai", 400_000, 128_000, "it", (0.25, 2.0, 0.025)),
    Family("gpt-5-nano", "openai", 400_000, 128_000, "it", (0.05, 0.4, 0.005)),
    Family("gpt-5-pro", "openai", 400_000, 272_000, "it", (15.0, 120.0)),
    Family("gpt-5-chat", "openai", 128_000, 16_384, "i", (1.25, 10.0, 0.125)),
    Family("gpt-4.1", "openai", 1_047_576, 32_768, "i", (2.0, 8.0, 0.5)),
    Family("gpt-4.1-mini", "openai", 1_047_576, 32_768, "i", (0.4, 1.6, 0.1)),
    Family("gpt-4.1-nano", "openai", 1_047_576, 32_768, "i", (0.1, 0.4, 0.025)),
    Family("o3", "openai", 200_000, 100_000, "it", (2.0, 8.0, 0.5)),
    Family("o3-mini", "openai", 200_000, 100_000, "t", (1.1, 4.4, 0.55)),
    Family("o4-mini", "openai", 200_000, 100_000, "it", (1.1, 4.4, 0.275)),
    Family("o1", "openai", 200_000, 100_000, "it", (15.0, 60.0, 7.5)),
    Family("gpt-4o", "openai", 128_000, 16_384, "i", (2.5, 10.0, 1.25)),
    Family("gpt-4o-mini", "openai", 128_000, 16_384, "i", (0.15, 0.6, 0.075)),
    Family("gpt-4-turbo", "openai", 128_000, 4_096, "i", (10.0, 30.0)),
    Family("gpt-oss", "", 128 * K, 32 * K, "t"),
    Family("claude-sonnet-4", "anthropic", 200_000, 64_000, "it", (3.0, 15.0, 0.3, 3.75)),
    Family("claude-opus-4", "anthropic", 200_000, 64_000, "it", (5.0, 25.0, 0.5, 6.25)),
    Family("claude-opus-4-1", "anthropic", 200_000, 32_000, "it", (15.0, 75.0, 1.5, 18.75)),
    Family("claude-opus-4-0", "anthropic", 200_000, 32_000, "it", (15.0, 75.0, 1.5, 18.75)),
    Family("claude-opus-4-2025", "anthropic", 200_000, 32_000, "it", (15.0, 75.0, 1.5, 18.75)),
    Family("claude-haiku-4", "anthropic", 200_000, 64_000, "it", (1.0, 5.0, 0.1, 1.25)),
    Family("claude-3-7-sonnet", "anthropic", 200_000, 64_000, "it", (3.0, 15.0, 0.3, 3.75)),
    Family("claude-3-5-sonnet", "anthropic", 200_000, 8_192, "i", (3.0, 15.0, 0.3, 3.75)),
    Family("claude-3-5-haiku", "anthropic", 200_000, 8_192, "i", (0.8, 4.0, 0.08, 1.0)),
    Family("claude-3-haiku", "anthropic", 200_000, 4_096, "i", (0.25, 1.25, 0.03, 0.3)),
    Family("claude", "anthropic", 200_000, 8_192, "i"),
    Family("gemini-2.5-pro", "gemini", _1M, 65_536, "it", (1.25, 10.0, 0.125)),
    Family("gemini-2.5-flash", "gemini", _1M, 65_536, "it", (0.3, 2.5, 0.03)),
    Family("gemini-2.5-flash-lite", "gemini", _1M, 65_536, "it", (0.1, 0.4, 0.01)),
    Family("gemini-3-pro", "gemini", _1M, 65_536, "it", (2.0, 12.0, 0.2)),
    Family("gemini-3-flash", "gemini", _1M, 65_536, "it", (0.5, 3.0, 0.05)),
    Family("gemini-3", "gemini", _1M, 65_536, "it"),
    Family("gemini-2.0-flash", "gemini", _1M, 8_192, "i", (0.1, 0.4, 0.025)),
    Family("gemini", "gemini", _1M, 8_192, "i"),
    Family("deepseek-chat", "deepseek", 128 * K, 8_192, "", (0.28, 0.42, 0.028)),
    Family("deepseek-reasoner", "deepseek", 128 * K, 64 * K, "t", (0.28, 0.42, 0.028)),
    Family("deepseek-r1", "", 128 * K, 32 * K, "t"),
    Family("deepseek", "", 128 * K, 8_192),
    Family("qwen3-coder-plus", "qwen", 1_000_000, 65_536),
    Family("qwen3-coder-flash", "qwen", 1_000_000, 65_536),
    Family("qwen3-coder", "", 256 * K, 65_536),
    Family("qwen3-max", "qwen", 256 * K, 32_768),
    Family("qwen3-vl", "", 256 * K, 32_768, "i"),
    Family("qwen-plus", "qwen", 128 * K, 32_768, "t"),
    Family("qwen3", "", 32 * K, 8_192, "t"),
    Family("qwen2.5", "", 32 * K, 8_192),
    Family("qwq", "", 32 * K, 8_192, "t"),
    Family("devstral-medium", "mistral", 128 * K, 32_768, "", (0.4, 2.0)),
    Family("devstral", "mistral", 128 * K, 32_768),
    Family("mistral-large", "mistral", 256 * K, 32_768, "i", (0.5, 1.5)),
    Family("mistral-medium", "mistral", 128 * K, 32_768, "i", (0.4, 2.0)),
    Family("mistral-small", "mistral", 128 * K, 32_768, "i", (0.1, 0.3)),
    Family("codestral", "mistral", 256 * K, 32_768, "", (0.3, 0.9)),
    Family("magistral", "mistral", 128 * K, 32_768, "t"),
    Family("kimi-k2", "", 256 * K, 32_768),
    Family("glm-4", "", 128 * K, 32_768, "t"),
    Family("grok-4", "xai", 256_000, 64_000, "it", (3.0, 15.0, 0.75)),
    Family("grok-code-fast", "xai", 256_000, 64_000, "t", (0.2, 1.5, 0.02)),
    Family("llama-4", "", 128 * K, 8_192, "i"),
    Family("llama-3", "", 128 * K, 32_768),
    Family("llama3", "", 128 * K, 8_192),
    Family("gemma-3", "", 128 * K, 8_192, "i"),
    Family("gemma3", "", 128 * K, 8_192, "i"),
)
_PREFERRED = {
    "openai": ("gpt-5", "gpt-5-mini", "gpt-5.2", "gpt-5.1", "gpt-4.1", "gpt-4.1-mini", "o3"),
    "anthropic": ("claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5"),
    "gemini": ("gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"),
    "deepseek": ("deepseek-chat", "deepseek-reasoner"),
    "qwen": ("qwen3-coder-plus", "qwen3-coder-flash", "qwen3-max"),
    "mistral": ("devstral-medium-latest", "mistral-large-latest", "codestral-latest"),
    "groq": ("openai/gpt-oss-120b", "llama-3.3-70b-versatile"),
    "openrouter": ("anthropic/claude-sonnet-4.5", "openai/gpt-5", "google/gemini-2.5-pro"),
}
# What vendors list beside the models one can talk to.
_NOT_FOR_CHAT = (
    "audio", "babbage", "dall-e", "davinci", "embed", "image", "moderation", "ocr",
    "realtime", "rerank", "research", "search", "sora", "speech", "transcribe", "tts",
    "turbo-instruct", "whisper",
)  # fmt: skip


def known(model_id: str, *, provider: str = "") -> ModelInfo:
    """What is known of a model; its prices only where its own vendor, or a router, sells it."""
    name = model_id.lower().rpartition("/")[2]
    if name.startswith("claude"):
        # Routers write `claude-opus-4.5` for `claude-opus-4-5`.
        name = name.replace(".", "-")
    fitting = [family for family in _FAMILIES if name.startswith(family.prefix)]
    if not fitting:
        return ModelInfo(model_id)
    family = max(fitting, key=lambda each: len(each.prefix))
    info = ModelInfo(
        model_id,
        context_window=family.context_window,
        max_output=family.max_output,
        images="i" in family.abilities,
        thinking="t" in family.abilities,
    )
    if not family.prices or provider not in (family.vendor, "openrouter"):
        return info
    prices = (*family.prices, None, None)
    return replace(
        info,
        price_input=prices[0],
        price_output=prices[1],
        price_cached=prices[2],
        price_cache_write=prices[3],
    )


def offered_by(provider: str) -> tuple[ModelInfo, ...]:
    """The models to offer where a provider cannot be asked, the preferred one first."""
    return tuple(known(model, provider=provider) for model in _PREFERRED.get(provider, ()))


def can_chat(model_id: str) -> bool:
    """Whether a model that a vendor lists is one to talk to."""
    name = model_id.lower()
    return not any(sign in name for sign in _NOT_FOR_CHAT)


def described(models: Iterable[ModelInfo], *, provider: str) -> tuple[ModelInfo, ...]:
    """Models that a user named, with what is known of them unless the user said more."""
    return tuple(
        known(model.id, provider=provider) if model == ModelInfo(model.id) else model
        for model in models
    )


def ordered(
    configured: tuple[ModelInfo, ...], listed: tuple[ModelInfo, ...], *, provider: str
) -> tuple[ModelInfo, ...]:
    """What to offer: what the user named, what is to be preferred, then everything else."""
    if not listed:
        return configured or offered_by(provider)
    by_id = {model.id: model for model in listed}
    wanted = {model.id: by_id.get(model.id, model) for model in configured}
    preferred = [model.id for model in offered_by(provider) if model.id in by_id]
    return tuple({**wanted, **{each: by_id[each] for each in (*preferred, *by_id)}}.values())
