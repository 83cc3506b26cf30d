"""The hostile suite against the coding agent: no input ends it, and every answer is the right one.

A sample runs here; `PARLEY_HOSTILE_ALL=1` runs every case, and `PARLEY_FUZZ` sets how many mutated
messages there are.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.agent.hostile_agent import HostileTarget, adapted
from tests.hostile import envelopes, framing, sizes, types
from tests.hostile.case import Case, perform
from tests.hostile.mutation import changed_structure, expected_ids, flipped_bytes
from tests.hostile.raw_client import NEW_SESSION, line, prompt_params

ALL = bool(os.environ.get("PARLEY_HOSTILE_ALL"))
INPUTS = int(os.environ.get("PARLEY_FUZZ", "600"))
STEP = 1 if ALL else 4
# A second `initialize` is refused where sessions are open, so these have an agent of their own.
FIRST = types.INITIALIZE[:: 1 if ALL else 6]
CASES = [*framing.CASES, *envelopes.CASES, *types.NEW, *types.PROMPT][::STEP]
LARGE = sizes.CASES if ALL else []


@pytest.fixture(scope="module", params=[1, 2])
def target(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[HostileTarget]:
    version: int = request.param
    with HostileTarget(tmp_path_factory.mktemp("home"), version, [*CASES, *LARGE]) as agent:
        agent.initialize()
        yield agent


@pytest.mark.timeout(300)
@pytest.mark.parametrize("each", [*CASES, *LARGE], ids=lambda each: each.name)
def test_the_agent_survives(each: Case, target: HostileTarget) -> None:
    wanted = adapted(each, target.version)
    if wanted is not None and target.version in wanted.versions:
        target.renew()
        perform(target, wanted)


@pytest.mark.parametrize("each", FIRST, ids=lambda each: each.name)
def test_the_agent_survives_a_bad_beginning(each: Case, tmp_path: Path) -> None:
    with HostileTarget(tmp_path, each.versions[0]) as agent:
        agent.initialize()
        wanted = adapted(each, agent.version)
        assert wanted is not None
        # The agent loads most of itself behind its first answer.
        perform(agent, replace(wanted, megabytes=64))
        assert agent.leave() == 0


@pytest.mark.parametrize("version", [1, 2])
def test_every_mutation_gets_its_answers(version: int, tmp_path: Path) -> None:
    random = Random(version)
    with HostileTarget(tmp_path, version) as agent:
        agent.initialize()
        for _ in range(0, INPUTS, 100):
            kinds = (flipped_bytes, changed_structure)
            data = b"".join(random.choice(kinds)(random, version) for _ in range(100))
            wanted = Counter(expected_ids(data))
            agent.send([data])
            agent.pump(lambda wanted=wanted: len(agent.answers) >= wanted.total())
            agent.fence()
            assert Counter(json.dumps(each["id"]) for each in agent.answers) == wanted
            agent.forget()
        assert agent.leave() == 0


@pytest.mark.parametrize("version", [1, 2])
def test_a_client_that_does_not_read_costs_no_memory_and_misses_nothing(
    version: int, tmp_path: Path
) -> None:
    count = 20_000
    with HostileTarget(tmp_path, version) as agent:
        agent.initialize()
        agent.renew()
        agent.fence()
        before = agent.gauge.forget_peak()
        agent.send([line(1, "session/prompt", prompt_params("s", f"stream {count}"))])
        agent.pump(lambda: agent.chunks_told > 0)
        agent.reading = False
        spent = -1.0
        while (now := agent.gauge.processor_seconds()) > spent:
            # It works until nothing of what it says fits anywhere any more.
            spent = now
            sleep(0.2)
        assert agent.gauge.peak() - before <= 48
        agent.reading = True
        agent.pump(lambda: bool(agent.answers) and agent.chunks_told >= count)
        assert agent.chunks_told == count
        assert agent.leave() == 0


@pytest.mark.parametrize("version", [1, 2])
def test_ids_that_look_like_paths_name_no_session(version: int, tmp_path: Path) -> None:
    odd = ["../../x", "/etc/passwd", "..", "", "\0", "a/b", "%2e%2e", "~", "\n", "x" * 100_000]
    with HostileTarget(tmp_path, version) as agent:
        agent.initialize()
        for method in ("session/load", "session/resume", "session/prompt", "session/delete"):
            params = [NEW_SESSION | prompt_params(id_, "x") for id_ in odd]
            agent.send(line(number, method, each) for number, each in enumerate(params))
            agent.pump(lambda: len(agent.answers) >= len(odd))
            agent.fence()
            assert sorted(each["id"] for each in agent.answers) == list(range(len(odd)))
            # What is not there may be deleted.
            assert method == "session/delete" or all("error" in each for each in agent.answers)
            agent.forget()
        assert {each.name for each in tmp_path.iterdir()} == {"script.json", ".local"}
        assert agent.leave() == 0
