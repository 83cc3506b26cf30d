"""Files, images and stdin in a prompt."""

import base64
from pathlib import Path

import pytest

from parley.errors import ConfigError
from parley.frontend.headless.context import MOST_EMBEDDED, Context, attached, blocks, image
from parley.session.content import Image, Link, Resource, Text
from parley.session.profile import AgentCapabilities

ABLE = AgentCapabilities(embedded_context=True, image=True)


def test_a_text_file_is_embedded_where_the_agent_can_and_linked_where_it_cannot(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a b.py"
    file.write_text("print()")
    context = Context((attached(str(file)),))
    kind = "text/x-python"
    assert blocks("go", context, ABLE) == (
        Text("go"),
        Resource(file.as_uri(), "print()", mime_type=kind),
    )
    assert blocks("go", context, AgentCapabilities())[1] == Link(
        file.as_uri(), "a b.py", mime_type=kind, size=7
    )


@pytest.mark.parametrize("data", [b"\xff\xfe", b"x" * (MOST_EMBEDDED + 1)])
def test_what_is_no_text_or_too_long_is_linked(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    (_, block) = blocks("go", Context((attached(str(tmp_path / "a.bin")),)), ABLE)
    assert isinstance(block, Link)
    assert block.size == len(data)


def test_an_image_is_sent_only_to_who_sees_images(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    context = Context(images=(image(str(tmp_path / "a.png")),))
    (_, block) = blocks("go", context, ABLE)
    assert isinstance(block, Image)
    assert (base64.b64decode(block.data), block.mime_type) == (b"\x89PNG", "image/png")
    with pytest.raises(ConfigError, match="does not take images"):
        blocks("go", context, AgentCapabilities())


def test_stdin_is_a_resource_or_a_text() -> None:
    context = Context(stdin="diff")
    assert blocks("go", context, ABLE)[1] == Resource("stdin:///", "diff", mime_type="text/plain")
    assert blocks("go", context, AgentCapabilities())[1] == Text("\n\nThe standard input:\n\ndiff")


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    for make, name in ((attached, "no"), (image, "no.png"), (image, "a.txt"), (attached, ".")):
        with pytest.raises(ConfigError):
            make(str(tmp_path / name))


def test_an_image_has_a_largest_size(tmp_path: Path) -> None:
    with open(tmp_path / "a.png", "wb") as file:
        file.truncate(30 << 20)
    with pytest.raises(ConfigError, match="too large"):
        image(str(tmp_path / "a.png"))
