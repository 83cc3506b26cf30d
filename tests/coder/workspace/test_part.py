"""Files that are being written are known by their names."""

import os

from parley.coder.workspace.part import is_part, part_name


def test_a_part_is_known_by_its_name_and_nothing_else_is() -> None:
    names = {part_name() for _ in range(100)}
    assert len(names) == 100
    assert all(is_part(os.fsencode(name)) for name in names)
    assert not any(map(is_part, (b".parley-0.tmp", b".parley", b"x.parley-0123456789abcdef.tmp")))
