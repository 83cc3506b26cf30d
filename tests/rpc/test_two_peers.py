"""Two peers joined by two queues agree on what is open, whatever happens in which order."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from parley.errors import RequestCancelled
from parley.rpc.message import NOTHING
from parley.rpc.peer import Answered, Call, Cancelled, Ignored, Peer

SIDES = st.sampled_from([0, 1])


class TwoPeers(RuleBasedStateMachine):
    """Both ends ask, give up, answer, and receive what is on its way, in any order."""

    requests = Bundle("requests")

    def __init__(self) -> None:
        super().__init__()
        self.peers = (Peer(), Peer())
        self.on_the_way: tuple[list[bytes], list[bytes]] = ([], [])
        self.calls: tuple[list[Call], list[Call]] = ([], [])
        self.asked: tuple[set[int], set[int]] = (set(), set())
        self.done: tuple[list[int], list[int]] = ([], [])

    @rule(target=requests, side=SIDES)
    def ask(self, side: int) -> tuple[int, int]:
        waiter = len(self.asked[side]) + 1
        id_, frame = self.peers[side].request("m", NOTHING, waiter)
        assert id_ == waiter
        self.asked[side].add(id_)
        self.on_the_way[1 - side].append(frame)
        return (side, id_)

    @rule(request=requests)
    def give_up(self, request: tuple[int, int]) -> None:
        side, id_ = request
        frame = self.peers[side].abandon(id_)
        assert (frame is None) == (id_ in self.done[side])
        if frame is not None:
            self.done[side].append(id_)
            self.on_the_way[1 - side].append(frame)

    @rule(side=SIDES)
    def deliver(self, side: int) -> None:
        if not self.on_the_way[side]:
            return
        event = self.peers[side].receive(self.on_the_way[side].pop(0))
        match event:
            case Call():
                self.calls[side].append(event)
            case Answered(waiter=waiter):
                self.done[side].append(waiter)
            case Ignored(expected=expected):
                assert expected
            case _:
                assert isinstance(event, Cancelled)
                assert event.call in self.calls[side]

    @rule(side=SIDES, which=st.integers(0, 9), well=st.booleans())
    def answer(self, side: int, which: int, well: bool) -> None:
        calls, peer = self.calls[side], self.peers[side]
        if which < len(calls):
            call = calls.pop(which)
            frame = peer.respond(call, b"1") if well else peer.fail(call, RequestCancelled())
            assert frame is not None
            self.on_the_way[1 - side].append(frame)

    @invariant()
    def every_request_ends_at_most_once_and_the_rest_is_open(self) -> None:
        for side in (0, 1):
            assert len(self.done[side]) == len(set(self.done[side]))
            open_here = len(self.asked[side]) - len(self.done[side])
            assert self.peers[side].pending_requests == open_here
            assert self.peers[side].open_calls == len(self.calls[side])

    def teardown(self) -> None:
        """Once everything is delivered and answered, nothing is open at either end."""
        while any(self.on_the_way) or any(self.calls):
            for side in (0, 1):
                self.deliver(side)
                self.answer(side, 0, well=True)
        assert [peer.pending_requests for peer in self.peers] == [0, 0]
        assert [peer.open_calls for peer in self.peers] == [0, 0]


def test_two_peers_agree_on_what_is_open() -> None:
    run_state_machine_as_test(TwoPeers, settings=settings(max_examples=150, deadline=None))
