"""What the doctor finds, what it never shows, and when it is content."""

import asyncio
import importlib.util
import json
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from parley.cli import doctor
from parley.cli.doctor import Finding, findings
from parley.cli.main import main
from parley.coder.config import load
from parley.coder.sandbox import sandbox
from parley.coder.sandbox.sandbox import available
from parley.coder.vendors import LocalServer
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import Reply, Say
from tests.coder.providers.fakes.server import FakeServer

KEY = "canary-key-7777"


def examined(
    home: Path, *, online: bool = False, servers: tuple[LocalServer, ...] = (), **environ: str
) -> dict[str, Finding]:
    """The last finding about each thing."""
    config = load({"HOME": str(home), **environ})
    found = asyncio.run(findings(config, online=online, servers=servers))
    assert not any(KEY in each.text + each.fix or "7777" in each.text for each in found)
    return {each.about: each for each in found}


def test_nothing_configured_is_no_problem_and_says_what_to_do(tmp_path: Path) -> None:
    found = examined(tmp_path)
    assert {each.status for each in found.values()} == {"ok", "note"}
    assert "ANTHROPIC_API_KEY" in found["model"].fix
    assert "does not exist, which is fine" in found["configuration"].text
    assert "will be made" in found["sessions"].text


def test_each_provider_is_told_with_the_place_of_its_key(tmp_path: Path) -> None:
    found = examined(
        tmp_path,
        OPENAI_API_KEY=KEY,
        ANTHROPIC_BASE_URL=f"https://user:{KEY}@proxy.example.org/v1",
        PARLEY_MODE="plan",
    )
    assert found["provider openai"].text == "openai at api.openai.com/v1, key from OPENAI_API_KEY"
    assert found["provider anthropic"].text == (
        "anthropic at proxy.example.org/v1, without a key (from ANTHROPIC_BASE_URL)"
    )
    assert found["setting mode"].text == "plan (from PARLEY_MODE)"
    assert found["model"].text.startswith("anthropic/")


def test_a_key_that_should_be_in_the_keyring_and_is_not_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    (tmp_path / "c.toml").write_text("[providers.openai]\nkeyring = true\n")
    found = examined(tmp_path, PARLEY_CONFIG=str(tmp_path / "c.toml"))
    assert found["provider openai"].status == "problem"
    assert "--login" in found["provider openai"].fix


def test_problems_of_the_configuration_are_told_with_their_fix(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("rules=['allow bash:make']\n[agent]\nmodell='x'\n")
    found = examined(tmp_path, PARLEY_CONFIG=str(path))
    assert found["configuration"] == Finding(
        "configuration", "problem", f"{path}: `agent.modell` is unknown", "did you mean `model`?"
    )
    assert found["rules"].text == "1 of your own"
    path.write_text(f"[providers.openai]\nkey='{KEY}'\n")
    path.chmod(0o644)
    assert "chmod 600" in examined(tmp_path, PARLEY_CONFIG=str(path))["configuration"].text


def test_folders_must_be_private_and_writable(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(0o700)
    assert examined(tmp_path, PARLEY_DATA_DIR=str(folder))["sessions"].text.endswith("(private)")
    folder.chmod(0o755)
    found = examined(tmp_path, PARLEY_DATA_DIR=str(folder))["sessions"]
    assert (found.status, found.fix) == ("problem", f"chmod 700 {folder}")
    (tmp_path / "file").touch()
    found = examined(tmp_path, PARLEY_DATA_DIR=str(tmp_path / "file"))["sessions"]
    assert (found.status, "cannot be written to" in found.text) == ("problem", True)


def test_a_folder_that_cannot_be_made_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bool:
        return False

    monkeypatch.setattr(os, "access", refuse)
    assert "cannot be made" in examined(tmp_path)["sessions"].text


def test_what_is_not_installed_is_told_with_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", nothing)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    found = examined(tmp_path, OPENAI_API_KEY=KEY)
    assert (found["httpx2"].status, found["keyring"].status) == ("problem", "note")
    assert "parley-acp[agent]" in found["rg"].fix
    assert found["git"].fix == "install git"


def test_a_local_server_and_an_answer_of_the_model_are_seen(tmp_path: Path) -> None:
    reply = Reply((Say(("ok",)),))
    with FakeServer(OpenAIChatFake(KEY), [reply]) as server:
        found = examined(
            tmp_path,
            online=True,
            OPENAI_API_KEY=KEY,
            OPENAI_BASE_URL=server.url,
            PARLEY_MODEL="gpt-5",
        )
    assert found["online"] == Finding("online", "ok", "openai/gpt-5 answers")
    assert f"at {server.url.removeprefix('http://')}" in found["provider openai"].text
    assert server.violations == []
    with FakeServer(OpenAIChatFake(""), []) as server:
        local = LocalServer("ollama", "Ollama", server.port)
        found = examined(tmp_path, servers=(local,))
    assert found["local server"].text.startswith("Ollama at http://127.0.0.1:")
    assert found["model"].text == "the models of Ollama, since it answers"


def test_a_model_that_does_not_answer_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    found = examined(
        tmp_path, online=True, OPENAI_BASE_URL="http://127.0.0.1:9/v1", PARLEY_MODEL="m"
    )
    assert found["online"].status == "problem"
    script = str(tmp_path / "none.json")
    found = examined(tmp_path, online=True, PARLEY_PROVIDER="scripted", PARLEY_SCRIPT=script)
    assert "cannot be read" in found["online"].text


def test_a_model_that_is_too_slow_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_ONLINE_SECONDS", 0.05)
    script = tmp_path / "s.json"
    script.write_text(json.dumps([{"text": "ok", "wait": {"for": "never"}}]))
    found = examined(tmp_path, online=True, PARLEY_PROVIDER="scripted", PARLEY_SCRIPT=str(script))
    assert "did not answer in time" in found["online"].text


def test_the_command_prints_its_findings_and_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in os.environ:
        if name.endswith("_API_KEY") or name.startswith("PARLEY_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PARLEY_LOCAL_SERVERS", "false")
    config = tmp_path / "c.toml"
    config.touch()
    arguments = ["doctor", "--config", str(config), "--data-dir", str(tmp_path / "data")]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "to fix it: set a key" in printed
    assert "ok       store: there are no sessions yet" in printed
    config.write_text("[")
    assert main([*arguments, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found[0]["about"] == "parley"
    assert any(each["status"] == "problem" for each in found)


@pytest.mark.parametrize("by", ["--config", "PARLEY_CONFIG"])
def test_a_configuration_file_that_was_named_must_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], by: str
) -> None:
    monkeypatch.setenv("PARLEY_LOCAL_SERVERS", "false")
    path = str(tmp_path / "nowhere.toml")
    arguments = ["doctor", "--data-dir", str(tmp_path / "data")]
    if by == "--config":
        arguments += [by, path]
    else:
        monkeypatch.setenv(by, path)
    assert main(arguments) == 1
    printed = capsys.readouterr().out
    assert f"PROBLEM  configuration: {path} does not exist\n" in printed
    assert f"to fix it: name a file that exists with {by}, or leave {by} out" in printed


@pytest.mark.parametrize(
    ("setting", "level", "status", "words"),
    [
        ("auto", "landlock", "ok", "landlock: "),
        ("auto", "none", "note", "no sandbox works"),
        ("require", "none", "problem", "no sandbox works"),
        ("off", "none", "note", "switched off"),
    ],
)
def test_what_confines_commands_is_tried_out_and_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    level: str,
    status: str,
    words: str,
) -> None:
    found = tuple(each for each in available(True) if each.level == level)
    monkeypatch.setattr(sandbox, "available", lambda network: found)
    finding = examined(tmp_path, PARLEY_SANDBOX=setting)["sandbox"]
    assert finding.status == status
    assert words in finding.text
