"""Arguments that a model wrote become an object, or are kept as what they are."""

import json
from typing import Any

import pytest

from parley.coder.message import CallPart
from parley.coder.providers.arguments import arguments_from, arguments_text, call_part


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"path": "a"}', {"path": "a"}),
        ("", {}),
        ("  ", {}),
        ("null", {}),
        ('""', {}),
        ('"{\\"path\\": \\"a\\"}"', {"path": "a"}),
        ('{"path": ', None),
        ('{}{"path": "a"}', None),
        ("[1]", None),
        ('"text"', None),
        ("7", None),
        ("[" * 100_000, None),
    ],
)
def test_an_object_is_found_in_what_a_model_writes(
    written: str, arguments: dict[str, Any] | None
) -> None:
    assert arguments_from(written) == arguments


def test_a_call_keeps_what_could_not_be_read() -> None:
    assert call_part("1", "bash", "{oops", provider="p") == CallPart(
        "1", "bash", malformed="{oops", provider="p"
    )
    assert call_part("1", "bash", '{"a": 1}') == CallPart("1", "bash", {"a": 1})


@pytest.mark.parametrize(
    "call", [CallPart("1", "bash", {"ä": [1]}), CallPart("1", "bash", malformed="{oops")]
)
def test_what_is_sent_back_is_always_an_object(call: CallPart) -> None:
    sent = json.loads(arguments_text(call))
    assert sent == (call.arguments or {"malformed_arguments": "{oops"})
