"""Throw seeded random and mutated frames at a peer; run it as a command with a count and a seed.

    python -m tests.rpc.fuzz_frames 1000000 7

It fails with the seed and the frame when a frame raises, is not answered as the table of errors
says, or takes longer than a frame of its size may take.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator

from parley.errors import InternalError
from parley.rpc.message import NOTHING
from parley.rpc.peer import Call, Ignored, Peer, Reply
from parley.rpc.transport import Oversize

SLOWEST = 1.0
"""Seconds of the processor for one frame."""

SEEDS = [
    b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}',
    b'{"jsonrpc":"2.0","id":"a-b","method":"initialize","params":{"protocolVersion":1}}',
    b'{"jsonrpc":"2.0","method":"session/update","params":{"update":{"text":"\xc5\xbc \\u017c"}}}',
    b'{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}',
    b'{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","n":[1.5e3,-0,true,null]}}',
    b'{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"Internal error","data":{}}}',
    b'[{"jsonrpc":"2.0","id":5,"method":"a"},{"jsonrpc":"2.0","method":"b"},1]',
    b'{"jsonrpc":"2.0","id":null,"method":"x"}',
]
PIECES = [
    *(b'"id":1,', b'"jsonrpc":"2.0",', b'"method":"m",', b'"result":1,', b'"error":{},'),
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud800", b"\x00", b"\xff"),
    *(b"\xed\xa0\x80", b"\xf0\x9f\x90\xa2", b"1e999", b"-", b"9" * 40, b"NaN", b"null", b"\n"),
    *(b"[" * 1500, b'{"a":' * 1500, b" " * 300, b"\xef\xbb\xbf"),
]
VALUES: list[object] = [
    *(None, True, 0, 1, 2, -1, 1.5, 2**53 + 1, 2**64, 10**30, "", "7", "2.0", "ż", "\ud800"),
    *([], {}, [[]], {"code": 1, "message": "x"}, {"code": "1"}, {"requestId": 1}, {"id": 1}),
]


def main() -> int:
    given = [int(text) for text in sys.argv[1:]]
    count, seed = [*given, *(50_000, 1)[len(given) :]]
    started = time.perf_counter()
    kinds = fuzz(count, seed)
    seconds = time.perf_counter() - started
    sys.stdout.write(f"{count} frames, seed {seed}, {seconds:.1f} s: {dict(kinds)}\n")
    return 0


def fuzz(count: int, seed: int) -> Counter[str]:
    """Feed that many frames; returns how many of which kind of event came out."""
    kinds: Counter[str] = Counter()
    chance = random.Random(seed)
    peer = Peer()
    for number, frame in enumerate(_frames(chance, count)):
        if number % 500 == 0:
            peer = Peer(null_ids=chance.random() < 0.5, process_batches=chance.random() < 0.5)
        peer.request("m", NOTHING, number)
        started = time.process_time()
        try:
            kinds.update(_feed(peer, frame))
        except Exception as error:
            raise AssertionError(f"seed {seed}, frame {number}: {frame!r}") from error
        assert time.process_time() - started < SLOWEST, f"seed {seed}, frame {number}: slow"
    return kinds


def _feed(peer: Peer, frame: bytes | Oversize) -> Iterator[str]:
    events = peer.receive(frame)
    for event in events if isinstance(events, list) else [events]:
        if isinstance(event, Reply):
            answers = json.loads(event.frame)
            for answer in answers if isinstance(answers, list) else [answers]:
                assert answer["error"]["code"] in (-32700, -32600)
        elif isinstance(event, Call) and len(event.method) % 2:
            peer.fail(event, InternalError())
        elif isinstance(event, Ignored):
            assert event.problem
        yield type(event).__name__


def _frames(chance: random.Random, count: int) -> Iterator[bytes | Oversize]:
    for _ in range(count):
        kind = chance.random()
        if kind < 0.1:
            yield chance.randbytes(chance.randrange(60))
        elif kind < 0.12:
            yield Oversize(10**8, _mutated(chance)[: chance.randrange(200)], 10**7)
        elif kind < 0.5:
            yield _assembled(chance)
        else:
            yield _mutated(chance)


def _assembled(chance: random.Random) -> bytes:
    """An object of the right members with values of any type, so that more of it is well formed."""
    names = ["jsonrpc", "id", "method", "params", "result", "error", "requestId", "type"]
    members = {name: chance.choice(VALUES) for name in names if chance.random() < 0.5}
    members |= {"jsonrpc": "2.0"} if chance.random() < 0.9 else {}
    members |= {"method": chance.choice(["m", "$/cancel_request"])} if chance.random() < 0.6 else {}
    return json.dumps(members, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def _mutated(chance: random.Random) -> bytes:
    frame = bytearray(chance.choice(SEEDS))
    for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(frame) + 1)
        match chance.randrange(5):
            case 0:
                del frame[at : at + chance.randrange(1, 12)]
            case 1:
                frame[at:at] = chance.choice(PIECES)
            case 2:
                frame[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                frame[at:at] = frame[chance.randrange(len(frame) + 1) :]
            case _:
                other = chance.choice(SEEDS)
                frame[at:] = other[chance.randrange(len(other)) :]
    return bytes(frame)


if __name__ == "__main__":
    sys.exit(main())
