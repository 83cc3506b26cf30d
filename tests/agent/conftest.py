"""Agents that play the script of the test module, in both versions or in one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.stage import Stage, staged
from tests.cli.raw_agent import allow


def _started(request: pytest.FixtureRequest, home: Path, version: int) -> Iterator[Stage]:
    with staged(request.module.SCRIPT, home, version) as stage:
        yield stage


@pytest.fixture(scope="module")
def process_v1(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    yield from _started(request, tmp_path_factory.mktemp("v1"), 1)


@pytest.fixture(scope="module")
def process_v2(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    yield from _started(request, tmp_path_factory.mktemp("v2"), 2)


@pytest.fixture
def agent_v1(process_v1: Stage) -> Stage:
    process_v1.client.answers = allow
    return process_v1


@pytest.fixture
def agent_v2(process_v2: Stage) -> Stage:
    process_v2.client.answers = allow
    return process_v2


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def agent(request: pytest.FixtureRequest) -> Stage:
    """One agent per version; the test runs on both."""
    return request.getfixturevalue(f"agent_v{request.param}")


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def version(request: pytest.FixtureRequest) -> int:
    """For a test that starts processes of its own, in both versions."""
    return request.param
