"""The errors of the coding agent, two branches of the tree in `parley.errors`."""

from typing import Literal

from parley.errors import AcpError


class ToolError(AcpError):
    """A call cannot be done. The text is for the model: what is wrong and what to do instead."""


ProviderFailure = Literal["auth", "limit", "server", "network", "context", "request"]


class ProviderError(AcpError):
    """A request to a model failed. The text is for a person: what happened and what to try.

    It never contains a key, a header or the conversation.
    """

    def __init__(
        self,
        text: str,
        *,
        retryable: bool,
        retry_after: float | None = None,
        kind: ProviderFailure = "server",
    ) -> None:
        super().__init__(text)
        self.retryable = retryable
        self.retry_after = retry_after
        """Seconds the provider asked us to wait."""
        self.kind: ProviderFailure = kind
