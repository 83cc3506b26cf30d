"""Which report of `idle` ends the work on a prompt. Pure.

States belong to the session and not to a prompt. The answer to a prompt, the echo of its message
and the states come in any order, and work that was there before may end in between. So:

1. Once the id of the message is known, the first `idle` behind its echo ends the work. One before
   the echo belongs to earlier work.
2. Without an echo so far: `running` and then `idle` behind the answer end it.
3. Without an echo so far, in a session that was idle when the prompt was sent: `running` and then
   `idle` since then end it, once the answer is there.

The last two are for agents that do not echo, for whom a client must not wait for ever.
"""

from parley.session.event import StateChanged


class Attribution:
    """What is known about the work on one prompt since it was sent."""

    def __init__(self, *, session_was_idle: bool) -> None:
        self.ended: StateChanged | None = None
        """The report that ended the work, once there is one."""
        self._may_end_early = session_was_idle
        self._accepted = False
        self._message_id: str | None = None
        self._echoes: dict[str, StateChanged | None] = {}
        """New messages of the user, each with the first `idle` behind it."""
        self._ran = self._ran_since_answer = False
        self._idle: StateChanged | None = None
        """The first `idle` that counts without an echo."""

    def accept(self, message_id: str | None) -> None:
        """The prompt was answered; an older draft did not name the message."""
        self._accepted, self._message_id = True, message_id
        self._judge()

    def echo(self, message_id: str) -> None:
        """A message of the user that was not there before."""
        self._echoes.setdefault(message_id, None)

    def report(self, state: StateChanged) -> None:
        if state.state != "idle":
            # V2-PRM-20: a state nobody knows is no rest.
            self._ran = True
            self._ran_since_answer |= self._accepted
            return
        for message_id, idle in self._echoes.items():
            if idle is None:
                self._echoes[message_id] = state
        early = self._may_end_early and self._ran
        if self._idle is None and (early or self._ran_since_answer):
            self._idle = state
        self._judge()

    def _judge(self) -> None:
        if self.ended is None and self._accepted:
            message_id = self._message_id or next(iter(self._echoes), None)
            if message_id in self._echoes:
                self.ended = self._echoes[message_id]
            else:
                self.ended = self._idle
