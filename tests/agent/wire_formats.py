"""The four wire formats that models are reached by, each with its fake and its configuration."""

import json
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agent.raw_client import RawClient
from tests.coder.providers.fakes.anthropic import AnthropicFake
from tests.coder.providers.fakes.gemini import GeminiFake
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.openai_responses import OpenAIResponsesFake
from tests.coder.providers.fakes.reply import Received, Scripted, Silent
from tests.coder.providers.fakes.server import FakeApi, FakeServer

KEY = "sk-canary-7f3a9b"
"""It must turn up nowhere but in requests to the model."""


@dataclass(frozen=True)
class WireFormat:
    name: str
    fake: Callable[[str], FakeApi]
    model: str
    variables: Callable[[str], dict[str, str]]
    """The environment for a base URL."""
    key_variable: str
    listed: str
    """A model that the fake lists, so that a client can choose it."""
    config: Callable[[str], str] = lambda url: ""
    """The configuration file for a base URL."""

    def configured(self, url: str, home: Path) -> dict[str, str]:
        """Write what belongs into the home folder; the environment for the agent."""
        if text := self.config(url):
            path = home / ".config/parley/config.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return {"PARLEY_MODEL": self.model, **self.variables(url)}


def _config(url: str) -> str:
    return f"""\
[providers.work]
type = "responses"
base_url = "{url}"
key_env = "WORK_KEY"
models = ["gpt-5"]
"""


CHAT = WireFormat(
    "chat",
    OpenAIChatFake,
    "openai/gpt-5",
    lambda url: {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url},
    "OPENAI_API_KEY",
    "openai/gpt-5",
)
RESPONSES = WireFormat(
    "responses",
    OpenAIResponsesFake,
    "work/gpt-5",
    lambda url: {"WORK_KEY": KEY},
    "WORK_KEY",
    "work/gpt-5",
    _config,
)
ANTHROPIC = WireFormat(
    "anthropic",
    AnthropicFake,
    "anthropic/claude-sonnet-4-5",
    lambda url: {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url},
    "ANTHROPIC_API_KEY",
    "anthropic/claude-haiku-4-5",
)
GEMINI = WireFormat(
    "gemini",
    GeminiFake,
    "gemini/gemini-3-pro",
    lambda url: {"GEMINI_API_KEY": KEY, "GEMINI_BASE_URL": url},
    "GEMINI_API_KEY",
    "gemini/gemini-3-flash",
)
FORMATS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)


class Model:
    """A fake model that is told what to answer next, turn by turn."""

    def __init__(self, wire: WireFormat) -> None:
        self.wire = wire
        self._plan: tuple[deque[Scripted], str] = (deque(), "")
        self.server = FakeServer(wire.fake(KEY), self._next)

    def __enter__(self) -> "Model":
        self.server.__enter__()
        return self

    def __exit__(self, *reason: Any) -> None:
        self.server.__exit__(*reason)

    def plays(self, *steps: Scripted, sign: str = "") -> None:
        """Answer the next requests like this; what was left of the steps before is gone.

        With a sign, only requests that hold it count: a turn that was cancelled may have sent one
        that arrives now.
        """
        self._plan = (deque(steps), sign)

    def _next(self, request: Received) -> Scripted:
        # Both at once: the server is another thread.
        steps, sign = self._plan
        if sign not in json.dumps(request.body):
            return Silent()
        if not steps:
            raise StopIteration
        return steps.popleft()


@contextmanager
def every_model(
    home: Path, more: Mapping[str, str], version: int = 1
) -> Generator[tuple[RawClient, list[Model]]]:
    """One agent with all four providers, and a client that has said hello."""
    with ExitStack() as stack:
        models = [stack.enter_context(Model(wire)) for wire in FORMATS]
        env = {"PARLEY_RETRY_SECONDS": "1", "PARLEY_THOUGHT_LEVEL": "low"}
        for model in models:
            env |= model.wire.configured(model.server.url, home)
        client = stack.enter_context(RawClient(home=home, env=env | dict(more), version=version))
        client.begin()
        yield client, models
        assert client.end() == 0
        assert KEY not in client.complaints + json.dumps(client.messages)
        assert [model.server.violations for model in models] == [[]] * 4


def choose_model(client: RawClient, session: str, name: str) -> None:
    """Change the model of a session, as soon as it is offered."""
    client.wait(lambda: f'"{name}"' in json.dumps(client.messages))
    choice = {"configId": "model", "value": name}
    client.call("session/set_config_option", sessionId=session, **choice)
