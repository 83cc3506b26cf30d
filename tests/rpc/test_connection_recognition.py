"""Frames that the layer above knows by their bytes."""

import asyncio

from parley.rpc.message import Notification
from parley.rpc.transport import Incoming
from tests.rpc.wire import Wire, connect, notification, run, settle


def test_the_layer_above_may_take_frames_that_it_recognises() -> None:
    async def scenario() -> None:
        seen: list[str] = []
        wire = Wire()

        def recognise(frame: Incoming) -> bool:
            taken = frame == notification("mine")
            seen.extend(["recognised"] * taken)
            return taken

        def handle(note: Notification) -> None:
            seen.append(note.method)

        async with connect(wire, on_notification=handle) as connection:
            connection.recognise(recognise)
            wire.feed(notification("a"), notification("mine"), notification("b"))
            await settle()
        assert seen == ["a", "recognised", "b"]

    run(scenario)


def test_nothing_is_recognised_while_a_handler_is_unfinished() -> None:
    async def scenario() -> None:
        seen: list[str] = []
        wire, gate = Wire(), asyncio.Event()

        async def handle(note: Notification) -> None:
            await gate.wait()
            seen.append(note.method)

        async with connect(wire, on_notification=handle) as connection:
            connection.recognise(lambda frame: frame == notification("mine"))
            wire.feed(notification("a"), notification("mine"))
            await settle()
            gate.set()
            await settle()
        assert seen == ["a", "mine"]  # RPC-27

    run(scenario)
