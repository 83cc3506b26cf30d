"""What can be wrong with a message: one error and one note, both naming a place, never a value.

Values may be secrets (headers and environments of MCP servers), so texts hold the path of a
member and what was expected there, and nothing the peer sent (RPC-29). Whether a problem becomes
an error answer or a broken peer is for the layer above to say.
"""

from msgspec import Struct


class DecodeProblem(ValueError):
    """The data is not a value of the type. `path` is empty when the problem is the whole."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"`{path}` {problem}" if path else problem)
        self.path = path
        self.problem = problem


class Note(Struct, frozen=True):
    """A bad value that a lenient member forgave: the message was read without it."""

    path: str
    problem: str
