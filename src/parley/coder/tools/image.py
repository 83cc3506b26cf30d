"""Which bytes are an image that models can look at. Pure."""

MOST_IMAGE_BYTES = 3_750_000
"""In Base64 this is 5 MB, the most that model APIs take."""

HEAD = 12
"""How many bytes it takes to tell."""

_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def image_type(head: bytes) -> str | None:
    """The media type of an image by its first bytes; `None` if they are of nothing known."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
