"""The end of an output: the last bytes of it, always whole characters. Pure."""

import codecs

# Cut only now and then, so that many small pieces do not each move the whole rest.
_SLACK = 64 * 1024


class Tail:
    """Keeps the last part of what it is fed, at most `limit` bytes in UTF-8."""

    def __init__(self, limit: int) -> None:
        self._limit = max(limit, 0)
        # What is not UTF-8 is replaced before it is counted, since the replacement is longer.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._kept = bytearray()
        self.truncated = False
        """Whether something was left out at the beginning."""

    @property
    def text(self) -> str:
        """What is kept. A character of which only a part has come is not shown yet (V1-TRM-06)."""
        kept = self._kept[max(len(self._kept) - self._limit, 0) :]
        start = next((i for i, byte in enumerate(kept) if byte & 0xC0 != 0x80), len(kept))
        return kept[start:].decode()

    def feed(self, data: bytes) -> None:
        """Add what came next."""
        self._add(self._decoder.decode(data))

    def end(self) -> None:
        """Nothing comes any more: a part of a character stays one."""
        self._add(self._decoder.decode(b"", final=True))

    def _add(self, text: str) -> None:
        self._kept += text.encode()
        self.truncated = self.truncated or len(self._kept) > self._limit
        if len(self._kept) > self._limit + _SLACK:
            del self._kept[: len(self._kept) - self._limit]
