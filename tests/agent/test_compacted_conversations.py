"""A conversation that was compacted is one that every wire format takes.

The fakes refuse what the real servers refuse: results without calls, calls without results,
thoughts without their signatures, roles out of order.
"""

import json
from pathlib import Path

from tests.agent.long_session import answer, call, says
from tests.agent.raw_client import RawClient
from tests.agent.wire_formats import Model, choose_model, every_model
from tests.coder.providers.fakes.reply import Think

ROW = "a row that nobody needs twice"
SUMMARY = "The user wants rows counted."


def test_every_wire_format_takes_a_conversation_that_was_compacted(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text(f"{ROW}\n" * 800)
    with every_model(tmp_path, {}) as (client, models):
        for model in models:
            session = client.open(tmp_path)
            choose_model(client, session, model.wire.listed)
            _work(client, session, model)
            _compact(client, session, model)
            # What is cut off now is a summary and what was said behind it.
            _work(client, session, model)
            _compact(client, session, model)


def _work(client: RawClient, session: str, model: Model) -> None:
    model.plays(
        answer(Think(("Look.",)), call("read_file", path="rows.txt")),
        answer(Think(("Again.",)), call("glob", pattern="*"), call("read_file", path="rows.txt")),
        says("Counted."),
    )
    assert client.prompt(session, "Count the rows.")["stopReason"] == "end_turn"


def _compact(client: RawClient, session: str, model: Model) -> None:
    model.plays(says(SUMMARY))
    assert client.prompt(session, "/compact keep the rows")["stopReason"] == "end_turn"
    assert "keep the rows" in json.dumps(model.server.requests[-1].body)
    model.plays(answer(Think(("Hm.",)), call("glob", pattern="*.txt")), says("Yes."))
    assert client.prompt(session, "Go on.")["stopReason"] == "end_turn"
    last = json.dumps(model.server.requests[-1].body)
    assert SUMMARY in last
    assert last.count(ROW) < 100
