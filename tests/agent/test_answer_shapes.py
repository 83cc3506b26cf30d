"""Answers and prompts of odd shapes, with every wire format: how the turn ends, and that the next
request is one that the model accepts."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.agent.long_session import bash, call
from tests.agent.raw_client import Json, RawClient
from tests.agent.transcript import Transcript
from tests.agent.wire_formats import Model, choose_model, every_model
from tests.coder.providers.fakes.reply import Call, Reply, Say, Scripted, Think, calls, says

MOST_REQUESTS = 3


@pytest.fixture(scope="module")
def agent(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[tuple[RawClient, list[Model]]]:
    limit = {"PARLEY_MAX_REQUESTS": str(MOST_REQUESTS)}
    with every_model(tmp_path_factory.mktemp("home"), limit) as found:
        yield found


class Turns:
    """A session with each model, in which the same happens."""

    def __init__(self, client: RawClient, models: list[Model], cwd: Path) -> None:
        self.client = client
        self._talks = [(model, client.open(cwd)) for model in models]
        for model, session in self._talks:
            choose_model(client, session, model.wire.listed)

    def end(self, *steps: Scripted, prompt: str = "Go") -> list[tuple[Json, list[str]]]:
        """How the turns ended, and how their calls did; after each of them another one works."""
        return [self._one(model, session, steps, prompt) for model, session in self._talks]

    def _one(
        self, model: Model, session: str, steps: tuple[Scripted, ...], prompt: str
    ) -> tuple[Json, list[str]]:
        model.plays(*steps)
        turn = self.client.start_prompt(session, prompt)
        ending = self.client.ended(turn)
        transcript = Transcript(self.client.updates(session, turn.since))
        model.plays(says("Works."))
        after = self.client.start_prompt(session, "And now?")
        works = self.client.ended(after)
        assert works.get("stopReason") == "end_turn", (model.wire.name, works)
        assert self.client.said(session, after.since) == "Works."
        return ending, [status for _, status in transcript.statuses()]


@pytest.fixture
def turns(agent: tuple[RawClient, list[Model]], tmp_path: Path) -> Turns:
    return Turns(*agent, tmp_path)


def test_an_answer_that_is_cut_off_by_its_length_ends_the_turn_and_its_call_does_not_run(
    turns: Turns, tmp_path: Path
) -> None:
    write = call("write_file", path="x", content="y")
    for ending, statuses in turns.end(Reply((Say(("Too ",)), write), stop="max_tokens")):
        assert ending["stopReason"] == "max_tokens"
        assert statuses == ["failed"]
    assert not (tmp_path / "x").exists()
    for ending, _ in turns.end(Reply((Think(("Hm",)),), stop="max_tokens")):
        assert ending["stopReason"] == "max_tokens"


@pytest.mark.parametrize("parts", [(), (Say(("I will not.",)),)], ids=["silent", "told"])
def test_a_refusal_ends_the_turn_as_one(turns: Turns, parts: tuple[Say, ...]) -> None:
    for ending, _ in turns.end(Reply(parts, stop="refusal")):
        assert ending["stopReason"] == "refusal"


def test_a_model_that_never_ends_reaches_the_limit(turns: Turns) -> None:
    for ending, statuses in turns.end(*[calls(call("list_files"))] * MOST_REQUESTS):
        assert ending["stopReason"] == "max_turn_requests"
        assert statuses == ["completed"] * MOST_REQUESTS


@pytest.mark.parametrize(
    "parts",
    [(), (Say((" ", "\n")),), (Think(("Hm.",)),), (Think((" ",)), Say(("",)))],
    ids=["nothing", "blanks", "a thought", "empty pieces"],
)
def test_an_answer_that_says_nothing_ends_the_turn(
    turns: Turns, parts: tuple[Say | Think, ...]
) -> None:
    for ending, _ in turns.end(Reply(parts)):
        assert ending["stopReason"] == "end_turn"


def test_calls_with_one_id_or_none_are_two_calls(turns: Turns) -> None:
    same = Call("list_files", {}, id="same")
    for ending, statuses in turns.end(
        Reply((same, same)), Reply((same, bash("exit 2"))), says(".")
    ):
        assert ending["stopReason"] == "end_turn"
        assert statuses == ["completed"] * 3 + ["failed"]


@pytest.mark.parametrize("prompt", ["", " \n", "\x00\x1b[31m", "\u2028\U0001f600"])
def test_a_prompt_of_any_text_is_answered(turns: Turns, prompt: str) -> None:
    for ending, _ in turns.end(says("Yes?"), prompt=prompt):
        assert ending["stopReason"] == "end_turn"


def test_a_call_that_nobody_understands_is_answered(turns: Turns) -> None:
    odd = (Call("functions.bash; rm", {"x": 1}), Call("read_file", {"path": ["a"], "b": None}))
    for ending, statuses in turns.end(Reply(odd), says("Well.")):
        assert ending["stopReason"] == "end_turn"
        assert statuses == ["failed"] * 2
