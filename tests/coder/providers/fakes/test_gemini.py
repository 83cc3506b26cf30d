"""The fake of the Gemini API refuses what the real one refuses."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.coder.providers.fakes.gemini import UNSIGNED, GeminiFake, signature
from tests.coder.providers.fakes.reply import Received

Body = dict[str, Any]

CALL = {"name": "bash", "args": {}}
GOOD: Body = {
    "contents": [
        {"role": "user", "parts": [{"text": "Go"}]},
        {
            "role": "model",
            "parts": [
                {"functionCall": CALL, "thoughtSignature": signature(CALL)},
                {"functionCall": {"name": "read", "args": {}, "id": "r1"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "bash", "response": {}}},
                {"functionResponse": {"name": "read", "response": {}, "id": "r1"}},
                {"text": "And?"},
            ],
        },
    ],
    "generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}},
    "tools": [
        {
            "functionDeclarations": [
                {
                    "name": "bash",
                    "parameters": {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}},
                }
            ]
        }
    ],
}


def refused(body: Any, *, model: str = "gemini-3-flash", query: str = "alt=sse") -> str | None:
    path = f"/v1beta/models/{model}:streamGenerateContent"
    headers = {"x-goog-api-key": "test-key"}
    refusal = GeminiFake().judge(Received("POST", path, query, headers, body))
    return refusal.message if refusal else None


def parts(body: Body, place: int) -> list[Body]:
    return body["contents"][place]["parts"]


def parameters(body: Body) -> Body:
    return body["tools"][0]["functionDeclarations"][0]["parameters"]


def test_a_good_request_is_accepted() -> None:
    assert refused(GOOD) is None
    unsigned = deepcopy(GOOD)
    parts(unsigned, 1)[0]["thoughtSignature"] = UNSIGNED
    assert refused(unsigned) is None


def test_an_address_with_the_key_is_refused() -> None:
    assert refused(GOOD, query="alt=sse&key=test-key") is not None


def test_an_older_model_takes_no_level() -> None:
    assert refused(GOOD, model="gemini-2.5-pro") is not None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body.update(stream=True),
        lambda body: body.update(contents=[]),
        lambda body: body.update(systemInstruction={"text": "x"}),
        lambda body: body["generationConfig"].update(max_tokens=5),
        lambda body: body["generationConfig"]["thinkingConfig"].update(thinkingBudget=5),
        lambda body: body["generationConfig"]["thinkingConfig"].update(thinkingLevel="off"),
        lambda body: body["contents"].pop(0),
        lambda body: body["contents"].pop(),
        lambda body: body["contents"].append({"role": "user", "parts": [{"text": "again"}]}),
        lambda body: parts(body, 0).clear(),
        lambda body: parts(body, 0).append({"text": ""}),
        lambda body: parts(body, 0).append({"functionCall": CALL}),
        lambda body: parts(body, 0)[0].update(functionResponse={}),
        lambda body: parts(body, 1)[0].pop("thoughtSignature"),
        lambda body: parts(body, 1)[0].update(thoughtSignature="other"),
        lambda body: parts(body, 1)[0].update(opaque={}),
        lambda body: parts(body, 1)[0]["functionCall"].update(args={"changed": 1}),
        lambda body: parts(body, 1)[1]["functionCall"].update(args="text"),
        lambda body: parts(body, 1)[1]["functionCall"].update(name="no name"),
        lambda body: parts(body, 1)[1].update(thoughtSignature=signature("another part")),
        lambda body: parts(body, 2).pop(0),
        lambda body: parts(body, 2).reverse(),
        lambda body: parts(body, 2)[0]["functionResponse"].update(name="read"),
        lambda body: parts(body, 2)[1]["functionResponse"].pop("id"),
        lambda body: parts(body, 2)[0]["functionResponse"].update(response="text"),
        lambda body: parameters(body).update(properties={}),
        lambda body: parameters(body).update(additionalProperties=False),
        lambda body: parameters(body).update(required=["gone"]),
        lambda body: parameters(body)["properties"]["a"].update(type="string"),
        lambda body: parameters(body)["properties"]["a"].update(type="ARRAY"),
        lambda body: parameters(body)["properties"]["a"].update(enum=[1]),
    ],
)
def test_each_violation_is_refused(spoil: Callable[[Body], object]) -> None:
    body = deepcopy(GOOD)
    spoil(body)
    assert refused(body) is not None


@pytest.mark.parametrize("body", [None, [], {}])
def test_a_body_of_another_form_is_refused(body: Any) -> None:
    assert refused(body) is not None
