"""What a person sent, as the model gets it."""

import pytest

from parley.coder.message import (
    AgentMessage,
    CallPart,
    ImagePart,
    Message,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.prompt_content import NOTHING, seen_by, user_message
from parley.session.content import Audio, Block, Image, Link, OtherBlock, Resource, Text


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (Text("hello"), TextPart("hello")),
        (Image("aGk=", "image/png"), ImagePart("aGk=", "image/png")),
        (Audio("aGk=", "audio/wav"), TextPart("[audio: audio/wav]")),
        (Link("file:///a.py", "a.py"), TextPart("[a.py](file:///a.py)")),
        (
            Link("file:///a.py", "a.py", title="A", description="The first"),
            TextPart("[A](file:///a.py)\nThe first"),
        ),
        (Resource("file:///a.py", text="x = 1"), TextPart("file:///a.py\n```\nx = 1\n```")),
        (Resource("file:///a.md", text="```\n"), TextPart("file:///a.md\n````\n```\n````")),
        (
            Resource("file:///a.png", blob="aGk=", mime_type="image/png"),
            ImagePart("aGk=", "image/png"),
        ),
        (
            Resource("file:///a.bin", blob="aGk="),
            TextPart("file:///a.bin\n[resource: application/octet-stream]"),
        ),
        (OtherBlock("hologram", {}), TextPart("[hologram]")),
    ],
)
def test_each_kind_of_block_reaches_the_model(block: Block, part: TextPart | ImagePart) -> None:
    assert user_message((block,)) == UserMessage((part,))


def test_a_prompt_without_content_says_so() -> None:
    assert user_message(()) == user_message((Text(""),)) == UserMessage((TextPart(NOTHING),))


def test_a_model_that_cannot_see_gets_markers_in_place_of_images() -> None:
    picture = ImagePart("aGk=", "image/png")
    messages: tuple[Message, ...] = (
        UserMessage((TextPart("look"), picture)),
        AgentMessage((CallPart("c", "read_file"),)),
        ToolMessage(
            (
                ToolResult("c", "read_file", "a.png", images=(picture,)),
                ToolResult("d", "read_file", "", images=(picture, picture)),
                ToolResult("e", "read_file", "text"),
            )
        ),
        UserMessage((TextPart("no picture"),)),
        ToolMessage((ToolResult("f", "read_file", "text"),)),
    )
    assert seen_by(messages, images=True) is messages
    assert seen_by(messages, images=False) == (
        UserMessage((TextPart("look"), TextPart("[image: image/png]"))),
        messages[1],
        ToolMessage(
            (
                ToolResult("c", "read_file", "a.png\n[image: image/png]"),
                ToolResult("d", "read_file", "[image: image/png]\n[image: image/png]"),
                ToolResult("e", "read_file", "text"),
            )
        ),
        messages[3],
        messages[4],
    )
