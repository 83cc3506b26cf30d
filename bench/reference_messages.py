"""The few v1 messages of the benchmark as msgspec structs, for the reference programs."""

import msgspec


class Text(msgspec.Struct, tag_field="type", tag="text"):
    text: str


class Image(msgspec.Struct, tag_field="type", tag="image", rename="camel"):
    data: str
    mime_type: str


Content = Text | Image


class AgentMessageChunk(msgspec.Struct, tag_field="sessionUpdate", tag="agent_message_chunk"):
    content: Content


class UserMessageChunk(msgspec.Struct, tag_field="sessionUpdate", tag="user_message_chunk"):
    content: Content


class Update(msgspec.Struct, rename="camel"):
    session_id: str
    update: AgentMessageChunk | UserMessageChunk


class Prompt(msgspec.Struct, rename="camel"):
    session_id: str
    prompt: list[Content]


class Incoming(msgspec.Struct):
    """Any message that arrives; what it is follows from which members it has."""

    jsonrpc: str
    method: str | None = None
    id: int | str | None = None
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()


class UpdateMessage(msgspec.Struct):
    params: Update
    method: str = "session/update"
    jsonrpc: str = "2.0"


class Answer(msgspec.Struct):
    id: int | str | None
    result: dict[str, object]
    jsonrpc: str = "2.0"


class Call(msgspec.Struct):
    id: int
    method: str
    params: dict[str, object]
    jsonrpc: str = "2.0"


encode = msgspec.json.Encoder().encode
incoming = msgspec.json.Decoder(Incoming).decode
prompt = msgspec.json.Decoder(Prompt).decode
update = msgspec.json.Decoder(Update).decode
