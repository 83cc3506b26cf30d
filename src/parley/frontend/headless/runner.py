"""One run: connect, open, prompt after prompt, and the way out, whatever happens.

It drives `parley.Client` and tells the output what happens. Which of the ways out was taken, and
so the exit status, is decided here and nowhere else.
"""

import asyncio
import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from parley.errors import AcpError
from parley.frontend.headless.asking import Asking
from parley.frontend.headless.brief_state import BriefState
from parley.frontend.headless.context import Context, blocks
from parley.frontend.headless.exit_code import ExitCode, of_turn
from parley.frontend.headless.opening import open_session
from parley.frontend.headless.outlet import HIGH_WATER
from parley.frontend.headless.output import Opened, Output, Result, Trouble, TurnEnd
from parley.frontend.headless.request import AgentLink, RunRequest
from parley.frontend.headless.screen import ProgressText, Screen, keep_moving
from parley.frontend.headless.status_lines import NoStatusLines, StatusLines
from parley.frontend.headless.trouble import OPEN, START, TURN, Stage, silence_of, trouble_of
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection, RemoteSession
from parley.sdk.remote_turn import RemoteTurn
from parley.session.event import Event
from parley.session.profile import AgentProfile
from parley.session.state import SessionState

# How long the way out may take once nothing is waited for any more.
_IMPATIENT_SECONDS = 0.3
# How long a turn may take to end when nobody sees the output any more.
_UNSEEN_SECONDS = 1.0
_AT_ONCE = {
    signal.SIGINT: ExitCode.LEFT,
    signal.SIGTERM: ExitCode.TERMINATED,
    signal.SIGHUP: ExitCode.HUNG_UP,
}


class Views:
    """The output and the status lines, as one."""

    def __init__(self, output: Output, status: StatusLines) -> None:
        self.output = output
        self.status = status
        # Events come by the hundred thousand, so nobody is called for nothing.
        self.events = output.events if isinstance(status, NoStatusLines) else self._both

    def _both(self, session_id: str, events: Sequence[Event]) -> None:
        for event in events:
            self.output.events(session_id, (event,))
            self.status.event(session_id, event)

    def all(self) -> tuple[Output | StatusLines, ...]:
        # What ends a line of the output comes before what stands beside it.
        return self.output, self.status


class Run:
    """One run. Make it inside a running event loop and `go` once."""

    def __init__(
        self,
        request: RunRequest,
        link: AgentLink,
        client: Client,
        views: Views,
        asking: Asking,
        screen: Screen,
        progress: ProgressText,
    ) -> None:
        self._request = request
        self._link = link
        self._client = client
        self._views = views
        self._asking = asking
        self._screen = screen
        self._progress = progress
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._stage: Stage = START
        self.profile: AgentProfile | None = None
        """Who the agent is, once it has said so."""
        self._state: SessionState | None = None
        self._session_id: str | None = None
        self._turn: RemoteTurn | None = None
        self._turns = 0
        self._stop_reason: str | None = None
        self._late: list[Event] = []
        self._task: asyncio.Task[ExitCode] | None = None
        self._leaving: ExitCode | None = None
        """The status, once the run is to end early."""
        client.event(self._between)

    async def go(self) -> ExitCode:
        """Everything, from the start of the agent to the last line of output."""
        with self._watched_signals():
            async with asyncio.TaskGroup() as group:
                self._task = group.create_task(self._guarded())
                moving = group.create_task(keep_moving(self._screen, self._progress))
                timer = self._timer()
                await asyncio.wait([self._task])
                moving.cancel()
                if timer is not None:
                    timer.cancel()
            code = self._task.result()
            for view in self._views.all():
                view.finished(self._result(code))
        return code

    def output_broke(self, error: OSError) -> None:
        """Nobody reads the output any more, or it cannot be written."""
        if isinstance(error, BrokenPipeError):
            # Nobody is there to wait for the end, or to be told of it.
            self._end_early(ExitCode.BROKEN_PIPE, grace=_UNSEEN_SECONDS)
        else:
            self._views.status.say(f"the output cannot be written: {error.strerror}", "bad")
            self._end_early(ExitCode.FAILED, grace=self._request.grace)

    def interrupt(self, number: signal.Signals) -> None:
        """A signal: the first one cancels the turn, the second one leaves."""
        if self._leaving is not None or self._turn is None:
            self._leave(_AT_ONCE[number])
        elif number == signal.SIGINT:
            self._views.status.say("cancelling the turn; Ctrl-C again leaves at once", "warning")
            # Who waits for a person's second Ctrl-C has more time.
            self._end_early(ExitCode.CANCELLED, grace=None)
        else:
            self._end_early(_AT_ONCE[number], grace=self._request.grace)

    async def _guarded(self) -> ExitCode:
        try:
            return await self._connected()
        except AcpError as error:
            # Before there was a connection, or after it was closed.
            return self._failed(error)
        except asyncio.CancelledError:
            if self._leaving is None:
                raise
            return self._leaving

    async def _connected(self) -> ExitCode:
        self._progress.set("starting the agent", self._loop.time())
        async with self._link.connect(self._client) as agent:
            self.profile = agent.profile
            self._stage = OPEN
            try:
                return await self._prompts(agent)
            except AcpError as error:
                # Here, while the process has not been ended by us.
                return self._failed(error)

    async def _prompts(self, agent: AgentConnection) -> ExitCode:
        request = self._request
        session = await open_session(agent, request)
        self._opened(session, agent)
        code = ExitCode.DONE
        for number, prompt in enumerate(request.prompts, 1):
            context = request.context if number == 1 else Context()
            content = blocks(prompt, context, agent.profile.capabilities)
            self._stage = TURN
            code = await self._one_turn(session, session.prompt(content), number)
            if code is not ExitCode.DONE:
                break
        return code

    def _opened(self, session: RemoteSession, agent: AgentConnection) -> None:
        request = self._request
        self._session_id, self._state = session.id, session.state
        self._views.status.follow(session.state)
        resumed = request.session is not None or request.latest
        for view in self._views.all():
            view.opened(Opened(session.id, request.cwd, agent.profile, resumed))
        self._views.events(session.id, tuple(session.state.notices))

    async def _one_turn(self, session: RemoteSession, turn: RemoteTurn, number: int) -> ExitCode:
        began, denied = self._loop.time(), self._asking.denied
        self._turn, self._turns = turn, number
        outlet, id_ = self._screen.outlet, session.id
        try:
            async for events in turn.batches():
                self._views.events(id_, events)
                if outlet.size > HIGH_WATER:
                    await outlet.room()
        finally:
            self._turn = None
        self._views.events(id_, self._late)
        self._late.clear()
        ending = turn.ending
        assert ending is not None, "the iteration ends when the turn has"
        self._stop_reason = ending.stop_reason
        cancelled = self._leaving is not None
        denied_now = self._asking.denied > denied
        failure = None if ending.failure is None else ending.failure.code
        code = of_turn(ending.stop_reason, cancelled=cancelled, denied=denied_now, failure=failure)
        if self._leaving is not None:
            code = self._leaving
        seconds = self._loop.time() - began
        end = TurnEnd(id_, number, ending.stop_reason, code, seconds, ending.usage, ending.failure)
        await self._views.output.turn_ended(end)
        self._views.status.turn_ended(end)
        return code

    def _between(self, session: RemoteSession, event: Event) -> None:
        """An event while no turn is read: nobody else would show it."""
        if session.stream is not None:
            return
        if session.id != self._session_id:
            if self._session_id is not None and not isinstance(session.state, BriefState):
                # Sessions of others, such as those of sub-agents, are not shown and not kept.
                session.state = BriefState(session.id)
            return
        if self._turn is not None:
            self._late.append(event)  # Behind what is still to be read.
        else:
            self._views.events(session.id, (event,))

    def _failed(self, error: AcpError) -> ExitCode:
        if self._leaving is not None:
            return self._leaving
        trouble = trouble_of(error, self._stage, self._link, self.profile)
        self._tell(trouble)
        return trouble.code

    def _tell(self, trouble: Trouble) -> None:
        for view in self._views.all():
            view.failed(trouble)

    def _timer(self) -> asyncio.TimerHandle | None:
        seconds = self._request.timeout
        if seconds is None:
            return None
        return self._loop.call_later(seconds, self._timed_out, seconds)

    def _timed_out(self, seconds: float) -> None:
        if self._leaving is not None:
            return
        if self._turn is None:
            text = f"gave up after {seconds:g} s (--timeout)"
            self._tell(silence_of(text, self._stage, self._link))
        else:
            self._views.status.say(f"cancelled after {seconds:g} s (--timeout)", "warning")
        self._end_early(ExitCode.CANCELLED, grace=self._request.grace)

    def _end_early(self, code: ExitCode, *, grace: float | None) -> None:
        """Cancel the turn in the words of the protocol, and leave when it has ended, or soon."""
        if self._leaving is not None:
            return
        if self._turn is None:
            self._leave(code)
            return
        self._leaving = code
        self._turn.cancel()
        if grace is not None:
            self._loop.call_later(grace, self._give_up, code, grace)

    def _give_up(self, code: ExitCode, grace: float) -> None:
        if self._task is not None and not self._task.done():
            text = f"the agent did not end the turn within {grace:g} s"
            if code is ExitCode.CANCELLED:
                self._tell(silence_of(text, self._stage, self._link))
            elif code is not ExitCode.BROKEN_PIPE:
                self._views.status.say(f"{text}; it is ended", "warning")
            self._leave(code)

    def _leave(self, code: ExitCode) -> None:
        """End now. Being cancelled once more, the way out becomes impatient."""
        task = self._task
        if task is None or task.done():
            return
        self._leaving = code
        task.cancel()
        self._loop.call_later(_IMPATIENT_SECONDS, self._hurry)

    def _hurry(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()

    @contextmanager
    def _watched_signals(self) -> Generator[None]:
        for number in _AT_ONCE:
            self._loop.add_signal_handler(number, self.interrupt, number)
        try:
            yield
        finally:
            for number in _AT_ONCE:
                self._loop.remove_signal_handler(number)

    def _result(self, code: ExitCode) -> Result:
        usage = self._state.usage if self._state is not None else None
        context = None
        if usage is not None:
            context = {"used": usage.used, "size": usage.size}
            if usage.cost is not None:
                context |= {"cost": usage.cost.amount, "currency": usage.cost.currency}
        return Result(
            code,
            self._session_id,
            self._turns,
            self._stop_reason,
            self._asking.refused,
            self._loop.time() - self._began,
            context,
        )
