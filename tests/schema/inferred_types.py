"""What a type checker infers from the models. Checked by `test_inference`, never run."""

from typing import Any, TypeVar, assert_type

from parley.schema import v1, v2
from parley.schema.base import Request
from parley.schema.codec import Decoder, decode, decoder

R = TypeVar("R")


def request(params: Request[R]) -> R:
    """The shape of the call that sends a request."""
    raise NotImplementedError


def the_answer_follows_from_the_question() -> None:
    block = v1.TextContent(text="hi")
    assert_type(request(v1.PromptRequest(session_id="s", prompt=[block])), v1.PromptResponse)
    assert_type(request(v2.LogoutAuthRequest()), v2.LogoutAuthResponse)
    form = v2.ElicitationFormMode(
        message="?", requested_schema=v2.ElicitationSchema(type="object", properties={})
    )
    assert_type(request(form), v2.CreateElicitationResponse)
    message = v1.MessageMcpRequest(server_id="s", request_id="r", method="m")
    assert_type(request(message), v1.McpMessageResult | v1.McpMessageError)
    assert_type(request(v1.ProxySuccessorRequest(method="m")), Any)


def a_decoder_knows_its_type() -> None:
    assert_type(decoder(v1.PromptRequest), Decoder[v1.PromptRequest])
    assert_type(decode(v1.PromptRequest, b""), v1.PromptRequest)


def members_have_their_types(call: v1.ToolCallUpdate, update: v1.SessionUpdate) -> None:
    assert_type(v1.PromptRequest.METHOD, str)
    if call.kind:
        assert_type(call.kind, str)
    match update:
        case v1.AgentMessageChunk(content=v1.TextContent(text=text)):
            assert_type(text, str)
        case v1.OtherSessionUpdate():
            assert_type(update.tag, str)
        case _:
            pass


def mistakes_are_seen(call: v1.ToolCallUpdate) -> None:
    v1.TextContent("hi")  # pyright: ignore[reportCallIssue]
    v1.TextContent(text=5)  # pyright: ignore[reportArgumentType]
    v1.TextContent(text="a").text = "b"  # pyright: ignore[reportAttributeAccessIssue]
    v1.SessionNotification(session_id="s", update=call)  # pyright: ignore[reportArgumentType]
    request(v1.PromptResponse(stop_reason="end_turn"))  # pyright: ignore[reportArgumentType]
