"""Cases about size: long lines, endless lines, wide and deep values, floods of small messages.

The bounds on memory are R5: four times the size of a message and 32 MB more, and for what is over
the limit, and so is thrown away, the limit itself and 16 MB.
"""

from collections.abc import Callable, Iterable, Iterator

from tests.hostile.case import (
    FRAME_LIMIT,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Answer,
    Case,
    case,
)
from tests.hostile.raw_client import NEW_SESSION, line, note, prompt_params

_MB = 1024 * 1024
_PIECE = b"x" * _MB
_THROWN_AWAY = FRAME_LIMIT / _MB + 16


def _padded(id_: int, size: int) -> Iterator[bytes]:
    """A prompt that is a line of exactly this many bytes without its newline, piece by piece."""
    whole = line(id_, "session/prompt", prompt_params("s", "noop "))
    head, tail = whole[: -len(b'"}]}}\n')], b'"}]}}\n'
    yield head
    yield from _filling(size - len(whole) + 1)
    yield tail


def _filling(size: int, piece: bytes = _PIECE) -> Iterator[bytes]:
    for _ in range(size // len(piece)):
        yield piece
    yield piece[: size % len(piece)]


def _around(head: bytes, size: int, tail: bytes) -> Callable[[], Iterable[bytes]]:
    """A line that begins and ends like this, with filling of that size between."""

    def writes() -> Iterator[bytes]:
        yield head
        yield from _filling(size)
        yield tail

    return writes


def _wide() -> Iterator[bytes]:
    """A request with a million members in an object that may hold any."""
    yield b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]'
    for start in range(0, 1_000_000, 10_000):
        yield b"".join(b',"k%d":0' % n for n in range(start, start + 10_000))
    yield b"}}\n"


def _nested(opening: bytes, closing: bytes, depth: int) -> Callable[[], Iterable[bytes]]:
    """A request with a deep value among its parameters."""

    def writes() -> Iterator[bytes]:
        yield b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/",'
        yield b'"mcpServers":[],"_meta":{"x":'
        yield opening * depth
        yield b"1"
        yield closing * depth
        yield b"}}}\n"

    return writes


def _message(megabytes: float) -> float:
    """What a message of this size may cost."""
    return 4 * megabytes + 32


_LIMITED = (Answer(1, INVALID_REQUEST),)
_STREAMS = (Answer(1),)
_DEEP = (Answer(1, INVALID_REQUEST),)

LINES = [
    Case("line_20mb", lambda: _padded(1, 20 * _MB), _STREAMS, megabytes=_message(20)),
    Case("line_of_exactly_the_limit", lambda: _padded(1, FRAME_LIMIT), _STREAMS,
         megabytes=_message(64)),
    Case("line_of_one_byte_more", lambda: _padded(1, FRAME_LIMIT + 1), _LIMITED,
         megabytes=_message(64)),
    Case("line_100mb", lambda: _padded(1, 100 * _MB), _LIMITED, megabytes=_THROWN_AWAY),
    Case("line_100mb_of_noise", _around(b"", 100 * _MB, b"\n"), (Answer(None, INVALID_REQUEST),),
         megabytes=_THROWN_AWAY),
    Case("line_100mb_that_answers_nothing", megabytes=_THROWN_AWAY, writes=_around(
        b'{"jsonrpc":"2.0","id":1,"result":"', 100 * _MB, b'"}\n')),
    Case("line_100mb_of_spaces", lambda: (*_filling(100 * _MB, b" " * _MB), b"\n"),
         (Answer(None, INVALID_REQUEST),), megabytes=_THROWN_AWAY),
    Case("endless_line", _around(b'{"jsonrpc":"2.0","id":1,"method":"', 400 * _MB, b"\n"), _LIMITED,
         megabytes=_THROWN_AWAY),
    Case("two_lines_too_long_one_after_the_other",
         lambda: (*_padded(1, 65 * _MB), *_padded(2, 65 * _MB)), inputs=2,
         answers=(Answer(1, INVALID_REQUEST), Answer(2, INVALID_REQUEST)), megabytes=_THROWN_AWAY),
]  # fmt: skip

VALUES = [
    # Unknown members are kept (DEC-06), and each of them is two objects beside its place.
    Case("wide_object_1e6_keys", _wide, _STREAMS, megabytes=192),
    Case("a_million_members_beside_the_method", lambda: (
        b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}',
        b"".join(b',"k%d":0' % n for n in range(1_000_000)),
        b"}\n"), _STREAMS, megabytes=_message(12)),
    Case("an_array_of_a_million_numbers", lambda: (
        b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[],'
        b'"_meta":{"x":[' + b"1," * 999_999 + b"1]}}}\n",), _STREAMS, megabytes=_message(2)),
    Case("depth_300", _nested(b"[", b"]", 300), (Answer(1),)),
    Case("depth_1e5_of_arrays", _nested(b"[", b"]", 100_000), _DEEP),
    Case("depth_1e5_of_objects", _nested(b'{"a":', b"}", 100_000), _DEEP),
    Case("depth_1e6", _nested(b"[", b"]", 1_000_000), _DEEP, megabytes=_message(2)),
    Case("depth_1e6_that_never_closes", lambda: (b"[" * 1_000_000, b"\n"),
         (Answer(None, INVALID_REQUEST),), megabytes=_message(1)),
    Case("depth_1e5_without_anything_around", lambda: (b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
         b"\n"), (Answer(None, INVALID_REQUEST),), megabytes=_message(1)),
    Case("a_number_of_1e6_digits", lambda: (
        b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[],'
        b'"_meta":{"x":' + b"9" * 1_000_000 + b"}}}\n",), (Answer(1, INVALID_PARAMS),),
         megabytes=_message(1)),
    Case("an_id_of_1e6_digits", lambda: (
        b'{"jsonrpc":"2.0","id":' + b"9" * 1_000_000 + b',"method":"session/new"}\n',),
         (Answer(None, INVALID_REQUEST),), megabytes=_message(1)),
    Case("an_id_of_a_megabyte", lambda: (line("i" * _MB, "session/new", NEW_SESSION),),
         (Answer("i" * _MB),), megabytes=_message(1)),
    Case("a_method_of_ten_megabytes", lambda: (line(1, "m" * 10 * _MB, {}),),
         (Answer(1, METHOD_NOT_FOUND),), megabytes=_message(10)),
    Case("a_key_of_a_megabyte", lambda: (line(1, "session/new", NEW_SESSION | {"k" * _MB: 1}),),
         (Answer(1),), megabytes=_message(1)),
    Case("a_megabyte_of_escapes", lambda: (
        line(1, "session/prompt", prompt_params("s", "echo " + "\u2028" * 170_000)),),
         (Answer(1),), chunks=("\u2028" * 170_000,), megabytes=_message(1)),
    Case("an_echo_of_ten_megabytes", lambda: (
        line(1, "session/prompt", prompt_params("s", "echo " + "y" * 10 * _MB)),), (Answer(1),),
         chunks=("y" * 10 * _MB,), megabytes=_message(10)),
]  # fmt: skip

FLOODS = [
    Case("many_small_requests",
         lambda: (line(n, "session/new", NEW_SESSION) for n in range(10_000)), inputs=10_000,
         answers=tuple(Answer(n) for n in range(10_000))),
    Case("many_small_notifications",
         lambda: [note("session/cancel", {"sessionId": "s"}) * 1000] * 50, inputs=50_000),
    Case("many_empty_lines", lambda: [b"\n" * 65_536] * 16, inputs=1_048_576),
    Case("many_tiny_faults", lambda: [b"0\n" * 1000] * 10, inputs=10_000,
         answers=(Answer(None, INVALID_REQUEST),) * 10_000),
    Case("many_concurrent_session_new", lambda: [b"".join(
        line(n, "session/new", NEW_SESSION) for n in range(1000))], inputs=1000, seconds=2,
         answers=tuple(Answer(n) for n in range(1000))),
    case("cancel_storm", note("session/cancel", {"sessionId": "s"}) * 10_000, inputs=10_000),
    case("cancel_request_storm", b"".join(
        note("$/cancel_request", {"requestId": n}) for n in range(10_000)), inputs=10_000),
]  # fmt: skip

CASES = LINES + VALUES + FLOODS
