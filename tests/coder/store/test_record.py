"""Entries as bytes, and checksums."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.message import AgentMessage, CallPart
from parley.coder.store.entry import Entry, OptionSet, Remembered, Said, Told, TurnOver
from parley.coder.store.record import (
    checksum,
    is_session_id,
    new_session_id,
    packed,
    packed_paths,
    seed,
    text_checksum,
    unpacked,
    unpacked_paths,
)
from parley.session.event import TerminalOutputAdded, ToolCallChanged
from parley.session.role import Ending
from tests.coder.store.staging import FIRST, chunk


@pytest.mark.parametrize(
    "entry",
    [
        chunk("grüße \N{GRINNING FACE}"),
        Told(TerminalOutputAdded("t", b"\x00\xff")),
        Told(ToolCallChanged("c", title=None, raw_input={"path": [1, 2.5, None]})),
        Said(AgentMessage((CallPart("c", "bash", {"command": "ls"}),))),
        OptionSet("mode", True),
        Remembered(allowed=False, tool="bash"),
        TurnOver("t", Ending("cancelled")),
    ],
)
def test_an_entry_comes_back_as_it_was(entry: Entry) -> None:
    same, body = packed(entry)
    assert same is entry
    assert unpacked(body) == entry


def test_what_json_cannot_hold_is_stored_as_the_nearest_thing() -> None:
    entry = Told(ToolCallChanged("c", title="a\udc80", raw_input={"n\ud800": [2**70, True, 1.5]}))
    clean = Told(ToolCallChanged("c", title="a?", raw_input={"n?": [str(2**70), True, 1.5]}))
    kept, body = packed(entry)
    assert kept == clean
    assert unpacked(body) == clean


@pytest.mark.parametrize(
    "body",
    [
        b'{"entry":"dreamt"}',
        b'{"entry":"told"}',
        b"{",
        b"\xff",
        b'{"entry":"turn_begun","turn_id":"\xff"}',
        b'{"entry":"told","event":' + b'{"a":' * 100_000,
    ],
    ids=range(6),
)
def test_a_kind_that_only_a_newer_version_knows_is_no_entry(body: bytes) -> None:
    assert unpacked(body) is None


@given(st.binary(min_size=1, max_size=300), st.data())
def test_every_flipped_bit_changes_the_checksum(body: bytes, data: st.DataObject) -> None:
    bit = data.draw(st.integers(0, len(body) * 8 - 1))
    flipped = bytearray(body)
    flipped[bit // 8] ^= 1 << bit % 8
    start = seed(FIRST)
    assert checksum(start, 1, bytes(flipped)) != checksum(start, 1, body)


def test_a_record_at_another_place_or_in_another_session_has_another_checksum() -> None:
    start = seed(FIRST)
    right = checksum(start, 1, b"body")
    assert right != checksum(start, 2, b"body")
    assert right != checksum(seed("another-session-01"), 1, b"body")
    assert text_checksum(start, "ab", "c") != text_checksum(start, "a", "bc")


def test_paths_come_back_as_they_were() -> None:
    assert unpacked_paths(packed_paths(("/a b", "/ä"))) == ("/a b", "/ä")


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("a" * 16, True),
        ("A-z_09" * 10, True),
        ("a" * 15, False),
        ("a" * 65, False),
        ("../../etc/passwd-00", False),
        ("a" * 20 + "\n", False),
        ("ä" * 20, False),
        ("", False),
    ],
)
def test_only_plain_ids_of_some_length_are_ids(text: str, fine: bool) -> None:
    assert is_session_id(text) is fine


def test_a_new_id_is_one_and_no_option_of_a_command() -> None:
    ids = {new_session_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(map(is_session_id, ids))
    assert not any(text.startswith("-") for text in ids)
