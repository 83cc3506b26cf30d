"""A client that offers its own view of files."""

from parley.errors import ResourceNotFound, RpcError


class Editor:
    """A client with texts of its own."""

    def __init__(self, texts: dict[str, str] | None = None, error: RpcError | None = None) -> None:
        self.can_read = True
        self.can_write = True
        self.texts = texts or {}
        self.error = error
        self.asked: list[tuple[str, str]] = []

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        self.asked.append((session_id, path))
        if self.error is not None:
            raise self.error
        if path not in self.texts:
            raise ResourceNotFound
        return self.texts[path]

    async def write(self, session_id: str, path: str, content: str) -> None:
        self.asked.append((session_id, path))
        if self.error is not None:
            raise self.error
        self.texts[path] = content
