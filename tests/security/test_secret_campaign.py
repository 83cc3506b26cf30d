"""No secret of the environment, the configuration, the keyring or a server is seen elsewhere."""

import os
from pathlib import Path

from tests.security.canaries import CANARIES, found_in
from tests.security.secret_campaign import Places, looked_at, work


def test_no_place_has_a_secret_in_it(tmp_path: Path) -> None:
    # The command of the whole table also looks at failures, exports and records.
    places = looked_at(Path(os.path.realpath(tmp_path)), (work,))
    assert places.failures == []
    assert places.empty() == []
    assert len(places.names) >= 18


def test_a_secret_is_noticed() -> None:
    places = Places()
    places.look("here", f"x{CANARIES[0]}y{CANARIES[1]}", own=CANARIES[1:2])
    places.look("there", "")
    assert places.failures == [f"{CANARIES[0]} in here"]
    assert places.empty() == ["nothing was found in there"]
    assert len(CANARIES) >= 20
    # None of them is a part of another, so that each is found for what it is.
    assert [each for each in CANARIES if found_in(each) != [each]] == []
