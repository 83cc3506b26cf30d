"""Which provider is chosen, and why."""

import json
from pathlib import Path

import pytest

from parley.coder.config import load
from parley.coder.providers.choice import Choice, choose, sees_images

OPENAI = {"OPENAI_API_KEY": "k"}
ANTHROPIC = {"ANTHROPIC_API_KEY": "k"}
OPENROUTER = {"OPENROUTER_API_KEY": "k"}
GROQ = {"GROQ_API_KEY": "k"}


def chosen(folder: Path, *parts: dict[str, str], **more: str) -> Choice:
    environ = {"HOME": str(folder)}
    for part in parts:
        environ |= part
    return choose(load(environ | more))


def test_nothing_configured_means_plain_commands_and_leaves_room_for_a_local_server(
    tmp_path: Path,
) -> None:
    choice = chosen(tmp_path)
    assert (choice.model, choice.notices) == ("offline/commands", ())
    assert (choice.configured, choice.local) == (False, True)


def test_the_only_provider_is_used(tmp_path: Path) -> None:
    choice = chosen(tmp_path, OPENAI)
    assert (choice.provider, choice.notices) == ("openai", ())
    assert choice.reason == "it is the only one configured (OPENAI_API_KEY)"


def test_of_several_the_first_is_used_and_the_user_is_told(tmp_path: Path) -> None:
    choice = chosen(tmp_path, OPENAI, ANTHROPIC)
    assert choice.provider == "anthropic"
    assert "openai" in choice.notices[0]


@pytest.mark.parametrize(
    ("environ", "model", "expected"),
    [
        (OPENAI | ANTHROPIC, "openai/gpt-x", "openai/gpt-x"),
        (OPENAI | ANTHROPIC, "gpt-x", "openai/gpt-x"),
        (OPENAI | ANTHROPIC, "claude-x", "anthropic/claude-x"),
        (OPENAI, "my-own", "openai/my-own"),
        (OPENAI, "offline/commands", "offline/commands"),
        (OPENROUTER, "anthropic/claude-x", "openrouter/anthropic/claude-x"),
        (OPENROUTER | GROQ, "meta/llama", "openrouter/meta/llama"),
        (GROQ | OPENAI, "openai/gpt-oss-120b", "openai/gpt-oss-120b"),
    ],
)
def test_a_model_names_its_provider(
    tmp_path: Path, environ: dict[str, str], model: str, expected: str
) -> None:
    choice = chosen(tmp_path, environ, PARLEY_MODEL=model)
    assert (choice.model, choice.reason, choice.notices) == (expected, "chosen by PARLEY_MODEL", ())


def test_a_model_that_nobody_is_known_for_is_doubted(tmp_path: Path) -> None:
    choice = chosen(tmp_path, OPENAI, ANTHROPIC, PARLEY_MODEL="strange")
    assert choice.model == "anthropic/strange"
    assert "'strange'" in choice.notices[0]


def test_a_model_of_a_vendor_without_a_key_is_told(tmp_path: Path) -> None:
    choice = chosen(tmp_path, PARLEY_MODEL="anthropic/claude-x")
    assert (choice.provider, choice.configured, choice.local) == ("offline", False, False)
    assert "set ANTHROPIC_API_KEY" in choice.notices[0]


def test_a_model_of_nobody_may_be_one_of_a_local_server(tmp_path: Path) -> None:
    assert chosen(tmp_path, PARLEY_MODEL="llama3").local


@pytest.mark.parametrize(
    ("environ", "provider", "model", "expected"),
    [
        (OPENAI | ANTHROPIC, "openai", None, "openai/gpt-5"),
        (OPENAI | ANTHROPIC, "openai", "x", "openai/x"),
        (OPENAI | ANTHROPIC, "openai", "openai/x", "openai/x"),
        (OPENAI, "offline", None, "offline/commands"),
        ({}, "scripted", None, "scripted/"),
    ],
)
def test_a_named_provider_is_used(
    tmp_path: Path, environ: dict[str, str], provider: str, model: str | None, expected: str
) -> None:
    more = {} if model is None else {"PARLEY_MODEL": model}
    choice = chosen(tmp_path, environ, PARLEY_PROVIDER=provider, **more)
    assert (choice.model, choice.notices) == (expected, ())


@pytest.mark.parametrize(
    ("name", "fix"), [("anthropic", "set ANTHROPIC_API_KEY"), ("mine", "[providers.mine]")]
)
def test_a_named_provider_that_is_missing_is_not_replaced_by_another(
    tmp_path: Path, name: str, fix: str
) -> None:
    choice = chosen(tmp_path, OPENAI, PARLEY_PROVIDER=name)
    assert (choice.model, choice.configured, choice.local) == ("offline/commands", False, False)
    assert fix in choice.notices[0]


def test_whether_the_model_can_see_is_known_before_it_is_asked(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    script = tmp_path / "s.json"
    script.write_text(json.dumps({"models": [{"id": "m", "images": True}], "answers": []}))
    for environ, sees in (
        ({}, False),
        (ANTHROPIC, True),
        ({"PARLEY_PROVIDER": "scripted", "PARLEY_SCRIPT": str(script)}, True),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, True),
        ({"OPENAI_API_KEY": "k", "PARLEY_MODEL": "unheard-of"}, False),
    ):
        config = load(home | environ)
        assert sees_images(config, choose(config)) is sees
