"""Requests to the Gemini API, each of them judged by the fake as well."""

from typing import Any

import pytest

from parley.coder.message import CallPart, TextPart, ThinkingPart, ToolResult, UserMessage
from parley.coder.providers.gemini_request import request_body
from parley.coder.providers.provider import ModelInfo, ModelRequest, ThoughtLevel, ToolSpec
from tests.coder.providers.fakes.gemini import UNSIGNED, GeminiFake, signature
from tests.coder.providers.fakes.reply import Received
from tests.coder.providers.fakes.samples import PIXEL, agent, request, results, user

OLDER = ModelInfo("gemini-2.5-flash", max_output=65_536, images=True, thinking=True)
NEWER = ModelInfo("gemini-3-flash", max_output=65_536, images=True, thinking=True)
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def body_of(wanted: ModelRequest) -> dict[str, Any]:
    body = request_body(wanted, "gemini")
    path = f"/v1beta/models/{wanted.model.id}:streamGenerateContent"
    headers = {"x-goog-api-key": "test-key"}
    verdict = GeminiFake().judge(Received("POST", path, "alt=sse", headers, body))
    assert verdict is None, verdict
    return body


def call(call_id: str, model: ModelInfo = NEWER, provider: str = "gemini", **kept: str) -> CallPart:
    return CallPart(call_id, "bash", {}, None, provider, {"model": model.id, **kept})


def signed(text: str, on: str, model: ModelInfo = NEWER, over: str = "") -> ThinkingPart:
    opaque = {"thoughtSignature": signature(over or text), "model": model.id, "on": on}
    return ThinkingPart(text, "gemini", opaque)


def test_a_first_request_has_instruction_tools_settings_and_one_turn() -> None:
    assert body_of(request(OLDER, user("Hello"), thought_level="low")) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "read_file",
                        "description": "Read a file.",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {"path": {"type": "STRING"}},
                            "required": ["path"],
                        },
                    },
                    {
                        "name": "bash",
                        "description": "Run a command.",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {"command": {"type": "STRING"}},
                        },
                    },
                ]
            }
        ],
        "generationConfig": {
            "maxOutputTokens": 65_536,
            "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 2_048},
        },
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
    }


def test_what_is_empty_is_left_out() -> None:
    plain = ModelInfo("gemini-2.0-flash")
    empty = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
    body = body_of(ModelRequest(plain, " ", (user("Hello"),), (empty,)))
    assert body["tools"][0]["functionDeclarations"] == [{"name": "now", "description": "The time."}]
    assert body["generationConfig"] == {"maxOutputTokens": 8_192}
    assert "systemInstruction" not in body
    assert "tools" not in body_of(ModelRequest(plain, "", (user("Hello"),)))


@pytest.mark.parametrize(
    ("model", "level", "config"),
    [
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}),
        ("gemini-2.5-pro", "off", {"thinkingBudget": 128}),
        ("gemini-2.5-pro", "high", {"includeThoughts": True, "thinkingBudget": 24_576}),
        ("gemini-3-flash", "off", {"thinkingLevel": "minimal"}),
        ("gemini-3.1-pro", "off", {"thinkingLevel": "low"}),
        ("gemini-3.1-pro", "medium", {"includeThoughts": True, "thinkingLevel": "medium"}),
    ],
)
def test_a_level_of_thought_is_a_budget_or_a_level_by_the_age_of_the_model(
    model: str, level: ThoughtLevel, config: dict[str, Any]
) -> None:
    info = ModelInfo(model, thinking=True)
    body = body_of(request(info, thought_level=level))
    assert body["generationConfig"]["thinkingConfig"] == config


def test_results_come_first_under_the_names_of_their_calls() -> None:
    body = body_of(
        request(
            OLDER,
            user("Go"),
            agent(TextPart("I do."), call("a", OLDER), call("b", OLDER, id="b7")),
            results(
                ToolResult("a", "bash", "fine", images=(PIXEL,)),
                ToolResult("b", "bash", "bad", is_error=True),
            ),
            user("And now?"),
        )
    )
    assert body["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "I do."},
                {"functionCall": {"name": "bash", "args": {}}},
                {"functionCall": {"id": "b7", "name": "bash", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "bash", "response": {"output": "fine"}}},
                {"functionResponse": {"id": "b7", "name": "bash", "response": {"error": "bad"}}},
                IMAGE,
                {"text": "And now?"},
            ],
        },
    ]


def test_newer_models_get_images_inside_the_result() -> None:
    said = (user("Go"), agent(call("a")), results(ToolResult("a", "bash", "ok", images=(PIXEL,))))
    answer = body_of(request(NEWER, *said))["contents"][2]["parts"]
    response = {"name": "bash", "response": {"output": "ok"}, "parts": [IMAGE]}
    assert answer == [{"functionResponse": response}]


def test_a_model_that_cannot_see_gets_markers() -> None:
    blind = ModelInfo("gemini-3-flash")
    said = (agent(call("a")), results(ToolResult("a", "bash", "ok", images=(PIXEL,))))
    contents = body_of(request(blind, UserMessage((PIXEL,)), *said))["contents"]
    assert contents[0]["parts"] == [{"text": "[image: image/png]"}]
    assert contents[2]["parts"][1] == {"text": "[image: image/png]"}


def test_a_signature_goes_back_on_the_part_it_came_with() -> None:
    wire = {"id": "c1", "name": "bash", "args": {}}
    body = body_of(
        request(
            NEWER,
            user("Go"),
            agent(
                signed("Hm.", "thought"),
                ThinkingPart("unsigned", "gemini", None),
                TextPart("I "),
                TextPart("do."),
                signed("", "text", over="do."),
                call("c1", id="c1", thoughtSignature=signature(wire)),
                call("c2"),
            ),
            results(ToolResult("c1", "bash", "1"), ToolResult("c2", "bash", "2")),
            agent(TextPart("Done."), signed("", "nothing")),
            user("More"),
        )
    )
    assert body["contents"][1]["parts"] == [
        {"text": "Hm.", "thought": True, "thoughtSignature": signature("Hm.")},
        {"text": "I "},
        {"text": "do.", "thoughtSignature": signature("do.")},
        {"functionCall": wire, "thoughtSignature": signature(wire)},
        {"functionCall": {"name": "bash", "args": {}}},
    ]
    assert body["contents"][3]["parts"] == [
        {"text": "Done."},
        {"text": "", "thoughtSignature": signature("")},
    ]


@pytest.mark.parametrize(
    "foreign",
    [
        call("a", provider="anthropic", thoughtSignature="x"),
        call("a", model=OLDER, thoughtSignature="x"),
        CallPart("a", "bash"),
    ],
)
def test_calls_of_others_are_marked_as_unsigned_for_newer_models(foreign: CallPart) -> None:
    said = (user("Go"), agent(foreign), results(ToolResult("a", "bash", "1")))
    part = body_of(request(NEWER, *said))["contents"][1]["parts"][0]
    assert part["thoughtSignature"] == UNSIGNED
    older = ModelInfo("gemini-2.0-flash")
    assert "thoughtSignature" not in body_of(request(older, *said))["contents"][1]["parts"][0]


def test_a_conversation_begins_and_ends_with_the_user_and_says_something() -> None:
    contents = body_of(request(OLDER, agent(TextPart("Hi"))))["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user"]
    assert body_of(ModelRequest(OLDER, "", ()))["contents"][0]["role"] == "user"
    silent = body_of(request(OLDER, user(""), agent(TextPart("")), user("Hello")))["contents"]
    assert silent == [{"role": "user", "parts": [{"text": "(empty message)"}, {"text": "Hello"}]}]


def test_names_that_models_invent_get_the_alphabet_of_the_api() -> None:
    invented = agent(CallPart("a", "do it!"), CallPart("b", ""), CallPart("c", "7up"))
    answers = results(*(ToolResult(each, "", "no") for each in "abc"))
    contents = body_of(request(OLDER, user("Go"), invented, answers))["contents"]
    names = [part["functionCall"]["name"] for part in contents[1]["parts"]]
    assert names == ["do_it_", "_", "_7up"]


def test_what_the_model_wrote_instead_of_arguments_is_shown_to_it() -> None:
    wrong = agent(CallPart("a", "bash", malformed="[1]"))
    contents = body_of(request(OLDER, user("Go"), wrong, results(ToolResult("a", "bash", "no"))))
    call_sent = contents["contents"][1]["parts"][0]["functionCall"]
    assert call_sent["args"] == {"malformed_arguments": "[1]"}


def test_a_call_that_had_to_be_changed_is_not_signed_any_more() -> None:
    opaque = {"model": NEWER.id, "thoughtSignature": signature({"name": "a b", "args": {}})}
    odd = CallPart("1", "a b", {}, None, "gemini", opaque)
    result = ToolResult("1", "a b", "There is no such tool.", is_error=True)
    made = body_of(request(NEWER, user("Go"), agent(odd), results(result)))
    (part,) = made["contents"][1]["parts"]
    assert part == {"functionCall": {"name": "a_b", "args": {}}, "thoughtSignature": UNSIGNED}
