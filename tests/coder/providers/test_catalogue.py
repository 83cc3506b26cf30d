"""Models are known by the longest prefix of their names, and offered in a useful order."""

import pytest

from parley.coder.providers.catalogue import can_chat, described, known, offered_by, ordered
from parley.coder.providers.provider import ModelInfo


def test_an_unknown_model_has_the_defaults() -> None:
    assert known("my-own-model") == ModelInfo("my-own-model")


def test_a_known_model_has_sizes_abilities_and_prices() -> None:
    assert known("gpt-5-mini", provider="openai") == ModelInfo(
        "gpt-5-mini",
        context_window=400_000,
        max_output=128_000,
        images=True,
        thinking=True,
        price_input=0.25,
        price_output=2.0,
        price_cached=0.025,
    )


def test_a_dated_variant_is_its_family_and_the_longest_prefix_wins() -> None:
    assert known("gpt-4o-mini-2024-07-18", provider="openai").price_input == 0.15
    assert known("gpt-4o-2024-08-06", provider="openai").price_input == 2.5
    assert known("claude-opus-4-1-20250805", provider="anthropic").price_cache_write == 18.75


def test_a_name_behind_a_vendor_or_with_dots_is_the_same_model() -> None:
    assert known("anthropic/claude-opus-4.1", provider="openrouter").price_input == 15.0
    assert known("OpenAI/GPT-5").thinking


@pytest.mark.parametrize("provider", ["", "groq", "my-proxy"])
def test_another_seller_has_prices_of_its_own(provider: str) -> None:
    info = known("gpt-5", provider=provider)
    assert info.price_input is None
    assert info.context_window == 400_000


@pytest.mark.parametrize(
    "provider",
    ["openai", "anthropic", "gemini", "deepseek", "qwen", "mistral", "groq", "openrouter"],
)
def test_each_vendor_offers_models_that_are_known(provider: str) -> None:
    models = offered_by(provider)
    assert models
    assert all(model != ModelInfo(model.id) for model in models)


def test_a_stranger_offers_nothing() -> None:
    assert offered_by("stranger") == ()


@pytest.mark.parametrize(
    "model", ["gpt-4o", "llama-3.3-70b-instruct", "qwen2.5-coder:7b", "o3", "devstral-small"]
)
def test_models_to_talk_to_are_offered(model: str) -> None:
    assert can_chat(model)


@pytest.mark.parametrize(
    "model", ["text-embedding-3-small", "whisper-1", "gpt-image-1", "tts-1", "gpt-4o-audio-preview"]
)
def test_other_models_are_not_offered(model: str) -> None:
    assert not can_chat(model)


def test_a_model_that_the_user_named_gets_what_is_known_unless_it_is_described() -> None:
    mine = ModelInfo("gpt-5", context_window=1000)
    named = described((ModelInfo("gpt-5"), mine), provider="openai")
    assert named[0].thinking
    assert named[1] == mine


def test_the_named_come_first_then_the_preferred() -> None:
    server = tuple(map(ModelInfo, ("a", "gpt-4.1", "b", "gpt-5")))
    models = ordered((ModelInfo("b"), ModelInfo("c")), server, provider="openai")
    assert [model.id for model in models] == ["b", "c", "gpt-5", "gpt-4.1", "a"]


def test_without_a_list_the_named_are_all_there_is_or_else_the_known() -> None:
    assert ordered((ModelInfo("b"),), (), provider="openai") == (ModelInfo("b"),)
    assert ordered((), (), provider="openai")[0].id == "gpt-5"
