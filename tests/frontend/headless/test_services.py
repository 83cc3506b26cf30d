"""Files and commands for agents, within the folders and the rules."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from parley.client.roots import Roots
from parley.errors import InvalidParams, ResourceNotFound
from parley.frontend.headless.rules import Rules, parse_rule
from parley.frontend.headless.services import RuledFiles, RuledTerminals

T = TypeVar("T")


def rules(*deny: str) -> Rules:
    return Rules(deny=tuple(parse_rule(text, "--deny") for text in deny))


def done(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 5))


def test_files_within_the_folders_are_read_and_written(tmp_path: Path) -> None:
    async def scenario() -> str:
        files = RuledFiles(Roots([tmp_path]), rules())
        await files.write("s", str(tmp_path / "a"), "one\ntwo\n")
        return await files.read("s", str(tmp_path / "a"), line=2)

    assert done(scenario()) == "two\n"


def test_what_is_outside_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        await RuledFiles(Roots([tmp_path / "in"]), rules()).read("s", str(tmp_path / "a"))

    with pytest.raises(InvalidParams, match="outside"):
        done(scenario())


def test_what_a_rule_forbids_is_refused_also_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "secret")

    async def read(path: Path) -> str:
        files = RuledFiles(Roots([tmp_path]), rules("read:secret", "edit"))
        return await files.read("s", str(path))

    async def write() -> None:
        files = RuledFiles(Roots([tmp_path]), rules("edit"))
        await files.write("s", str(tmp_path / "b"), "x")

    for work in (read(tmp_path / "secret" / "a"), read(tmp_path / "link" / "a"), write()):
        with pytest.raises(InvalidParams, match="the user has forbidden"):
            done(work)
    assert not (tmp_path / "b").exists()


def test_a_file_that_is_missing_is_an_error_for_all_but_those_who_need_a_text(
    tmp_path: Path,
) -> None:
    async def read(name: str | None) -> str:
        files = RuledFiles(Roots([tmp_path]), rules(), lambda: name)
        return await files.read("s", str(tmp_path / "new"))

    for name in (None, "somebody"):
        with pytest.raises(ResourceNotFound):
            done(read(name))
    assert done(read("gemini-cli")) == ""


def test_who_needs_a_text_is_still_refused_what_a_rule_forbids(tmp_path: Path) -> None:
    async def read() -> str:
        files = RuledFiles(Roots([tmp_path]), rules("read"), lambda: "gemini-cli")
        return await files.read("s", str(tmp_path / "new"))

    with pytest.raises(InvalidParams, match="forbidden"):
        done(read())


def test_commands_run_unless_a_rule_forbids_them(tmp_path: Path) -> None:
    async def scenario() -> str:
        terminals = RuledTerminals(Roots([tmp_path]), rules("bash:rm *"))
        async with await terminals.create("s", "echo", ("hi",)) as terminal:
            await terminal.wait()
            text = (await terminal.output()).text
        for command, args in (("rm", ("x",)), ("bash", ("-c", "ls; rm x")), ("rm x", ())):
            with pytest.raises(InvalidParams, match="forbidden"):
                await terminals.create("s", command, args)
        return text

    assert done(scenario()) == "hi\n"
