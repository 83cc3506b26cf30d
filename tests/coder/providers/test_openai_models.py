"""The list of models is understood from every server, and never spoils what is known."""

from typing import Any

import pytest

from parley.coder.providers.openai_models import free, models_from
from parley.coder.providers.provider import ModelInfo


def listed(*rows: Any, provider: str = "acme") -> tuple[ModelInfo, ...]:
    return models_from({"data": list(rows)}, provider=provider)


def test_a_router_describes_its_models_itself() -> None:
    row = {
        "id": "acme/new",
        "name": "Acme: New",
        "context_length": 50_000,
        "architecture": {"input_modalities": ["text", "image"]},
        "supported_parameters": ["tools", "reasoning"],
        "pricing": {"prompt": "0.000001", "completion": "0.000005", "input_cache_read": "-1"},
    }
    assert listed(row) == (
        ModelInfo(
            "acme/new",
            "Acme: New",
            context_window=50_000,
            images=True,
            thinking=True,
            price_input=1.0,
            price_output=5.0,
        ),
    )


@pytest.mark.parametrize(
    ("row", "window"),
    [
        ({"context_window": 1000}, 1000),
        ({"max_context_length": 2000}, 2000),
        ({"max_model_len": 3000}, 3000),
        ({"meta": {"n_ctx_train": 4000}}, 4000),
        ({"meta": {"n_ctx_train": 4000, "n_ctx": 2048}}, 2048),
        ({"meta": None}, 128_000),
        ({"context_length": "many"}, 128_000),
    ],
)
def test_the_window_is_found_under_each_name(row: dict[str, Any], window: int) -> None:
    (info,) = listed({"id": "x", **row})
    assert info.context_window == window
    assert info.max_output == min(window, 8192)


def test_a_server_that_says_who_sees_is_believed() -> None:
    models = listed(
        {"id": "a", "capabilities": {"vision": True}},
        {"id": "gpt-5", "capabilities": {"vision": False}},
        {"id": "gpt-4o", "supported_parameters": [], "pricing": {"prompt": "free"}},
    )
    assert [model.images for model in models] == [True, False, True]
    assert models[2].price_input is None


def test_rows_that_are_no_models_to_talk_to_are_left_out() -> None:
    assert [model.id for model in listed(7, {"no": "id"}, {"id": "whisper"}, {"id": "x"})] == ["x"]


@pytest.mark.parametrize("document", [None, [], "x", {}, {"data": 7}])
def test_what_is_no_list_has_no_models(document: Any) -> None:
    assert models_from(document, provider="acme") == ()


def test_models_of_this_machine_cost_nothing() -> None:
    (model,) = free((ModelInfo("x"),))
    assert (model.price_input, model.price_output, model.price_cached) == (0, 0, 0)
