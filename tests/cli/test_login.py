"""Logging in, in a real terminal, and what the agent makes of it."""

import argparse
import os
import pty
import select
import stat
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from parley.cli import acp
from parley.coder.config_change import store_in_file
from tests.cli.raw_agent import PARLEY, SECONDS, RawAgent, environment
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import Reply, Say
from tests.coder.providers.fakes.server import FakeServer

KEY = "canary-key-1"


class Seen(NamedTuple):
    status: int
    screen: str


def log_in(
    home: Path,
    answers: Sequence[tuple[str, str]],
    env: Mapping[str, str] | None = None,
    *arguments: str,
) -> Seen:
    """Run the login in a terminal."""
    return in_terminal(home, answers, env, "--login", *arguments)


def in_terminal(
    home: Path,
    answers: Sequence[tuple[str, str]],
    env: Mapping[str, str] | None = None,
    *arguments: str,
) -> Seen:
    """Run the agent in a terminal; type each answer when its question is on the screen."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*PARLEY, "acp", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(home, env),
        # The new session makes the terminal its own, as a window does.
        start_new_session=True,
    )
    os.close(slave)
    screen = ""
    try:
        for question, answer in answers:
            screen += _until(master, question)
            os.write(master, answer.encode())
        screen += _until(master, None)
        return Seen(process.wait(SECONDS), screen)
    finally:
        process.kill()
        process.wait(SECONDS)
        os.close(master)


def _until(master: int, question: str | None) -> str:
    """What is shown until the question is; without one, until the program ends."""
    shown = b""
    deadline = time.monotonic() + SECONDS
    while question is None or question.encode() not in shown:
        ready, _, _ = select.select([master], [], [], deadline - time.monotonic())
        assert ready, shown
        piece = b""
        # Linux has an error for a terminal that nobody has open any more.
        with suppress(OSError):
            piece = os.read(master, 65536)
        if not piece:
            assert question is None, shown
            break
        shown += piece
    return shown.decode()


CONFIG = ".config/parley/config.toml"


def test_a_login_leads_from_the_terminal_to_the_first_answer(tmp_path: Path) -> None:
    config = tmp_path / CONFIG
    api = OpenAIChatFake(KEY)
    with (
        FakeServer(api, [Reply((Say(("Hello.",)),))]) as server,
        RawAgent(home=tmp_path, env={"NO_PROXY": "*", "PARLEY_MODEL": "gpt-5"}) as agent,
    ):
        terminal, recheck = agent.begin(auth={"terminal": True})["authMethods"]
        assert (terminal["type"], terminal["args"]) == ("terminal", ["--login"])
        refused = agent.ask("authenticate", methodId=recheck["id"])
        assert refused["error"]["code"] == -32000
        assert "parley acp --login" in refused["error"]["message"]
        session = agent.open(tmp_path)

        seen = log_in(tmp_path, [("Number or name: ", "openai\n"), ("not shown): ", f"{KEY}\n")])
        assert seen.status == 0
        assert KEY not in seen.screen
        assert f"The key is in {config}, which only you can read." in seen.screen
        assert stat.S_IMODE(config.stat().st_mode) == 0o600
        store_in_file(config, "openai", {"base_url": server.url})

        assert agent.call("authenticate", methodId=recheck["id"]) == {}
        agent.prompt(session, "Hi")
        assert agent.said() == "Hello."
        assert server.violations == []
        assert agent.call("authenticate", methodId=recheck["id"]) == {}
    with RawAgent(home=tmp_path) as agent:
        assert agent.begin(auth={"terminal": True})["authMethods"] == []


def test_a_client_without_a_terminal_is_offered_no_login_in_one(tmp_path: Path) -> None:
    with RawAgent(home=tmp_path) as agent:
        assert [each["id"] for each in agent.begin()["authMethods"]] == ["recheck"]


def test_mistakes_can_be_corrected_and_giving_up_changes_nothing(tmp_path: Path) -> None:
    number, key = "Number or name: ", "not shown): "
    seen = log_in(tmp_path, [(number, "99\n"), (number, "2\n"), (key, "a b\n"), (key, "\x04")])
    assert seen.status == 1
    assert "Please enter a number from 1 to" in seen.screen
    assert "That is not a key" in seen.screen
    assert "Nothing was changed." in seen.screen
    assert not (tmp_path / CONFIG).exists()
    for answers in ([(number, "x\n")] * 3, [(number, "1\n"), *[(key, "\n")] * 3]):
        assert log_in(tmp_path, answers).status == 1
    assert not (tmp_path / CONFIG).exists()


def test_a_key_in_the_file_is_replaced_there_and_the_environment_is_mentioned(
    tmp_path: Path,
) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('# mine\n[providers.openai]\nkey = "old"\n')
    answers = [("Number or name: ", "2\n"), ("not shown): ", "new\n")]
    seen = log_in(tmp_path, answers, {"OPENAI_API_KEY": "x"}, "--config", str(config))
    assert seen.status == 0
    assert "OPENAI_API_KEY is set in the environment" in seen.screen
    assert config.read_text() == '# mine\n[providers.openai]\nkey = "new"\n'


KEYRING = """\
import json, pathlib
from keyring.backend import KeyringBackend

class Keyring(KeyringBackend):
    priority = 1
    file = pathlib.Path(__file__).with_name("kept.json")

    def get_password(self, service, username):
        kept = json.loads(self.file.read_text()) if self.file.exists() else {}
        return kept.get(username)

    def set_password(self, service, username, password):
        self.file.write_text(json.dumps({username: password}))

    def delete_password(self, service, username):
        self.file.unlink()
"""


def test_a_keyring_that_works_keeps_the_key(tmp_path: Path) -> None:
    (tmp_path / "own_keyring.py").write_text(KEYRING)
    env = {"PYTHONPATH": str(tmp_path), "PYTHON_KEYRING_BACKEND": "own_keyring.Keyring"}
    answers = [("Number or name: ", "OpenAI\n"), ("not shown): ", f"{KEY}\n")]
    seen = log_in(tmp_path, answers, env)
    assert "The key is in the keyring." in seen.screen
    assert (tmp_path / CONFIG).read_text() == "[providers.openai]\nkeyring = true\n"
    with FakeServer(OpenAIChatFake(KEY), [Reply((Say(("Hello.",)),))]) as server:
        more = {"OPENAI_BASE_URL": server.url, "NO_PROXY": "*", "PARLEY_MODEL": "gpt-5"}
        with RawAgent(home=tmp_path, env=env | more) as agent:
            agent.begin()
            agent.prompt(agent.open(tmp_path), "Hi")
            assert agent.said() == "Hello."


def test_a_login_without_a_terminal_is_refused(tmp_path: Path) -> None:
    finished = subprocess.run(
        [*PARLEY, "acp", "--login"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        timeout=SECONDS,
        check=False,
    )
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "needs a terminal" in finished.stderr


def test_the_login_uses_the_same_flags_as_the_agent(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    acp.add_arguments(parser)
    path = str(tmp_path / "c.toml")
    options = parser.parse_args(["--config", path, "--login"])
    assert str(acp.configuration(options).folders.config) == path


def test_version_2_logs_in_and_out(tmp_path: Path) -> None:
    env = {"NO_PROXY": "*", "PARLEY_MODEL": "gpt-5"}
    replies = [Reply((Say(("Hello.",)),))]
    with (
        FakeServer(OpenAIChatFake(KEY), replies) as server,
        RawAgent(home=tmp_path, env=env) as agent,
    ):
        (recheck,) = agent.begin(2)["authMethods"]
        session = agent.open(tmp_path)
        store_in_file(tmp_path / CONFIG, "openai", {"base_url": server.url, "key": KEY})
        agent.call("auth/login", methodId=recheck["methodId"])
        agent.talk(session, "Hi")
        assert agent.said() == "Hello."
        agent.call("auth/logout")
        agent.updates.clear()
        agent.talk(session, "help")
        assert agent.said().startswith("These plain commands work without a model")
        assert len(server.requests) == 1


def test_where_nobody_can_log_in_nobody_can_log_out(tmp_path: Path) -> None:
    with RawAgent(home=tmp_path, env={"OPENAI_API_KEY": "k"}) as agent:
        assert "logout" not in agent.begin()["agentCapabilities"]["auth"]
        assert agent.ask("logout")["error"]["code"] == -32601


def test_who_starts_the_agent_by_hand_is_told_what_it_waits_for(tmp_path: Path) -> None:
    seen = in_terminal(tmp_path, [("waiting for one on stdin", "\x04")])
    assert seen.status == 0
