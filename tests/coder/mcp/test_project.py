"""Servers that a project names: what is agreed to, and what is started."""

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from parley.coder.mcp.project import FILE, MOST_SERVERS, ProjectServers
from parley.coder.trust.content import Content
from parley.session.role import HttpServer, McpServer, StdioServer

SERVER: dict[str, Any] = {"command": "node", "args": ["tools/server.js", "--port=1"]}


class Checkout:
    """A project, with a `node` that is installed outside of it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        (self.root / "tools").mkdir(parents=True)
        (self.root / "tools" / "server.js").write_text("serve()")
        self.node = folder / "bin" / "node"
        self.node.parent.mkdir()
        self.node.write_text("#!/bin/sh\n")
        self.node.chmod(0o755)
        self.search = str(self.node.parent)
        """The search path without the folders of the project."""
        self.started: list[McpServer] = []
        self.still: Callable[[McpServer], bool] | None = None
        self.servers = self.opened()

    def opened(self) -> ProjectServers:
        path = f".:{self.root}:{self.node.parent}"
        return ProjectServers([str(self.root)], self._start, path)

    def write(self, **servers: Any) -> None:
        (self.root / FILE).write_text(json.dumps({"mcpServers": servers}))

    def content(self, **servers: Any) -> Content:
        """The only one that is found."""
        if servers:
            self.write(**servers)
        found = self.servers.found()
        assert found.problems == ()
        (content,) = found.contents
        return content

    def problem(self, **servers: Any) -> str:
        self.write(**servers)
        found = self.servers.found()
        assert found.contents == ()
        (problem,) = found.problems
        return problem

    def _start(self, servers: Sequence[McpServer], still: Callable[[McpServer], bool]) -> None:
        self.started += servers
        self.still = still


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_whole_command_is_shown_and_nothing_is_started(checkout: Checkout) -> None:
    long = "x" * 5000
    content = checkout.content(docs={**SERVER, "env": {"TOKEN": long}})
    assert (content.kind, content.name, content.path) == ("MCP server", "docs", FILE)
    assert content.root == str(checkout.root)
    assert f'["node","{checkout.root}/tools/server.js","--port=1"]' in content.shown
    assert f'{{"TOKEN":"{long}"}}' in content.shown
    assert 'It names "tools/server.js", 7 bytes; a change of it asks again.' in content.shown
    assert "no sandbox" in content.shown
    assert checkout.started == []


@pytest.mark.parametrize(
    "change",
    [
        {"command": "/usr/bin/node"},
        {"args": ["tools/server.js", "--port=2"]},
        {"args": ["tools/server.js"]},
        {"args": ["tools/server.js", "--port=1", ""]},
        {"env": {"LD_PRELOAD": "x.so"}},
    ],
)
def test_every_change_of_the_command_changes_the_digest(
    checkout: Checkout, change: dict[str, Any]
) -> None:
    before = checkout.content(docs=SERVER)
    after = checkout.content(docs={**SERVER, **change})
    assert before.place == after.place
    assert before.digest != after.digest


def test_every_change_of_an_address_changes_the_digest(checkout: Checkout) -> None:
    forms: list[dict[str, Any]] = [
        {"url": "https://example.org/mcp"},
        {"url": "https://example.org/mcp2"},
        {"url": "https://example.org/mcp", "headers": {"A": "b"}},
        {"url": "https://example.org/mcp", "headers": {"A": "c"}},
        {"url": "https://example.org/mcp", "type": "sse"},
    ]
    assert len({checkout.content(docs=form).digest for form in forms}) == len(forms)


def test_what_a_named_file_holds_is_part_of_the_agreement(checkout: Checkout) -> None:
    before = checkout.content(docs=SERVER)
    assert checkout.content().digest == before.digest
    (checkout.root / "tools" / "server.js").write_text("steal()")
    assert checkout.content().digest != before.digest
    (checkout.root / "tools" / "server.js").write_text("serve()")
    assert checkout.content().digest == before.digest
    (checkout.root / "--port=1").write_text("not there before")
    assert checkout.content().digest != before.digest


def test_members_that_mean_nothing_here_change_nothing(checkout: Checkout) -> None:
    more = {**SERVER, "autoApprove": ["*"], "alwaysAllow": True, "cwd": "/", "disabled": False}
    assert checkout.content(docs=SERVER) == checkout.content(docs=more)


def test_a_trusted_server_is_started_once_with_a_program_from_outside(checkout: Checkout) -> None:
    bait = checkout.root / "node"
    bait.write_text("#!/bin/sh\n")
    bait.chmod(0o755)
    content = checkout.content(docs={**SERVER, "env": {"A": "b"}})
    checkout.servers.adopt([content])
    checkout.servers.found()
    checkout.servers.adopt([content])
    script = f"{checkout.root}/tools/server.js"
    env = {"PATH": checkout.search, "A": "b"}
    assert checkout.started == [StdioServer("docs", str(checkout.node), (script, "--port=1"), env)]


def test_a_program_of_the_project_is_named_by_its_whole_path(checkout: Checkout) -> None:
    content = checkout.content(docs={"command": "./tools/server.js", "args": ["tools", "node"]})
    assert f'["{checkout.root}/tools/server.js","tools","node"]' in content.shown
    assert 'It names the folder "tools"' in content.shown
    checkout.servers.adopt([content])
    command = f"{checkout.root}/tools/server.js"
    env = {"PATH": checkout.search}
    assert checkout.started == [StdioServer("docs", command, ("tools", "node"), env)]


def test_a_link_out_of_the_project_is_shown_with_its_target(checkout: Checkout) -> None:
    (checkout.root / "out").symlink_to("/bin/sh")
    content = checkout.content(docs={"command": "./out"})
    assert f'It names "out", which leads to "{os.path.realpath("/bin/sh")}".' in content.shown


def test_addresses_are_started_as_they_stand(checkout: Checkout) -> None:
    table = {"type": "http", "url": "https://example.org/${HOST}", "headers": {"K": "${KEY}"}}
    content = checkout.content(docs=table)
    assert '"https://example.org/${HOST}"' in content.shown
    assert '{"K":"${KEY}"}' in content.shown
    checkout.servers.adopt([content])
    expected = HttpServer("docs", "https://example.org/${HOST}", (("K", "${KEY}"),))
    assert checkout.started == [expected]


def test_variables_are_not_replaced(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "value-of-it")
    args = ["${SECRET}", "$SECRET", "${SECRET:-x}", "~"]
    content = checkout.content(docs={"command": "node", "args": args, "env": {"A": "${SECRET}"}})
    assert "are not replaced" in content.shown
    checkout.servers.adopt([content])
    env = {"PATH": checkout.search, "A": "${SECRET}"}
    assert checkout.started == [StdioServer("docs", str(checkout.node), tuple(args), env)]


def test_a_search_path_that_was_agreed_to_is_used(checkout: Checkout) -> None:
    content = checkout.content(docs={"command": "node", "env": {"PATH": "tools"}})
    assert '{"PATH":"tools"}' in content.shown
    checkout.servers.adopt([content])
    assert checkout.started == [StdioServer("docs", str(checkout.node), (), {"PATH": "tools"})]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({}, "either"),
        (None, "object"),
        ({"command": "node", "url": "https://example.org"}, "either"),
        ({"command": 1}, "str"),
        ({"command": "node", "args": "x"}, "array"),
        ({"command": "node", "args": [1]}, "str"),
        ({"command": "node", "env": {"A": 1}}, "str"),
        ({"command": "node", "env": {"A=B": "x"}}, "impossible"),
        ({"command": ""}, "empty"),
        ({"command": "no\0de"}, "character"),
        ({"command": "node", "args": ["\0"]}, "character"),
        ({"command": "no-such-program-anywhere"}, "not installed outside"),
        ({"url": "file:///etc/passwd"}, "no address"),
        ({"url": "https://["}, "Invalid"),
        ({"url": "https://"}, "no address"),
    ],
)
def test_what_makes_no_sense_is_left_out_and_named(
    checkout: Checkout, table: Any, why: str
) -> None:
    said = checkout.problem(**{"a\x1b[2K": table})
    assert "`a\\u001b[2K` of `.mcp.json` cannot be used" in said
    assert why in said


def test_a_server_that_names_a_pipe_is_left_out(checkout: Checkout) -> None:
    os.mkfifo(checkout.root / "pipe")
    assert "no file" in checkout.problem(docs={"command": "node", "args": ["./pipe"]})


def test_a_good_server_does_not_suffer_from_a_bad_one(checkout: Checkout) -> None:
    checkout.write(bad={}, docs=SERVER)
    found = checkout.servers.found()
    assert [each.name for each in found.contents] == ["docs"]
    assert len(found.problems) == 1


def test_there_is_a_limit_to_how_many_can_be_used(checkout: Checkout) -> None:
    checkout.write(**{f"s{number}": {"command": "node"} for number in range(MOST_SERVERS + 1)})
    found = checkout.servers.found()
    assert len(found.contents) == MOST_SERVERS
    assert found.problems == ("Only 32 MCP servers of `.mcp.json` can be used.",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "it is no JSON: "),
        ('{\n  "mcpServers": {},\n}', "it is no JSON: line 3: "),
        ("[" * 60_000, "it is nested too deeply"),
        (f'{{"mcpServers":{{"{"x" * 100_000}":{{}}}}}}', "it has more than 65536 bytes"),
        ('{"mcpServers": "\\ud800"}', "it is no JSON: "),
    ],
)
def test_a_file_that_is_not_understood_is_reported(checkout: Checkout, text: str, why: str) -> None:
    (checkout.root / FILE).write_text(text)
    found = checkout.servers.found()
    assert found.contents == ()
    assert f"cannot be read, so it is not used: {why}" in found.problems[0]


@pytest.mark.parametrize("text", ["{}", "[]", '{"mcpServers": []}', '\ufeff{"mcpServers": {}}'])
def test_a_file_without_servers_is_not_worth_a_word(checkout: Checkout, text: str) -> None:
    (checkout.root / FILE).write_text(text)
    found = checkout.servers.found()
    assert (found.contents, found.problems) == ((), ())


def test_what_is_no_plain_file_is_not_opened(checkout: Checkout) -> None:
    path = checkout.root / FILE
    assert checkout.servers.found().problems == ()
    real = checkout.root / "real"
    real.write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    makes = (os.mkfifo, os.mkdir, partial(os.symlink, real), partial(os.symlink, path))
    for make, why in zip(makes, ["not a file", "not a file", "a link", "a link"], strict=True):
        make(path)
        found = checkout.servers.found()
        assert found.contents == ()
        assert f"cannot be read, so it is not used: it is {why}." in found.problems[0]
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()


def test_a_server_that_changed_at_the_last_moment_is_not_started(checkout: Checkout) -> None:
    content = checkout.content(docs=SERVER)
    checkout.servers.adopt([content])
    (server,) = checkout.started
    assert checkout.still is not None
    assert checkout.still(server)
    (checkout.root / "tools" / "server.js").write_text("steal()")
    assert not checkout.still(server)
    (checkout.root / "tools" / "server.js").unlink()
    os.mkfifo(checkout.root / "tools" / "server.js")
    assert not checkout.still(server)


def test_a_server_that_was_not_started_can_be_used_in_another_form(checkout: Checkout) -> None:
    checkout.servers.adopt([checkout.content(docs=SERVER)])
    (checkout.root / "tools" / "server.js").write_text("better()")
    assert checkout.still is not None
    assert not checkout.still(checkout.started[0])
    after = checkout.content()
    assert checkout.servers.adopt([after]) == [after]
    assert len(checkout.started) == 2


def test_what_only_an_earlier_look_has_found_is_not_started(checkout: Checkout) -> None:
    before = checkout.content(docs=SERVER)
    checkout.content(docs={**SERVER, "args": []})
    assert checkout.servers.adopt([before]) == []
    assert checkout.started == []
