"""Every exception the library raises on purpose, in one tree.

    AcpError
      RpcError(code, message, data)     an error object of JSON-RPC, ours or the peer's
        ParseError  InvalidRequest  MethodNotFound  InvalidParams  InternalError
        RequestCancelled  AuthRequired  ResourceNotFound  VersionMismatch
      ProtocolError                     a rule was broken; only its two children are raised
        LocalProtocolError              by our own code, found before anything was sent
        RemoteProtocolError             by the peer
      TransportError
        ConnectionClosed                the conversation has ended in an orderly way
        ConnectionLost                  it broke: reset, broken pipe, the child process died
        FrameTooLarge                   a message exceeds the limit of the transport
      RequestTimeout                    the peer did not answer in time
      ConfigError(file, key, problem, hint)

Cancellation is not in the tree: it is `asyncio.CancelledError`, never an error of ours.
Importing this module costs nothing and imports nothing.
"""

from typing import Any, ClassVar


class AcpError(Exception):
    """The root: catch it to catch everything the library raises on purpose."""


class RpcError(AcpError):
    """An error object, received from the peer or to be sent to it.

    A handler raises one to choose what the peer sees; `request()` raises one when the peer
    answered with an error. `data` is `None` when the member is absent.
    """

    code: int

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"

    def __reduce__(self) -> tuple[Any, ...]:
        return RpcError.of, (self.code, self.message, self.data)

    @staticmethod
    def of(code: int, message: str, data: Any = None) -> "RpcError":
        """The error object as the class that stands for its code."""
        kind = _KINDS.get(code)
        return kind(message, data) if kind else RpcError(code, message, data)


class _CodedError(RpcError):
    """An error whose class fixes its code, so that callers can catch it by name."""

    CODE: ClassVar[int]
    MESSAGE: ClassVar[str]

    def __init__(self, message: str | None = None, data: Any = None) -> None:
        super().__init__(self.CODE, self.MESSAGE if message is None else message, data)


class ParseError(_CodedError):
    CODE, MESSAGE = -32700, "Parse error"


class InvalidRequest(_CodedError):
    CODE, MESSAGE = -32600, "Invalid request"


class MethodNotFound(_CodedError):
    CODE, MESSAGE = -32601, "Method not found"


class InvalidParams(_CodedError):
    CODE, MESSAGE = -32602, "Invalid params"


class InternalError(_CodedError):
    CODE, MESSAGE = -32603, "Internal error"


class RequestCancelled(_CodedError):
    CODE, MESSAGE = -32800, "Request cancelled"


class AuthRequired(_CodedError):
    CODE, MESSAGE = -32000, "Authentication required"


class ResourceNotFound(_CodedError):
    CODE, MESSAGE = -32002, "Resource not found"


class VersionMismatch(_CodedError):
    CODE, MESSAGE = -32022, "Unsupported protocol version"


_KINDS: dict[int, type[_CodedError]] = {
    kind.CODE: kind
    for kind in (
        ParseError,
        InvalidRequest,
        MethodNotFound,
        InvalidParams,
        InternalError,
        RequestCancelled,
        AuthRequired,
        ResourceNotFound,
        VersionMismatch,
    )
}


class ProtocolError(AcpError):
    """A rule of the protocol was broken. The two children say by whom."""

    def __new__(cls, *args: object) -> "ProtocolError":
        if cls is ProtocolError:
            raise TypeError("raise LocalProtocolError or RemoteProtocolError")
        return super().__new__(cls, *args)


class LocalProtocolError(ProtocolError):
    """Our own code tried to break a rule. Nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The peer broke a rule, for instance with a result of the wrong shape."""


class TransportError(AcpError):
    """The way frames travel has a problem."""


class ConnectionClosed(TransportError):
    """The conversation has ended in an orderly way; pending requests fail with this."""


class ConnectionLost(TransportError):
    """The connection broke. The text says how: exit status and last stderr lines of a child."""


class FrameTooLarge(TransportError):
    """A message exceeds the size limit of the transport."""


class RequestTimeout(AcpError, TimeoutError):
    """The peer did not answer a request within its deadline."""


class ConfigError(AcpError):
    """A setting is wrong. The text names the file, the key, the problem and the fix."""

    def __init__(self, file: str, key: str, problem: str, hint: str) -> None:
        super().__init__(f"{file}: `{key}` {problem}\nhint: {hint}")
        self.file = file
        self.key = key
        self.problem = problem
        self.hint = hint
