"""What goes into a prompt beside its words: files, images and stdin, in the form an agent takes.

A file is embedded where the agent takes embedded context, and linked where it does not, or where
the file is large or no text. An image cannot be linked: an agent sees images or it does not.
"""

import base64
import mimetypes
import os
from pathlib import Path

from msgspec import Struct

from parley.errors import ConfigError
from parley.session.content import Block, Image, Link, Resource, Text
from parley.session.profile import AgentCapabilities

MOST_EMBEDDED = 1024 * 1024
"""A larger file is linked: an agent reads the part that it needs."""
MOST_IMAGE = 20 * 1024 * 1024
MOST_STDIN = 8 * 1024 * 1024


class Attached(Struct, frozen=True):
    """A file as it was when the run began."""

    path: Path
    text: str | None = None
    """Its text; `None` for one that can only be linked."""
    size: int = 0

    @property
    def uri(self) -> str:
        return self.path.as_uri()


class Context(Struct, frozen=True):
    """Everything that accompanies the first prompt."""

    files: tuple[Attached, ...] = ()
    images: tuple[Image, ...] = ()
    stdin: str = ""


def attached(name: str) -> Attached:
    """A file by its name.

    Raises:
        ConfigError: it cannot be read.
    """
    path = _existing(name, "--file")
    size = path.stat().st_size
    if size > MOST_EMBEDDED:
        return Attached(path, None, size)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(name, "--file", error) from None
    try:
        return Attached(path, data.decode(), size)
    except UnicodeDecodeError:
        return Attached(path, None, size)


def image(name: str) -> Image:
    """An image by its name.

    Raises:
        ConfigError: it cannot be read, or is no image.
    """
    path = _existing(name, "--image")
    kind = mimetypes.guess_type(path.name)[0] or ""
    if not kind.startswith("image/"):
        raise ConfigError(name, "--image", "has no name of an image", "use --file for other files")
    if path.stat().st_size > MOST_IMAGE:
        raise ConfigError(name, "--image", "is too large", f"at most {MOST_IMAGE} bytes are sent")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(name, "--image", error) from None
    return Image(base64.b64encode(data).decode(), kind, path.as_uri())


def blocks(prompt: str, context: Context, agent: AgentCapabilities) -> tuple[Block, ...]:
    """A prompt with its context, as this agent takes it.

    Raises:
        ConfigError: the agent does not take images.
    """
    if context.images and not agent.image:
        raise ConfigError(
            "parley run", "--image", "cannot be sent", "this agent does not take images"
        )
    found: list[Block] = [Text(prompt)]
    for file in context.files:
        found.append(_file_block(file, embedded=agent.embedded_context))
    found.extend(context.images)
    if context.stdin:
        if agent.embedded_context:
            found.append(Resource("stdin:///", context.stdin, mime_type="text/plain"))
        else:
            found.append(Text(f"\n\nThe standard input:\n\n{context.stdin}"))
    return tuple(found)


def _file_block(file: Attached, *, embedded: bool) -> Block:
    kind = mimetypes.guess_type(file.path.name)[0]
    if embedded and file.text is not None:
        return Resource(file.uri, file.text, mime_type=kind or "text/plain")
    return Link(file.uri, file.path.name, mime_type=kind, size=file.size)


def _existing(name: str, option: str) -> Path:
    path = Path(os.path.abspath(name))
    if not path.is_file():
        raise ConfigError(name, option, "is not a file", "name a file that exists")
    return path


def _unreadable(name: str, option: str, error: OSError) -> ConfigError:
    return ConfigError(name, option, f"cannot be read: {error.strerror}", "name another file")
