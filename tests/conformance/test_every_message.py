"""The scenarios that come with the package play every message, and play it right."""

import asyncio
from collections.abc import Iterable
from functools import cache

import pytest

from parley.conformance.player_report import Report
from parley.conformance.scenario_files import load_scenario, scenario_names
from parley.conformance.wire_check import METHODS, update_variants
from tests.conformance.staging import duet
from tests.conformance.wire_facts import Said, problems_with, said_in

DUETS = sorted(
    name.removesuffix("-agent")
    for name in scenario_names()
    if f"{name.removesuffix('-agent')}-client" in scenario_names() and name.endswith("-agent")
)


@cache
def reports(name: str) -> tuple[Report, Report]:
    agent, client = load_scenario(f"{name}-agent"), load_scenario(f"{name}-client")
    return asyncio.run(duet(agent, client))


def everything_said(version: int) -> Iterable[Said]:
    for name in DUETS:
        for report in reports(name):
            yield from (said for said in said_in(report) if said.version == version)


@pytest.mark.parametrize("name", DUETS)
def test_a_scripted_agent_and_a_scripted_client_play_to_each_other(name: str) -> None:
    for report in reports(name):
        report.check()
        assert report.unexpected == ()


@pytest.mark.parametrize("version", [1, 2])
def test_every_method_is_played_and_every_request_answered(version: int) -> None:
    played = {(said.method, said.kind) for said in everything_said(version)}
    wanted = {(row.name, row.kind) for row in METHODS[version]}
    wanted |= {(row.name, "result") for row in METHODS[version] if row.kind == "request"}
    assert wanted - played == set()
    assert played - wanted == set()


@pytest.mark.parametrize("version", [1, 2])
def test_both_sides_cancel_a_request(version: int) -> None:
    senders = {s.sender for s in everything_said(version) if s.method == "$/cancel_request"}
    assert senders == {"agent", "client"}


@pytest.mark.parametrize("version", [1, 2])
def test_every_variant_of_an_update_is_played(version: int) -> None:
    played = {
        said.payload["update"]["sessionUpdate"]
        for said in everything_said(version)
        if said.method == "session/update"
    }
    assert played == update_variants(version)


@pytest.mark.parametrize("version", [1, 2])
def test_all_that_is_played_satisfies_the_schema(version: int) -> None:
    found = [
        (said, problems) for said in everything_said(version) if (problems := problems_with(said))
    ]
    assert found == []


def test_the_judge_sees_a_message_that_does_not() -> None:
    bad = Said(1, "agent", "notification", "session/update", {"sessionId": 5, "update": {}})
    assert problems_with(bad) != []
    assert problems_with(Said(2, "client", "result", "elicitation/create", {"action": 1})) != []
