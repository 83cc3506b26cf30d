"""Contents by their hash."""

import os
import stat
from pathlib import Path

import pytest

from parley.coder.undo.contents import AtHand, Kept, hash_of

ONE, TWO = b"one" * 10, b"two" * 10


def test_what_is_at_hand_has_no_name_and_a_limit(tmp_path: Path) -> None:
    contents = AtHand(tmp_path, most=50)
    for data in (ONE, ONE):
        contents.put(hash_of(data), data)
    assert not contents.full
    contents.put(hash_of(TWO), TWO)
    assert contents.full
    assert contents.get(hash_of(ONE)) == ONE
    assert contents.get(hash_of(TWO)) is None
    assert list(tmp_path.iterdir()) == []
    contents.close()
    with pytest.raises(OSError, match="Bad file"):
        contents.get(hash_of(ONE))


def test_what_is_kept_is_private_and_there_once(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    assert kept.put(hash_of(ONE), ONE)
    assert kept.put(hash_of(ONE), ONE)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert Kept(tmp_path).get(hash_of(ONE)) == ONE
    assert kept.has(hash_of(ONE))
    assert not kept.has(hash_of(TWO))


def test_what_was_tampered_with_is_not_given_back(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.put(hash_of(ONE), ONE)
    (tmp_path / hash_of(ONE)).write_bytes(TWO)
    assert kept.get(hash_of(ONE)) is None
    assert kept.get(hash_of(TWO)) is None


def test_room_counts_what_was_there_and_can_be_freed(tmp_path: Path) -> None:
    Kept(tmp_path).put(hash_of(ONE), ONE)
    (tmp_path / "journal").write_bytes(b"x" * 1000)
    (tmp_path / f".{hash_of(TWO)}").write_bytes(b"half")
    kept = Kept(tmp_path, most=40)
    assert not kept.put(hash_of(TWO), TWO)
    kept.drop_all_but(set())
    assert sorted(os.listdir(tmp_path)) == ["journal"]
    assert kept.put(hash_of(TWO), TWO)
