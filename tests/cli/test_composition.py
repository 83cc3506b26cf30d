"""The agent is put together as its configuration says, also when that is read again."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parley.cli.composition import Composition, rules_of, sandbox_of, settings_of, tools
from parley.coder.config import Config, load
from parley.coder.providers.choice import choose
from parley.coder.runtime import Runtime
from parley.coder.settings import CoderSettings, SubagentLimits
from parley.coder.vendors import LocalServer
from parley.errors import AuthRequired, MethodNotFound

BOUND = 5


def configured(folder: Path, text: str = "", **environ: str) -> Config:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    return load({"HOME": str(folder), "PARLEY_CONFIG": str(path), **environ})


def settings(config: Config) -> CoderSettings:
    return settings_of(config, choose(config), rules_of(config)[1])


def test_every_tool_has_its_own_name() -> None:
    names = [tool.spec.name for tool in tools()]
    assert len(set(names)) == len(names)
    wanted = {"read_file", "list_files", "glob", "grep", "write_file", "edit_file", "bash"}
    others = {"web_fetch", "todo", "bash_output", "stop_job", "recall", "agent"}
    assert wanted | others == set(names)


def test_the_settings_are_those_of_the_configuration(tmp_path: Path) -> None:
    text = """
        [agent]
        mode = 'plan'
        thought_level = 'low'
        prompt_size = 'small'
        budget = 3
        max_requests = 9
        retry_seconds = 0
    """
    found = settings(configured(tmp_path, text, OPENAI_API_KEY="k"))
    assert (found.mode, found.thought_level, found.prompt_size) == ("plan", "low", "small")
    assert (found.budget, found.max_requests, found.retry.total) == (3.0, 9, 0.0)
    assert (found.default_model, found.hint, found.warnings) == ("openai/gpt-5", "", ())


def test_the_limits_of_sub_agents_are_those_of_the_configuration(tmp_path: Path) -> None:
    assert settings(configured(tmp_path)).subagents == SubagentLimits(4, 50, 2_000_000)
    text = "[agent]\nsubagents = 2\nsubagent_requests = 7\n"
    found = settings(configured(tmp_path, text, PARLEY_SUBAGENT_TOKENS="900"))
    assert found.subagents == SubagentLimits(2, 7, 900)


def test_the_instructions_of_the_user_stand_beside_the_configuration(tmp_path: Path) -> None:
    assert settings(configured(tmp_path)).instructions == ""
    (tmp_path / "AGENTS.md").write_text("Answer in rhymes.\n")
    assert settings(configured(tmp_path)).instructions == "Answer in rhymes."


def test_the_sandbox_hides_the_files_of_the_agent_and_keys_that_are_not_let_through(
    tmp_path: Path,
) -> None:
    text = '[agent]\nsandbox = "require"\nnetwork = false\nreadable = ["~/.ssh"]\n'
    config = configured(tmp_path, text + 'writable = ["~/cache", "relative"]\n')
    made = sandbox_of(config)
    assert made.setting == "require"
    assert not settings(config).network
    limits = made.limits((str(tmp_path / "project"),), network=True, protected=True)
    home = os.path.expanduser("~")
    assert {str(config.folders.data), f"{home}/.aws"} <= set(limits.hidden)
    assert str(config.folders.config) in limits.hidden
    assert f"{home}/.ssh" not in limits.hidden
    assert f"{home}/cache" in limits.writable
    caches = config.folders.data.with_name(f"{config.folders.data.name}-caches")
    assert str(caches) in limits.writable
    assert settings(config).environment["npm_config_cache"] == f"{caches}/npm"
    off = configured(tmp_path, '[agent]\nsandbox = "off"\n')
    assert "npm_config_cache" not in settings(off).environment
    assert not any("relative" in path for path in limits.writable)


def test_the_whole_folder_of_the_configuration_is_kept_where_nothing_else_is_in_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "parley").mkdir()
    config = configured(tmp_path / "parley", '[agent]\nskill_folders = ["/s"]\n')
    own = sandbox_of(config).limits((str(tmp_path),), network=True, protected=False).own
    assert {str(tmp_path / "parley"), str(config.folders.data), "/s"} <= set(own)
    assert set(settings(config).own_paths) == set(map(os.path.realpath, own))
    alone = sandbox_of(configured(tmp_path)).limits((), network=True, protected=True).own
    assert str(tmp_path) not in alone
    assert {f"{tmp_path}/{name}" for name in ("rules", "commands", "skills")} <= set(alone)


def test_without_a_configuration_the_defaults_hold_and_a_hint_is_given(tmp_path: Path) -> None:
    found, default = settings(configured(tmp_path)), CoderSettings()
    assert (found.mode, found.max_requests) == (default.mode, default.max_requests)
    assert found.retry == default.retry
    assert found.hint.startswith("No model is configured")


def test_what_is_wrong_and_what_is_doubtful_becomes_a_warning(tmp_path: Path) -> None:
    config = configured(
        tmp_path,
        "[agent]\nmodle='x'",
        OPENAI_API_KEY="k",
        OPENAI_BASE_URL="http://example.org",
        GROQ_API_KEY="k",
    )
    unknown, unencrypted, several = settings(config).warnings
    assert "`agent.modle` is unknown" in unknown
    assert "unencrypted" in unencrypted
    assert "Several providers" in several


def test_rules_hold_and_one_that_cannot_be_read_leaves_those_that_forbid(tmp_path: Path) -> None:
    good = "rules=['allow bash:make', 'deny bash:rm *']\n[agent]\nmode='full-access'\n"
    rules, problems = rules_of(configured(tmp_path, good))
    assert ([rule.effect for rule in rules], problems) == (["allow", "deny"], ())
    config = configured(tmp_path, good.replace("'deny", "'maybe bash:x', 'deny"))
    rules, (problem,) = rules_of(config)
    assert [rule.effect for rule in rules] == ["deny"]
    assert problem.key == "rules[1]"
    assert settings(config).mode == "ask"


@pytest.mark.parametrize(("mode", "expected"), [("full-access", "ask"), ("plan", "plan")])
def test_where_rules_may_be_lost_nothing_goes_unasked(
    tmp_path: Path, mode: str, expected: str
) -> None:
    assert settings(configured(tmp_path, "[", PARLEY_MODE=mode)).mode == expected


@pytest.mark.parametrize(
    "hook",
    [
        '[[hooks.before_tool]]\ntools=["bsh"]\ncommand="false"',
        '[[hook.before_tool]]\ncommand="false"',
        '[[agent.hooks.before_tool]]\ncommand="false"',
        '[[hooks.before_tools]]\ncommand="false"',
    ],
)
def test_where_a_hook_may_be_lost_nothing_goes_unasked(tmp_path: Path, hook: str) -> None:
    config = configured(tmp_path, f"{hook}\n", PARLEY_MODE="full-access")
    assert settings(config).mode == "ask"


@asynccontextmanager
async def model_server(*models: str) -> AsyncGenerator[LocalServer, None]:
    body = json.dumps({"data": [{"id": model} for model in models]}).encode()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + body)
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as listening:
        yield LocalServer("local", "Local", listening.sockets[0].getsockname()[1])


def play(
    config: Config,
    scenario: Callable[[Runtime], Awaitable[None]],
    *,
    later: Config | None = None,
    models: tuple[str, ...] = (),
) -> None:
    """Put an agent together, beside a server with models if there are any."""

    async def with_servers(*servers: LocalServer) -> None:
        composition = Composition(config, choose(config), lambda: later or config, servers)
        runtime = composition.runtime()
        async with asyncio.timeout(BOUND):
            await scenario(runtime)
        await runtime.aclose()

    async def whole() -> None:
        if not models:
            await with_servers()
            return
        async with model_server(*models) as server:
            await with_servers(server)

    asyncio.run(whole())


def test_a_configured_agent_looks_for_nothing_and_offers_no_login(tmp_path: Path) -> None:
    async def scenario(runtime: Runtime) -> None:
        assert (runtime.discover, runtime.logins) == (None, ())

    play(configured(tmp_path, OPENAI_API_KEY="k"), scenario)


def test_a_provider_that_is_named_and_missing_can_be_logged_in_to(tmp_path: Path) -> None:
    async def scenario(runtime: Runtime) -> None:
        assert runtime.discover is None
        assert runtime.logins
        assert runtime.settings.hint
        assert runtime.login is not None
        with pytest.raises(AuthRequired, match="set OPENAI_API_KEY"):
            await runtime.login("recheck")

    play(configured(tmp_path, PARLEY_PROVIDER="openai"), scenario, models=("a",))


@pytest.mark.parametrize(("wanted", "model"), [("", "local/a"), ("b", "local/b"), ("c", "local/a")])
def test_a_local_server_is_used_when_nothing_is_configured(
    tmp_path: Path, wanted: str, model: str
) -> None:
    async def scenario(runtime: Runtime) -> None:
        assert runtime.settings.default_model == "offline/commands"
        assert runtime.discover is not None
        await runtime.discover()
        assert (runtime.settings.default_model, runtime.settings.hint) == (model, "")
        assert list(runtime.catalogue.providers) == ["local"]

    play(configured(tmp_path, PARLEY_MODEL=wanted), scenario, models=("a", "b"))


def test_looking_for_local_servers_can_be_switched_off(tmp_path: Path) -> None:
    async def scenario(runtime: Runtime) -> None:
        assert runtime.discover is not None
        await runtime.discover()
        assert runtime.settings.default_model == "offline/commands"

    config = configured(tmp_path, "[agent]\nlocal_servers=false\n")
    play(config, scenario, models=("a",))


def test_looking_again_uses_what_was_configured_meanwhile(tmp_path: Path) -> None:
    async def scenario(runtime: Runtime) -> None:
        assert runtime.login is not None
        await runtime.login("recheck")
        assert runtime.settings.default_model == "openai/gpt-5"
        assert runtime.logins

    before, later = configured(tmp_path), configured(tmp_path, OPENAI_API_KEY="k")
    play(before, scenario, later=later)


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": "k"}])
def test_who_can_log_in_can_log_out(tmp_path: Path, environ: dict[str, str]) -> None:
    before, later = configured(tmp_path, **environ), configured(tmp_path, OPENAI_API_KEY="k")

    async def scenario() -> None:
        composition = Composition(before, choose(before), lambda: later, ())
        runtime = composition.runtime()
        application = composition.application(runtime)
        if environ:
            with pytest.raises(MethodNotFound):
                await application.logout()
        else:
            await application.login("recheck")
            assert runtime.settings.default_model == "openai/gpt-5"
            await application.logout()
            assert runtime.settings.default_model == "offline/commands"
            assert runtime.settings.hint
        await application.aclose()
        await runtime.aclose()

    asyncio.run(scenario())


def test_looking_again_finds_a_server_that_was_started_meanwhile(tmp_path: Path) -> None:
    async def scenario(runtime: Runtime) -> None:
        assert runtime.login is not None
        await runtime.login("recheck")
        assert runtime.settings.default_model == "local/a"

    play(configured(tmp_path), scenario, models=("a",))


def test_looking_again_in_vain_says_how_to_configure_a_model(tmp_path: Path) -> None:
    async def scenario(runtime: Runtime) -> None:
        assert runtime.login is not None
        with pytest.raises(AuthRequired, match="ANTHROPIC_API_KEY"):
            await runtime.login("recheck")

    play(configured(tmp_path), scenario)
