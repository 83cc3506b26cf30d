"""What both of OpenAI's fakes demand of a request, and how they cut texts into pieces."""

import json
import re
from typing import Any

from tests.coder.providers.fakes.reply import Call, Received
from tests.coder.providers.fakes.server import Refusal

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
EFFORTS = ("none", "minimal", "low", "medium", "high")


class Violation(Exception):
    """The real API would answer 400."""


def need(condition: bool, what: str) -> None:
    if not condition:
        raise Violation(what)


def need_fields(value: Any, where: str, required: set[str], optional: set[str]) -> None:
    """Unknown members are refused, as the real API does."""
    need(isinstance(value, dict), f"{where} must be an object")
    missing, unknown = required - set(value), set(value) - required - optional
    need(not missing, f"{where} lacks {sorted(missing)}")
    need(not unknown, f"{where} has unknown parameters {sorted(unknown)}")


def need_text(value: Any, where: str) -> None:
    need(isinstance(value, str) and bool(value.strip()), f"{where} must be a text, not {value!r}")


def need_id(value: Any, where: str) -> None:
    need_text(value, where)
    need(len(value) <= 64, f"{where} is longer than 64 characters")


def need_function(value: Any, where: str, *, extra: set[str]) -> None:
    """A tool as the model is told about it."""
    need_fields(value, where, {"name", "description", "parameters"}, extra)
    need(bool(NAME.fullmatch(value["name"])), f"{where} has a bad name {value['name']!r}")
    need_text(value["description"], f"{where}.description")
    schema = value["parameters"]
    need(isinstance(schema, dict), f"{where}.parameters must be an object")
    need(schema.get("type") == "object", f"{where}.parameters must be of type object")
    need(isinstance(schema.get("properties"), dict), f"{where}.parameters lack properties")


def need_called(name: Any, arguments: Any, where: str) -> None:
    need(isinstance(name, str) and bool(NAME.fullmatch(name)), f"{where} has a bad name {name!r}")
    need(isinstance(arguments, str), f"{where}.arguments must be a text")
    try:
        need(isinstance(json.loads(arguments), dict), f"{where}.arguments must be an object")
    except ValueError:
        raise Violation(f"{where}.arguments are no JSON") from None


def need_image_url(url: Any, where: str) -> None:
    need(
        isinstance(url, str) and bool(re.fullmatch(r"data:image/[a-z+]+;base64,[\w+/=]+", url)),
        f"{where} is no image",
    )


def unauthorised(request: Received, key: str) -> Refusal | None:
    """The real API repeats a part of the key that was sent; this one repeats all of it."""
    sent = request.headers.get("authorization", "")
    if sent == (f"Bearer {key}" if key else ""):
        return None
    return Refusal(401, f"Incorrect API key provided: {sent}", "invalid_api_key")


def error_body(status: int, message: str, code: str | None) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 429 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def written(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def pieces(text: str, count: int) -> list[str]:
    size = max(1, -(-len(text) // max(count, 1)))
    return [text[start : start + size] for start in range(0, len(text), size)]
