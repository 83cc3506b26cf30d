"""Images are known by their first bytes, not by their names."""

import pytest

from parley.coder.tools.image import HEAD, image_type


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a....", "image/gif"),
        (b"GIF87a....", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", None),
        (b"text", None),
        (b"", None),
    ],
)
def test_an_image_is_known_by_its_magic(data: bytes, kind: str | None) -> None:
    assert image_type(data[:HEAD]) == kind
