"""What the whole suite keeps: the agents that many cases share, and the counts for the summary."""

from contextlib import ExitStack
from dataclasses import dataclass, field

from tests.hostile.case import Cost
from tests.hostile.raw_client import RawAgent


@dataclass
class Ledger:
    """What has been done so far."""

    cases: set[str] = field(default_factory=set[str])
    runs: int = 0
    inputs: int = 0
    peak_megabytes: float = 0

    def enter(self, name: str, cost: Cost) -> None:
        self.cases.add(name)
        self.runs += 1
        self.inputs += cost.inputs
        self.peak_megabytes = max(self.peak_megabytes, cost.peak_megabytes)

    def __str__(self) -> str:
        return (
            f"hostile: {len(self.cases)} cases in {self.runs} runs, {self.inputs:,} inputs, "
            f"peak of memory {self.peak_megabytes:.0f} MB"
        )


@dataclass(frozen=True)
class Start:
    """What an agent has when it has just begun."""

    descriptors: int
    threads: int
    megabytes: float


class Shared:
    """One agent for each version, for all cases; one that was killed is replaced, and counted."""

    def __init__(self) -> None:
        self.deaths = 0
        self.at_start: dict[int, Start] = {}
        self._agents: dict[int, RawAgent] = {}
        self._open = ExitStack()

    def agent(self, version: int) -> RawAgent:
        agent = self._agents.get(version)
        if agent is not None and agent.process.poll() is None and not agent.answers:
            return agent
        # A case has failed: the next ones must not fail because of it.
        self.deaths += agent is not None
        agent = self._open.enter_context(RawAgent(version))
        agent.initialize()
        self.at_start[version] = Start(
            agent.gauge.descriptors(), agent.gauge.threads(), agent.gauge.megabytes()
        )
        self._agents[version] = agent
        return agent

    def close(self) -> None:
        self._open.close()
