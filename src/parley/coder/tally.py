"""What the requests of a turn have used so far, those of its sub-agents included. Pure."""

from parley.coder.cost import added
from parley.coder.providers.provider import ModelUsage


class Tally:
    """A sum that also counts for the one above it."""

    def __init__(self, above: "Tally | None" = None) -> None:
        self.usage = ModelUsage()
        self.requests = 0
        """All that were made, also those that failed."""
        self._above = above

    def add(self, usage: ModelUsage | None = None, requests: int = 0) -> None:
        self.requests += requests
        if usage is not None:
            self.usage = added(self.usage, usage)
        if self._above is not None:
            self._above.add(usage, requests)
