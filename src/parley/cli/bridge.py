"""`parley bridge`: joins the client on stdin and stdout to an agent of the other version."""

import argparse
import json
import sys
from collections import Counter
from typing import TextIO

from parley.protocol.bridge import bridge
from parley.protocol.settings import Loss, Settings
from parley.rpc.transport import Transport
from parley.transport.process import spawn
from parley.transport.stdio import run_stdio

EPILOG = """\
Put it in front of an agent where the client starts the agent:

  parley bridge -- some-agent --acp

The client sees its own version of the protocol, whichever the agent speaks. What one version can
say and the other cannot is degraded, and counted on stderr at the end; see docs/bridge.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument(
        "--strict", action="store_true", help="end a turn with an error rather than lose a part"
    )
    parser.add_argument(
        "--losses", metavar="FILE", help="write each loss to FILE as a line of JSON, as it happens"
    )
    parser.add_argument(
        "--unstable", action="store_true", help="speak the unstable parts of both versions as well"
    )
    parser.add_argument("agent", nargs="+", metavar="AGENT", help="the command of the agent")


def run(options: argparse.Namespace) -> int:
    ledger = Ledger()
    if options.losses is None:
        return _run(options, ledger)
    with open(options.losses, "a", encoding="utf-8", buffering=1) as file:
        ledger.file = file
        return _run(options, ledger)


def _run(options: argparse.Namespace, ledger: "Ledger") -> int:
    settings = Settings(unstable=options.unstable, on_loss=ledger.add)

    async def open_agent() -> Transport:
        return await spawn(options.agent, on_stderr=lambda line: print(line, file=sys.stderr))

    status = run_stdio(lambda client: bridge(client, open_agent, settings, strict=options.strict))
    ledger.summarise()
    return status


class Ledger:
    """Counts what was lost, and writes it down if there is a file."""

    def __init__(self) -> None:
        self.file: TextIO | None = None
        self._counts: Counter[str] = Counter()

    def add(self, loss: Loss) -> None:
        self._counts[loss.what] += 1
        if self.file is not None:
            record = {"loss": loss.what, "detail": loss.detail, "sessionId": loss.session_id}
            self.file.write(json.dumps(record) + "\n")

    def summarise(self) -> None:
        for what, count in sorted(self._counts.items()):
            print(f"parley bridge: lost {what} ({count} times)", file=sys.stderr)
