"""A login in a terminal: the agent's own program, and a new connection after it."""

import asyncio
import json
import os
import pty
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parley.client.login import login_in_terminal
from parley.errors import AuthRequired, ConnectionLost
from parley.protocol.connect import RemoteAgent, connect
from parley.protocol.settings import Settings
from parley.sdk.client import Client
from parley.sdk.client_role import ConnectedClient
from parley.session.content import Text
from parley.session.profile import ClientProfile, TerminalLogin
from parley.session.role import Prompt, SessionRequest
from parley.transport.process import spawn
from tests.transport.wires import alive, eventually, run

AGENT = (sys.executable, str(Path(__file__).parent / "programs" / "login_agent.py"), "--acp")
LOGIN = TerminalLogin("tty", "Terminal")


class Screen(ConnectedClient):
    """A client that has a terminal for logins."""

    @property
    def profile(self) -> ClientProfile:
        known = super().profile
        can = msgspec.structs.replace(known.capabilities, terminal_login=True)
        return msgspec.structs.replace(known, capabilities=can)

    def emit(self, session_id: str, event: object) -> None:
        pass


@contextmanager
def _terminal(typed: str) -> Iterator[int]:
    """Make a terminal our stdin and stdout, with something typed into it."""
    ours, theirs = pty.openpty()
    saved = os.dup(0), os.dup(1)
    os.dup2(theirs, 0)
    os.dup2(theirs, 1)
    os.close(theirs)
    try:
        os.write(ours, typed.encode())
        yield ours
    finally:
        for number, fd in enumerate(saved):
            os.dup2(fd, number)
            os.close(fd)
        os.close(ours)


def _shows(screen: int, text: bytes) -> bool:
    """Whether the text is on the screen, or comes soon."""
    shown = b""
    while text not in shown and select.select([screen], [], [], 2)[0]:
        shown += os.read(screen, 1000)
    return text in shown


def _starts(notes: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in notes.read_text().splitlines()]


async def _open(agent: RemoteAgent, cwd: Path) -> str:
    return (await agent.new_session(SessionRequest(str(cwd)))).session_id


@pytest.mark.parametrize("version", [1, 2])
def test_after_a_login_the_client_connects_anew_v1_auth_07_08_v2_auth_09(
    version: int, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    env = {"NOTES": str(notes), "MODE": "base", "BASE": "1"}
    settings = Settings(versions=(version,), deadline=5)
    role = Screen(Client("screen").registry)

    async def scenario() -> None:
        async with connect(await spawn(AGENT, cwd=tmp_path, env=env), role, settings) as agent:
            with pytest.raises(AuthRequired):
                await _open(agent, tmp_path)
            (login,) = agent.profile.logins
        assert isinstance(login, TerminalLogin)
        with _terminal("open\n"):
            assert not await login_in_terminal(AGENT, login, cwd=tmp_path, env=env)
        with _terminal("sesame\n") as screen:
            assert await login_in_terminal(AGENT, login, cwd=tmp_path, env=env)
            assert _shows(screen, b"Logged in")
        async with connect(await spawn(AGENT, cwd=tmp_path, env=env), role, settings) as agent:
            assert agent.profile.version == version
            session = await _open(agent, tmp_path)
            ending = await agent.prompt(session, Prompt((Text("Hello"),)))
            assert ending.stop_reason == "end_turn"

    run(scenario)
    serving = {
        "args": ["--acp"],
        "cwd": str(tmp_path),
        "env": {"MODE": "base", "KEY": None, "BASE": "1"},
    }
    logging_in = {
        "args": ["--acp", "--login", "a b"],
        "cwd": str(tmp_path),
        "env": {"MODE": "login", "KEY": "1", "BASE": "1"},
    }
    assert _starts(notes) == [serving, logging_in, logging_in, serving]


def test_a_program_that_a_signal_ends_is_no_login() -> None:
    async def scenario() -> None:
        assert not await login_in_terminal(["sh", "-c", "kill -9 $$"], LOGIN)
        assert await login_in_terminal(["true"], LOGIN)

    run(scenario)


@pytest.mark.parametrize("command", [["no-such-program"], ["true", "a\0b"]])
def test_a_program_that_cannot_be_started_is_named(command: list[str]) -> None:
    async def scenario() -> None:
        with pytest.raises(ConnectionLost, match=f"cannot start `{command[0]}`"):
            await login_in_terminal(command, LOGIN)

    run(scenario)


@pytest.mark.parametrize("command", ["true", []])
def test_the_command_must_be_a_list(command: Any) -> None:
    async def scenario() -> None:
        with pytest.raises(TypeError, match="list"):
            await login_in_terminal(command, LOGIN)

    run(scenario)


@pytest.mark.parametrize("script", ["", "trap '' TERM; "])
@pytest.mark.parametrize("times", [1, 2])
def test_a_cancelled_login_ends_its_program(script: str, times: int, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    stubborn = f"{script}echo $$ > {note}.new; mv {note}.new {note}; while :; do sleep 0.05; done"

    async def scenario() -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(login_in_terminal(["sh", "-c", stubborn], LOGIN))
            await eventually(note.exists)
            for _ in range(times):
                task.cancel()
                await asyncio.sleep(0)
        assert task.cancelled()

    run(scenario)
    assert not alive(int(note.read_text()))
