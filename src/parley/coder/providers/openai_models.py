"""The list of models as servers of OpenAI's formats give it, each with details of its own.

Pure: the JSON document in, models out.
"""

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from parley.coder.providers.catalogue import can_chat, known
from parley.coder.providers.provider import ModelInfo


class _Pricing(Struct):
    """Of OpenRouter: dollars per token, as texts."""

    prompt: str | None = None
    completion: str | None = None
    input_cache_read: str | None = None
    input_cache_write: str | None = None


class _Architecture(Struct):
    input_modalities: tuple[str, ...] = ()


class _Capabilities(Struct):
    """Of Mistral."""

    vision: bool | None = None


class _Meta(Struct):
    """Of llama.cpp."""

    n_ctx: int | None = None
    n_ctx_train: int | None = None


class _Listed(Struct):
    id: str
    name: str | None = None
    context_length: int | None = None
    context_window: int | None = None
    max_context_length: int | None = None
    max_model_len: int | None = None
    max_completion_tokens: int | None = None
    pricing: _Pricing | None = None
    architecture: _Architecture | None = None
    supported_parameters: tuple[str, ...] | None = None
    capabilities: _Capabilities | None = None
    meta: _Meta | None = None


class _Document(Struct):
    data: list[Any]


def models_from(document: Any, *, provider: str) -> tuple[ModelInfo, ...]:
    """The models one can talk to, as the server describes them."""
    try:
        rows = msgspec.convert(document, _Document).data
    except msgspec.ValidationError:
        return ()
    return tuple(_info(row, provider) for row in map(_row, rows) if row and can_chat(row.id))


def free(models: tuple[ModelInfo, ...]) -> tuple[ModelInfo, ...]:
    """The same models on a server of one's own, where they cost nothing."""
    return tuple(
        replace(model, price_input=0.0, price_output=0.0, price_cached=0.0) for model in models
    )


def _row(row: Any) -> _Listed | None:
    try:
        return msgspec.convert(row, _Listed)
    except msgspec.ValidationError:
        # One row with a detail of another type is no reason to offer nothing.
        match row:
            case {"id": str(model_id)}:
                return _Listed(model_id)
            case _:
                return None


def _info(row: _Listed, provider: str) -> ModelInfo:
    info = known(row.id, provider=provider)
    meta = row.meta or _Meta()
    window = (
        row.context_length
        or row.context_window
        or row.max_context_length
        or row.max_model_len
        or meta.n_ctx
        or meta.n_ctx_train
        or info.context_window
    )
    images, thinking = info.images, info.thinking
    if row.architecture is not None and row.architecture.input_modalities:
        images = "image" in row.architecture.input_modalities
    if row.capabilities is not None and row.capabilities.vision is not None:
        images = row.capabilities.vision
    if row.supported_parameters is not None:
        thinking = "reasoning" in row.supported_parameters
    info = replace(
        info,
        name=row.name or info.name,
        context_window=window,
        max_output=min(row.max_completion_tokens or info.max_output, window),
        images=images,
        thinking=thinking,
    )
    return info if row.pricing is None else _priced(info, row.pricing)


def _priced(info: ModelInfo, pricing: _Pricing) -> ModelInfo:
    return replace(
        info,
        price_input=_per_million(pricing.prompt),
        price_output=_per_million(pricing.completion),
        price_cached=_per_million(pricing.input_cache_read),
        price_cache_write=_per_million(pricing.input_cache_write),
    )


def _per_million(text: str | None) -> float | None:
    try:
        price = float(text) if text else -1.0
    except ValueError:
        return None
    return round(price * 1e6, 6) if price >= 0 else None
