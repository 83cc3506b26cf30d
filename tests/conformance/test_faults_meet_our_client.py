"""Our client survives every fault of an agent that comes as a scenario."""

import asyncio
from dataclasses import dataclass

import pytest

from parley.conformance.player_report import Report
from parley.conformance.scenario_files import load_scenario, scenario_names
from parley.conformance.scripted_peer import ScriptedAgent
from parley.errors import AcpError, ConnectionClosed, ConnectionLost, RemoteProtocolError
from parley.protocol.settings import Settings
from parley.sdk.client import Client
from parley.sdk.conversation import RemoteSession
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event
from tests.conformance.staging import BOUND_SECONDS
from tests.conformance.wire_facts import problems_with, said_in

SESSION = "sess-1"
# How long the client waits in vain, where the fault is that nothing comes.
PATIENCE_SECONDS = 0.3


@dataclass
class Outcome:
    """What the user of the client sees."""

    text: str = ""
    stop_reason: str | None = None
    error: type[BaseException] | None = None


HELLO = Outcome("Hello", "end_turn")
EXPECTED: dict[str, Outcome] = {
    "control-text": Outcome("\x1b[31mred\x1b[0m \u202egnirts\u202c \x07", "end_turn"),
    "floods": Outcome("".join(f"{number} " for number in range(1, 2001)), "end_turn"),
    "unknown-stop-reason": Outcome("Hello", "tired"),
    "v2-unknown-stop-reason": Outcome("Hello", "_tired"),
    "wrong-shape": Outcome(error=RemoteProtocolError),
    "null-results": Outcome(error=RemoteProtocolError),
    "dies-mid-turn": Outcome("Hel", error=ConnectionLost),
    "v2-dies-mid-turn": Outcome("Hel", error=ConnectionLost),
    "closes-mid-turn": Outcome("Hel", error=ConnectionClosed),
    "closes-output": Outcome("Hel", error=ConnectionClosed),
    "no-answer": Outcome("Hello", error=TimeoutError),
    "only-wrong-id": Outcome("Hello", error=TimeoutError),
    "hangs": Outcome("Hel", error=TimeoutError),
    "deaf": Outcome("Hel", error=TimeoutError),
}
"""What is not here ends with `HELLO`."""
# Of these the last word may come after the turn, or the first is five megabytes long.
LOOSE = {"update-after-answer": str.startswith, "big-line": str.endswith}

FAULTS = [name.removeprefix("faults/") for name in scenario_names() if name.startswith("faults/")]


@pytest.mark.parametrize("name", FAULTS)
def test_our_client_survives(name: str) -> None:
    outcome, report = asyncio.run(_meet(f"faults/{name}"))
    expected = EXPECTED.get(name, HELLO)
    if name in LOOSE and LOOSE[name](outcome.text, "Hello"):
        outcome.text = "Hello"
    assert outcome == expected
    report.check()
    said = list(said_in(report))
    assert said
    assert [each for each in said if problems_with(each)] == []


def test_every_expectation_is_about_a_scenario() -> None:
    assert EXPECTED.keys() | LOOSE.keys() <= set(FAULTS)


def test_a_death_is_told_with_its_status_and_its_last_words() -> None:
    async def run() -> None:
        async with (
            ScriptedAgent("faults/dies-mid-turn") as agent,
            Client("ours").connect(agent.transport) as remote,
        ):
            session = await remote.new_session("/home/user")
            await session.prompt("Hi")

    with pytest.raises(ConnectionLost, match=r"status 3.*\nfatal: the model is on fire"):
        asyncio.run(run())


async def _meet(name: str) -> tuple[Outcome, Report]:
    """Let our client talk to the scripted agent: one session, one prompt."""
    script = load_scenario(name)
    outcome = Outcome()
    client = Client("ours")

    @client.event
    def collect(session: RemoteSession, event: Event) -> None:
        match event:
            case ChunkAdded(speaker="agent", content=Text(text=text)) if session.id == SESSION:
                outcome.text += text
            case _:
                pass

    in_vain = EXPECTED.get(name.removeprefix("faults/"), HELLO).error is TimeoutError
    patience = PATIENCE_SECONDS if in_vain else BOUND_SECONDS
    settings = Settings(versions=(script.protocol,), deadline=BOUND_SECONDS)
    async with ScriptedAgent(script) as agent:
        try:
            async with (
                asyncio.timeout(patience),
                client.connect(agent.transport, settings=settings) as remote,
            ):
                session = await remote.new_session("/home/user")
                ending = await session.prompt("Hi")
                outcome.stop_reason = ending.stop_reason
        except (AcpError, TimeoutError) as error:
            outcome.error = type(error)
    return outcome, agent.report
