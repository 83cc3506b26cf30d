"""One conversation goes on with the models of several providers, each with its own wire format.

What one model thought, signed and numbered in its own way must not break a request to another one,
nor a later request to itself.
"""

import json
from base64 import b64decode
from pathlib import Path

from tests.agent.long_session import answer, bash, call
from tests.agent.raw_client import RawClient
from tests.agent.test_prompt_inputs import IMAGE, PIXEL
from tests.agent.transcript import Transcript
from tests.agent.wire_formats import Model, choose_model, every_model
from tests.coder.providers.fakes.reply import Call, Cut, Reply, Say, Think

ROUNDS = 2


def test_a_conversation_goes_on_with_another_model_and_back(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(b64decode(PIXEL))
    with every_model(tmp_path, {}) as (client, models):
        session = client.open(tmp_path)
        for number in range(ROUNDS):
            for model in models:
                name = f"{model.wire.name} {number}"
                choose_model(client, session, model.wire.listed)
                works(client, session, model, name)
                said = json.dumps(model.server.requests[-1].body)
                assert said.count(PIXEL) >= number * 4
                assert name in said
            client.call("session/close", sessionId=session)
            client.load(session, tmp_path)
        # Every model knows what the others did.
        for model in models:
            assert "chat 0 has done" in json.dumps(model.server.requests[-1].body)


def works(client: RawClient, session: str, model: Model, name: str) -> None:
    """Turns with everything that a format writes in its own way."""
    broken = Reply((Think(("Hm.",)), Say(tuple(f"{name} {at}, " for at in range(20)))))
    wrong = Call("bash", "{not json") if model.wire.name != "gemini" else bash("exit 1")
    model.plays(
        answer(
            Think(("I ", "think.")),
            Say((name,)),
            call("read_file", path="p.png"),
            call("glob", pattern="*"),
        ),
        answer(Think(("Further.",)), bash(f"echo '{name}'")),
        answer(call("read_file", path="nowhere")),
        answer(wrong),
        # The wait after it is long, so it is enough that every model has to do with it once.
        *([Cut(broken, 15)] if name == "chat 0" else []),
        answer(Think(("At last.",)), Say((f"{name} has done.",))),
    )
    turn = client.start_prompt(session, f"Work, {name}", IMAGE)
    assert client.ended(turn)["stopReason"] == "end_turn"
    statuses = [s for _, s in Transcript(client.updates(session, turn.since)).statuses()]
    assert statuses == ["completed"] * 3 + ["failed"] * 2
