"""A client that lets agents read the files of its editor. Version 1 asks for them."""

import parley
from parley.errors import InvalidParams

UNSAVED = {"/home/ada/draft.txt": "not saved yet\n"}


class Buffers:
    """What the editor shows; nothing is written."""

    can_read = True
    can_write = False

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        text = UNSAVED.get(path)
        if text is None:
            raise InvalidParams("Invalid params: no such buffer", {"path": "path"})
        lines = text.splitlines(keepends=True)
        first = (line or 1) - 1
        return "".join(lines[first : None if limit is None else first + limit])

    async def write(self, session_id: str, path: str, content: str) -> None:
        raise InvalidParams("Invalid params: the editor writes its own files")


client = parley.Client("offering", "1.0", files=Buffers())
