"""What a person sent, as the model gets it. Pure.

The conversation keeps images; a model that cannot see gets a marker instead, request by request,
so that another model of the same session can still see them.
"""

from msgspec.structs import replace

from parley.coder.message import (
    AgentMessage,
    ImagePart,
    Message,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.session.content import Audio, Block, Image, Link, Resource, Text

NOTHING = "(The message is empty.)"
"""Model APIs refuse a message without content."""


def user_message(blocks: tuple[Block, ...]) -> UserMessage:
    """A prompt as a message of the conversation."""
    parts = tuple(_part(block) for block in blocks)
    said = tuple(part for part in parts if not isinstance(part, TextPart) or part.text)
    return UserMessage(said or (TextPart(NOTHING),))


def seen_by(messages: tuple[Message, ...], *, images: bool) -> tuple[Message, ...]:
    """The conversation for a model that can see images, or for one that cannot."""
    return messages if images else tuple(_without_images(message) for message in messages)


def image_marker(mime_type: str) -> str:
    return f"[image: {mime_type}]"


def _part(block: Block) -> TextPart | ImagePart:
    match block:
        case Text(text=text):
            return TextPart(text)
        case Image(data=data, mime_type=mime_type):
            return ImagePart(data, mime_type)
        case Audio(mime_type=mime_type):
            return TextPart(f"[audio: {mime_type}]")
        case Link():
            return TextPart(_link(block))
        case Resource():
            return _resource(block)
        case _:
            return TextPart(f"[{block.kind}]")


def _link(link: Link) -> str:
    lines = [f"[{link.title or link.name}]({link.uri})"]
    if link.description:
        lines.append(link.description)
    return "\n".join(lines)


def _resource(resource: Resource) -> TextPart | ImagePart:
    if resource.text is not None:
        # The fence is longer than any in the text, so that the text cannot close it.
        fence = "```"
        while fence in resource.text:
            fence += "`"
        newline = "" if resource.text.endswith("\n") else "\n"
        return TextPart(f"{resource.uri}\n{fence}\n{resource.text}{newline}{fence}")
    mime_type = resource.mime_type or "application/octet-stream"
    if resource.blob and mime_type.startswith("image/"):
        return ImagePart(resource.blob, mime_type)
    return TextPart(f"{resource.uri}\n[resource: {mime_type}]")


def _without_images(message: Message) -> Message:
    match message:
        case UserMessage(content=content):
            if not any(isinstance(part, ImagePart) for part in content):
                return message
            return UserMessage(
                tuple(
                    TextPart(image_marker(part.mime_type)) if isinstance(part, ImagePart) else part
                    for part in content
                )
            )
        case ToolMessage(results=results):
            if not any(result.images for result in results):
                return message
            return ToolMessage(tuple(_result_without_images(result) for result in results))
        case AgentMessage():
            return message


def _result_without_images(result: ToolResult) -> ToolResult:
    if not result.images:
        return result
    markers = [image_marker(image.mime_type) for image in result.images]
    return replace(result, text="\n".join([result.text, *markers]).lstrip("\n"), images=())
