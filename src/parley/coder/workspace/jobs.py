"""The commands of a session that run in the background."""


class Jobs:
    """What runs in the background; it ends with the session."""

    async def aclose(self) -> None:
        """End every job and everything it started."""
