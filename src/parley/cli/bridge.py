"""`parley bridge`: joins the client on stdin and stdout to an agent of the other version."""

import argparse
import json
import sys
from collections import Counter
from contextlib import ExitStack, suppress
from typing import TextIO

from parley.cli.private_file import private
from parley.errors import ConfigError, TransportError
from parley.protocol.bridge import bridge
from parley.protocol.settings import Loss, Settings
from parley.rpc.transport import Transport
from parley.transport.process import spawn
from parley.transport.stdio import run_stdio

EPILOG = """\
Write it in front of the agent wherever a client is told how to start the agent:

  parley bridge -- some-agent --acp

The client sees its own version of the protocol, whichever the agent speaks. stdin and stdout
belong to the client; what the agent writes to its stderr goes to stderr.

What one version can say and the other cannot is said as well as possible, and counted on stderr at
the end. With --losses every such loss is written down as it happens:

  {"loss": "tool_call.status", "detail": "the status `paused` is ...", "sessionId": "s1"}

With --strict a turn or a request that would lose something fails with an error that names the
loss, and the session goes on. docs/bridge.md lists the losses.

The exit status is 0 when the client ends the conversation, 1 when the agent does or cannot be
started, 2 for wrong usage, and 128 plus its number after a signal.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.usage = "parley bridge [OPTION...] -- AGENT..."
    parser.add_argument(
        "--strict", action="store_true", help="let a turn fail rather than lose a part of it"
    )
    parser.add_argument(
        "--losses", metavar="FILE", help="append each loss to FILE as a line of JSON"
    )
    parser.add_argument(
        "--unstable", action="store_true", help="speak the unstable parts of both versions as well"
    )
    parser.add_argument(
        "agent", nargs="+", metavar="AGENT", help="the command of the agent, and its arguments"
    )


def run(options: argparse.Namespace) -> int:
    ledger = Ledger()
    with ExitStack() as files:
        if options.losses is not None:
            ledger.file = _opened(options.losses)
            # A line that found no room on the disk is still in the buffer.
            files.callback(_closed, ledger.file)
        bridging = _Bridging(options, ledger)
        status = run_stdio(bridging.serve)
        ledger.summarise()
    if bridging.problem is not None:
        print(f"parley bridge: {bridging.problem}", file=sys.stderr)
    return status or int(bridging.problem is not None)


class Ledger:
    """Counts what was lost, and writes it down if there is a file."""

    def __init__(self) -> None:
        self.file: TextIO | None = None
        self._counts: Counter[str] = Counter()

    def add(self, loss: Loss) -> None:
        self._counts[loss.what] += 1
        if self.file is None:
            return
        record = {"loss": loss.what, "detail": loss.detail, "sessionId": loss.session_id}
        try:
            self.file.write(json.dumps(record) + "\n")
        except OSError as problem:
            # A full disk is no reason to end a conversation.
            self.file = None
            print(f"parley bridge: losses are not written down: {problem}", file=sys.stderr)

    def summarise(self) -> None:
        for what, count in sorted(self._counts.items()):
            print(f"parley bridge: lost {what} ({count} times)", file=sys.stderr)


class _Bridging:
    """One run: what is served on stdio, and what went wrong with the agent."""

    def __init__(self, options: argparse.Namespace, ledger: Ledger) -> None:
        self._options = options
        self._settings = Settings(unstable=options.unstable, on_loss=ledger.add)
        self.problem: TransportError | None = None

    async def serve(self, client: Transport) -> None:
        end = await bridge(client, self._open, self._settings, strict=self._options.strict)
        self.problem = end or self.problem

    async def _open(self) -> Transport:
        try:
            transport = await spawn(self._options.agent, on_stderr=_complain)
        except TransportError as problem:
            self.problem = problem
            raise
        self.problem = None
        return transport


def _complain(line: str) -> None:
    print(line, file=sys.stderr)


def _closed(file: TextIO) -> None:
    with suppress(OSError):
        file.close()


def _opened(path: str) -> TextIO:
    try:
        return open(path, "a", encoding="utf-8", buffering=1, opener=private)
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise ConfigError(path, "--losses", f"cannot be written: {why}", "name another file") from (
            problem
        )
