"""Whole conversations decode and come back as equal JSON: our own, and recorded ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from parley.schema.codec import decode, encode
from parley.schema.problem import Note
from tests.schema.schema_facts import ROOT, SHARED, VERSIONS, Json

OWN = ROOT / "tests" / "fixtures" / "frames.json"
RECORDED = sorted((SHARED / "captures").glob("*.json"))


class Payload(NamedTuple):
    """The parameters or the result in a frame, with the type they have."""

    kind: Any
    value: Json


@pytest.mark.parametrize("conversation", json.loads(OWN.read_text()), ids=lambda c: c["version"])
def test_our_own_frames_come_back_equal(conversation: Json) -> None:
    payloads = list(_payloads(conversation["version"], conversation["frames"]))
    assert len(payloads) == len(conversation["frames"])
    for payload in payloads:
        _check(payload)


def test_recorded_frames_come_back_equal() -> None:
    for file in RECORDED:
        for payload in _recorded(file):
            _check(payload)


def _check(payload: Payload) -> None:
    notes: list[Note] = []
    data = json.dumps(payload.value).encode()
    assert json.loads(encode(decode(payload.kind, data, notes))) == payload.value
    assert notes == []


def _recorded(file: Path) -> Iterator[Payload]:
    messages = json.loads(file.read_text())["messages"]
    frames = [message["payload"] for message in messages if isinstance(message["payload"], dict)]
    yield from _payloads("v1", frames)


def _payloads(version: str, frames: list[Json]) -> Iterator[Payload]:
    rows = {row.name: row for row in VERSIONS[version].METHODS}
    asked: dict[Json, Any] = {}
    for frame in frames:
        row = rows.get(frame.get("method"))
        if row is not None:
            asked[frame.get("id")] = row.result
            yield Payload(row.params, frame["params"])
        elif "result" in frame and frame["id"] in asked:
            yield Payload(asked[frame["id"]], frame["result"])
