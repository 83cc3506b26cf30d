"""What was recorded once is played again, with new ids."""

import asyncio
from pathlib import Path

import pytest

from parley.conformance.player_driver import play
from parley.conformance.recording import Recorded, from_tap, load_recording, to_scenario
from parley.conformance.scenario import Answer, Ignore, Notify, Receive, Request, ScenarioError
from parley.conformance.scenario_files import load_scenario
from parley.rpc.transport import Oversize
from parley.transport.memory import memory_pair
from parley.transport.tap import TappedFrame, TapTransport
from tests.conformance.staging import BOUND_SECONDS, duet

FIXTURE = Path(__file__).parents[1] / "fixtures" / "recording.json"


def test_a_recording_is_played_by_both_of_its_sides_to_each_other() -> None:
    recording = load_recording(FIXTURE)
    agent = to_scenario(recording, "agent")
    client = to_scenario(recording, "client")
    said, heard = asyncio.run(duet(agent, client))
    said.check()
    heard.check()
    assert len(said.sent) == len([each for each in recording if each.sender == "agent"])
    assert not any(b"abc-123" in frame for frame in (*said.sent, *heard.sent))
    assert any(b"replayed-session-1" in frame for frame in heard.sent)
    assert any(b"costs ${money}" in frame for frame in said.sent)


def test_what_a_recorded_agent_did_wrong_is_marked_as_a_fault() -> None:
    steps = to_scenario(load_recording(FIXTURE)).steps
    assert [step.fault for step in steps if isinstance(step, Answer)] == [
        None, None, "wrong_shape", None,
    ]  # fmt: skip


def test_an_answer_stands_before_the_request_that_another_client_would_send_behind_it() -> None:
    """The recorded client did not wait for the answer to `initialize`; others do."""
    steps = to_scenario(load_recording(FIXTURE)).steps
    order = [
        step.method if isinstance(step, Receive) else step.to
        for step in steps
        if isinstance(step, Receive | Answer)
    ]
    assert order[:4] == ["initialize", "request 0", "session/new", "request 1"]


def test_a_request_that_was_never_answered_is_ignored_again() -> None:
    steps = to_scenario(load_recording(FIXTURE)).steps
    assert [step.to for step in steps if isinstance(step, Ignore)] == ["request 4"]


def test_a_session_that_the_client_names_is_taken_from_what_it_says() -> None:
    steps = to_scenario(load_recording(FIXTURE)).steps
    load = next(s for s in steps if isinstance(s, Receive) and s.method == "session/load")
    assert load.save == {"session_2": "/sessionId"}
    last = [step for step in steps if isinstance(step, Notify)][-1]
    assert last.params["sessionId"] == "${session_2}"


def test_our_own_tap_makes_a_recording() -> None:
    taped: list[TappedFrame] = []

    async def run() -> None:
        near, far = memory_pair()
        agent, client = load_scenario("v2/turn-agent"), load_scenario("v2/turn-client")
        async with asyncio.timeout(BOUND_SECONDS):
            await asyncio.gather(play(agent, TapTransport(far, taped.append)), play(client, near))

    asyncio.run(run())
    recording = from_tap([*taped, TappedFrame(0, "in", Oversize(9, b"", 8))], "agent")
    assert len(recording) == len(taped)
    agent, client = to_scenario(recording, "agent"), to_scenario(recording, "client")
    assert (agent.protocol, client.protocol) == (2, 2)
    for report in asyncio.run(duet(agent, client)):
        report.check()


def test_frames_that_are_no_messages_are_said_again_and_not_expected() -> None:
    recording = [Recorded("agent", b"noise"), Recorded("client", b"noise"), Recorded("agent", b" ")]
    assert len(to_scenario(recording, "agent").steps) == 1
    assert len(to_scenario(recording, "client").steps) == 1
    assert to_scenario([]).protocol == 1


def test_an_answer_to_nothing_is_left_out() -> None:
    stray = b'{"jsonrpc":"2.0","id":9,"result":{}}'
    assert to_scenario([Recorded("agent", stray)], "agent").steps == ()
    assert to_scenario([Recorded("agent", stray)], "client").steps == ()


def test_the_requests_of_a_client_are_sent_without_waiting() -> None:
    steps = to_scenario(load_recording(FIXTURE), "client").steps
    assert [step.wait for step in steps if isinstance(step, Request)] == [False] * 5


@pytest.mark.parametrize("text", ["[]", '{"messages": [{"direction": "up"}]}', "{"])
def test_another_file_is_not_a_recording(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ScenarioError, match="is not a recording"):
        load_recording(tmp_path / "x.json")
    with pytest.raises(ScenarioError, match="is not a recording"):
        load_recording(tmp_path / "missing.json")
