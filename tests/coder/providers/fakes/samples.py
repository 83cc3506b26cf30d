"""Conversations and tools that the tests of several providers send."""

from parley.coder.message import (
    AgentMessage,
    CallPart,
    ImagePart,
    Message,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.provider import ModelInfo, ModelRequest, ThoughtLevel, ToolSpec

KEY = "sk-very-secret-key"
PIXEL = ImagePart("iVBORw0KGgo=", "image/png")
READ = ToolSpec(
    "read_file",
    "Read a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
BASH = ToolSpec(
    "bash", "Run a command.", {"type": "object", "properties": {"command": {"type": "string"}}}
)


def user(*texts: str) -> UserMessage:
    return UserMessage(tuple(TextPart(text) for text in texts))


def agent(*parts: TextPart | ThinkingPart | CallPart) -> AgentMessage:
    return AgentMessage(parts)


def results(*given: ToolResult) -> ToolMessage:
    return ToolMessage(given)


def request(
    model: ModelInfo, *messages: Message, thought_level: ThoughtLevel = "off"
) -> ModelRequest:
    return ModelRequest(
        model, "Be brief.", messages or (user("Hello"),), (READ, BASH), thought_level
    )
