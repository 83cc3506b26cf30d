"""The shape of a scenario."""

from parley.conformance.scenario import Notify, Pause, Repeat, steps_in


def test_the_steps_of_a_loop_are_among_all_steps() -> None:
    inner = Notify(method="_a")
    loop = Repeat(times=2, steps=(inner,))
    after = Pause(seconds=0)
    assert list(steps_in([loop, after])) == [loop, inner, after]
