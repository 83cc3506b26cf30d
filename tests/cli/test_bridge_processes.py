"""`parley bridge` as processes: a client on its stdin and stdout, an agent as its child."""

import argparse
import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from parley.cli import bridge
from parley.cli.bridge import Ledger
from parley.cli.main import main
from parley.protocol.settings import Loss
from parley.transport.process import ProcessTransport, spawn
from tests.protocol.bridging import INITIALIZE, INITIALIZED, NEW, TEXT
from tests.protocol.wire import RawPeer

PARLEY = [sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())"]
SECONDS = 30.0
"""Processes take their time where many run at once."""
PAUSED = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "T", "status": "paused"}
HELLO = {
    "sessionUpdate": "agent_message_chunk",
    "messageId": "a",
    "content": {"type": "text", "text": "hello"},
}


def _update(update: dict[str, Any]) -> dict[str, Any]:
    params = {"sessionId": "s", "update": update}
    return {"do": "notify", "method": "session/update", "params": params}


def _scenario(folder: Path, version: int, *turn: dict[str, Any]) -> list[str]:
    """The command of an agent that plays a turn, as often as it is prompted."""
    accepted: dict[str, Any] = {}
    begin: list[dict[str, Any]] = []
    if version == 2:
        message = {"messageId": "m${n}"}
        accepted = {"result": message}
        begin = [
            {"sessionUpdate": "user_message", "content": TEXT, **message},
            {"sessionUpdate": "state_update", "state": "running"},
        ]
    idle = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
    end = {"do": "answer", "to": "turn", "result": {"stopReason": "end_turn"}}
    whole = {
        "scenario": 1,
        "name": "agent",
        "plays": "agent",
        "protocol": version,
        "timeout": SECONDS,
        "always": [{"method": "initialize", "result": INITIALIZED[version]}],
        "steps": [
            {"do": "receive", "method": "session/new", "result": {"sessionId": "s"}},
            {
                "do": "repeat",
                "times": 2,
                "steps": [
                    {"do": "receive", "method": "session/prompt", "as": "turn", **accepted},
                    *map(_update, [*begin, *turn]),
                    end if version == 1 else _update(idle),
                ],
            },
        ],
    }
    (folder / "agent.json").write_text(json.dumps(whole))
    return [*PARLEY, "scripted-agent", str(folder / "agent.json")]


class Running:
    """A bridge that runs, and what it says on its stderr."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.transport: ProcessTransport
        self.client: RawPeer

    async def initialize(self, version: int) -> dict[str, Any]:
        asked = self.client.ask("initialize", INITIALIZE[version])
        while True:  # Two programs are being started, which `running` bounds.
            with suppress(TimeoutError):
                return await self.client.answer(asked)

    async def turn(self, version: int) -> dict[str, Any]:
        """One turn; how it ended."""
        prompt_id = self.client.ask("session/prompt", {"sessionId": "s", "prompt": TEXT})
        answer = await self.client.answer(prompt_id)
        if version == 1:
            return answer
        idle = await self.client.until(lambda m: '"idle"' in json.dumps(m))
        return idle["params"]["update"]

    async def leave(self) -> int | None:
        """End the input of the bridge; its exit status."""
        await self.transport.aclose()
        return self.transport.returncode


@asynccontextmanager
async def running(agent: list[str], *options: str) -> AsyncGenerator[Running]:
    bridging = Running()
    async with asyncio.timeout(SECONDS):
        bridging.transport = await spawn(
            [*PARLEY, "bridge", *options, "--", *agent], on_stderr=bridging.complaints.append
        )
        bridging.client = RawPeer(bridging.transport)
        try:
            yield bridging
        finally:
            await bridging.transport.aclose()


@pytest.mark.parametrize(("client", "agent"), [(1, 2), (2, 1)])
def test_a_turn_goes_through_two_processes(client: int, agent: int, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(_scenario(tmp_path, agent, HELLO)) as bridging:
            answer = await bridging.initialize(client)
            assert answer["result"]["protocolVersion"] == client
            await bridging.client.result("session/new", NEW)
            for _ in range(2):
                ended = await bridging.turn(client)
                assert "end_turn" in json.dumps(ended)
            said = [each for each in bridging.client.updates() if "agent" in each["sessionUpdate"]]
            assert [each["content"]["text"] for each in said] == ["hello", "hello"]
            assert await bridging.leave() == 0
        assert [line for line in bridging.complaints if "parley bridge" in line] == []

    asyncio.run(scenario())


def test_losses_are_written_down_and_counted(tmp_path: Path) -> None:
    async def scenario() -> None:
        file = tmp_path / "losses"
        agent = _scenario(tmp_path, 2, PAUSED)
        async with running(agent, "--losses", str(file)) as bridging:
            await bridging.initialize(1)
            await bridging.client.result("session/new", NEW)
            await bridging.turn(1)
            first = json.loads(file.read_text())  # It is there as soon as it happens.
            await bridging.turn(1)
            assert await bridging.leave() == 0
        detail = "the status `paused` is sent as `in_progress`"
        assert first == {"loss": "tool_call.status", "detail": detail, "sessionId": "s"}
        assert len(file.read_text().splitlines()) == 2
        assert "parley bridge: lost tool_call.status (2 times)" in bridging.complaints

    asyncio.run(scenario())


def test_a_strict_bridge_fails_the_turn_and_goes_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(_scenario(tmp_path, 2, PAUSED), "--strict") as bridging:
            await bridging.initialize(1)
            await bridging.client.result("session/new", NEW)
            for _ in range(2):
                error = (await bridging.turn(1))["error"]
                assert error["data"]["acpBridge"]["loss"] == "tool_call.status"
            assert await bridging.leave() == 0
        assert "parley bridge: lost tool_call.status (2 times)" in bridging.complaints

    asyncio.run(scenario())


def test_an_agent_that_cannot_be_started_is_named() -> None:
    async def scenario() -> None:
        async with running(["no-such-agent", "--acp"]) as bridging:
            error = (await bridging.initialize(1))["error"]
            assert error["code"] == -32603
            assert "cannot start `no-such-agent --acp`" in error["message"]
            assert await bridging.leave() == 1
        assert any("cannot start `no-such-agent" in line for line in bridging.complaints)

    asyncio.run(scenario())


def test_an_agent_that_dies_in_a_turn_ends_the_bridge() -> None:
    async def scenario() -> None:
        agent = [*PARLEY, "scripted-agent", "faults/dies-mid-turn"]
        async with running(agent) as bridging:
            await bridging.initialize(2)
            answer = await bridging.client.result("session/new", NEW)
            params = {"sessionId": answer["sessionId"], "prompt": TEXT}
            bridging.client.ask("session/prompt", params)
            idle = await bridging.client.until(lambda m: '"idle"' in json.dumps(m))
            error = idle["params"]["update"]["error"]
            assert "exited with status 3" in error["message"]
            # The end of its output is the end of the bridge, which nobody asked to leave.
            with pytest.raises(Exception, match="status 1"):
                await bridging.transport.receive()
        assert any("the model is on fire" in line for line in bridging.complaints)
        assert any(line.startswith("parley bridge: ") for line in bridging.complaints)

    asyncio.run(scenario())


# An agent that says who it is, and stays.
STAYING = f"""
import json, os, sys
with open(sys.argv[1], "w") as file:
    file.write(str(os.getpid()))
print("I am here", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        answer = {{"jsonrpc": "2.0", "id": message["id"], "result": {INITIALIZED[2]!r}}}
        print(json.dumps(answer), flush=True)
if "--stubborn" in sys.argv:
    sys.stdin = None
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pause()
"""


async def _watched(bridging: Running, file: Path) -> int:
    """A descriptor that becomes readable when the agent has ended."""
    await bridging.initialize(1)
    return os.pidfd_open(_number_in(file))


def _number_in(file: Path) -> int:
    return int(file.read_text())


def _has_ended(descriptor: int) -> bool:
    try:
        return bool(select.select([descriptor], [], [], SECONDS)[0])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("more", [[], ["--stubborn"]])
def test_the_end_of_the_client_leaves_no_process(more: list[str], tmp_path: Path) -> None:
    async def scenario() -> None:
        file = tmp_path / "pid"
        agent = [sys.executable, "-c", STAYING, str(file), *more]
        async with running(agent) as bridging:
            descriptor = await _watched(bridging, file)
            status = await bridging.leave()
        assert _has_ended(descriptor)
        assert status in ([0] if not more else [0, -signal.SIGKILL, -signal.SIGTERM, 143])
        assert "I am here" in bridging.complaints

    asyncio.run(scenario())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    async def scenario() -> None:
        file = tmp_path / "pid"
        async with running([sys.executable, "-c", STAYING, str(file), "--stubborn"]) as bridging:
            descriptor = await _watched(bridging, file)
            os.kill(bridging.transport.pid, number)
            expected = "status 143" if number == signal.SIGTERM else "SIGKILL"
            with pytest.raises(Exception, match=expected):
                await bridging.transport.receive()
        assert _has_ended(descriptor)

    asyncio.run(scenario())


def test_nothing_but_messages_is_written_to_stdout(tmp_path: Path) -> None:
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE[2]})
    ended = subprocess.run(
        [*PARLEY, "bridge", "--losses", str(tmp_path / "l"), "--", "no-such-agent"],
        input=f"{asked}\nnonsense\n",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert sorted(answer["error"]["code"] for answer in answers) == [-32700, -32603]
    assert ended.returncode == 1


# The command line.


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "`AGENT` is missing\ntry: parley bridge -- some-agent --acp\n"),
        (["--strict"], "`AGENT` is missing\ntry: parley bridge -- some-agent --acp\n"),
        (["--losses"], "`--losses` needs a value\ntry: --losses FILE\n"),
        (["agent", "--acp"], "`--acp` is no option\ntry: options of the agent stand behind `--`;"),
        (["--nonsense", "--", "agent"], "`--nonsense` is no option\ntry: "),
    ],
)
def test_wrong_usage_is_named(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bridge", *arguments])
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


def test_the_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bridge", "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for taught in ("parley bridge -- some-agent --acp", "--strict", "--losses FILE", "exit status"):
        assert taught in shown


def test_everything_behind_the_dashes_belongs_to_the_agent() -> None:
    parser = argparse.ArgumentParser()
    bridge.add_arguments(parser)
    options = parser.parse_args(["--strict", "--", "agent", "--strict", "--losses", "x"])
    assert options.agent == ["agent", "--strict", "--losses", "x"]
    assert (options.strict, options.losses, options.unstable) == (True, None, False)


def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bridge", "--losses", str(tmp_path / "no" / "file"), "--", "agent"]) == 2
    assert "`--losses` cannot be written: No such file" in capsys.readouterr().err


def test_a_full_disk_is_no_reason_to_stop(capsys: pytest.CaptureFixture[str]) -> None:
    ledger = Ledger()
    file = ledger.file = open("/dev/full", "w", buffering=1)  # noqa: SIM115
    for _ in range(2):
        ledger.add(Loss("diff", "a diff", "s"))
    assert ledger.file is None
    with pytest.raises(OSError, match="No space"):
        file.close()
    ledger.add(Loss("plan.id", "plans"))
    ledger.summarise()
    complaints = capsys.readouterr().err.splitlines()
    assert complaints[0].startswith("parley bridge: losses are not written down: ")
    assert complaints[1:] == [
        "parley bridge: lost diff (2 times)",
        "parley bridge: lost plan.id (1 times)",
    ]
