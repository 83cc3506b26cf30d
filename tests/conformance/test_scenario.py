"""The shape of a scenario."""

from pathlib import Path
from typing import get_args

import msgspec

from parley.conformance.scenario import AnyStep, Notify, Pause, Repeat, Scenario, steps_in


def test_the_steps_of_a_loop_are_among_all_steps() -> None:
    inner = Notify(method="_a")
    loop = Repeat(times=2, steps=(inner,))
    after = Pause(seconds=0)
    assert list(steps_in([loop, after])) == [loop, inner, after]


def test_every_step_and_every_member_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "testing.md").read_text()
    for kind in get_args(AnyStep):
        tag = kind.__struct_config__.tag
        row = next((line for line in text.splitlines() if line.startswith(f"| `{tag}` |")), "")
        names = {info.encode_name for info in msgspec.structs.fields(kind)} - {"note"}
        missing = {name for name in names if f"`{name}`" not in row and f"`{name}?`" not in row}
        assert (tag, missing) == (tag, set())
    for info in msgspec.structs.fields(Scenario):
        assert f"`{info.encode_name}`" in text
