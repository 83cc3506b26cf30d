"""The life of the agent's process: killed, taken over, ended, and never missed.

The whole campaigns are `bench.agent_kills`, `bench.agent_takeovers` and `bench.agent_endings`;
these are short forms of them.
"""

from pathlib import Path

import pytest

from bench import agent_endings, agent_kills, agent_takeovers
from bench.agent_kills import history, missing

KILLS = 12
PATIENCE = 10.0
"""Seconds. How fast it goes is measured by the commands, where nothing else runs."""
TAKEOVERS = [
    agent_takeovers.ENDINGS[0],
    agent_takeovers.ENDINGS[1],
    agent_takeovers.ENDINGS[2],
    agent_takeovers.ENDINGS[4],
]
ENDINGS = [
    (1, "command_running", "end_of_input"),
    (2, "stubborn_command_running", "sigterm"),
    (1, "job_running", "sigkill"),
    (2, "permission_open", "dead_client"),
    (1, "model_streaming", "sigint"),
    (2, "store_writing", "sighup"),
]


def test_nothing_that_a_client_was_told_is_lost_by_a_kill(tmp_path: Path) -> None:
    rounds = agent_kills.campaign(tmp_path, KILLS, seed=3, quiet=True, patience=PATIENCE)
    assert [each.problems for each in rounds] == [[]] * KILLS
    assert sum(len(each.told) for each in rounds) > 100
    assert any(each.in_turn for each in rounds)


@pytest.mark.parametrize("ending", TAKEOVERS, ids=lambda each: each.__name__.strip("_"))
def test_a_session_has_one_process_at_a_time(
    ending: agent_takeovers.Ending, tmp_path: Path
) -> None:
    taken = agent_takeovers.one_round(tmp_path, 1, ending, pause=30, within=PATIENCE)
    assert taken.problem is None


def test_of_several_that_want_a_free_session_one_gets_it(tmp_path: Path) -> None:
    assert agent_takeovers.race(tmp_path, 2).problem is None


@pytest.mark.parametrize(("version", "state", "way"), ENDINGS)
def test_the_end_takes_everything_along(version: int, state: str, way: str, tmp_path: Path) -> None:
    assert agent_endings.one_run(tmp_path, version, state, way, PATIENCE).problem is None


def test_what_is_lost_or_changed_is_noticed() -> None:
    told = [{"user": "a"}, {"sessionUpdate": "x", "text": "b"}]
    assert missing(told, [*told, {"user": "more"}]) is None
    assert missing(told, told[:1]) is not None
    assert missing(told, [told[1], told[0]]) is not None
    assert missing(told, [told[0], {**told[1], "text": "B"}]) is not None


def test_words_that_a_call_has_already_are_no_news() -> None:
    begun = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "content": [1]}
    again = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": [1]}
    more = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
    assert history([begun, again, more]) == [begun, more]
