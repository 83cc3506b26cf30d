"""A client on the official Python SDK that writes down everything it sees and is asked."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import acp
from acp import schema
from acp.client.connection import ClientSideConnection

from tests.interop.bounds import program

EVERYTHING = schema.ClientCapabilities(
    fs=schema.FileSystemCapabilities(read_text_file=True, write_text_file=True),
    terminal=True,
    session=schema.ClientSessionCapabilities(
        config_options=schema.SessionConfigOptionsCapabilities(
            boolean=schema.BooleanConfigOptionCapabilities()
        )
    ),
    elicitation=schema.ElicitationCapabilities(
        form=schema.ElicitationFormCapabilities(), url=schema.ElicitationUrlCapabilities()
    ),
)


class OfficialClient(acp.Client):
    """Answers as it is told and keeps a record."""

    def __init__(self, choice: str | None = "allow_once") -> None:
        self.choice = choice
        """The id of the permission option that is chosen; nothing answers `cancelled`."""
        self.updates: list[Any] = []
        self.asked: list[tuple[str, Any]] = []
        self.arrived = asyncio.Event()
        """Set whenever an update arrives."""

    async def session_update(self, session_id: str, update: Any, **meta: Any) -> None:
        self.updates.append(update)
        self.arrived.set()

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **meta: Any
    ) -> Any:
        self.asked.append(("permission", (tool_call, options)))
        if self.choice is None:
            return acp.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        chosen = schema.AllowedOutcome(outcome="selected", option_id=self.choice)
        return acp.RequestPermissionResponse(outcome=chosen)

    async def read_text_file(
        self, session_id: str, path: str, line: Any = None, limit: Any = None, **meta: Any
    ) -> Any:
        self.asked.append(("read", (path, line, limit)))
        if path.endswith("missing"):
            raise acp.RequestError.resource_not_found(path)
        return acp.ReadTextFileResponse(content="second")

    async def write_text_file(self, session_id: str, path: str, content: str, **meta: Any) -> Any:
        self.asked.append(("write", (path, content)))
        return None  # What the SDK sends for it is `null`.

    async def create_terminal(self, session_id: str, command: str, **rest: Any) -> Any:
        env = [(variable.name, variable.value) for variable in rest["env"]]
        self.asked.append(("create", (command, rest["args"], env, rest["cwd"])))
        return acp.CreateTerminalResponse(terminal_id="terminal-1")

    async def terminal_output(self, session_id: str, terminal_id: str, **meta: Any) -> Any:
        self.asked.append(("output", terminal_id))
        return acp.TerminalOutputResponse(output="hi\n", truncated=False)

    async def wait_for_terminal_exit(self, session_id: str, terminal_id: str, **meta: Any) -> Any:
        killed = ("kill", terminal_id) in self.asked
        self.asked.append(("wait", terminal_id))
        if killed:
            return acp.WaitForTerminalExitResponse(signal="SIGKILL")
        return acp.WaitForTerminalExitResponse(exit_code=0)

    async def kill_terminal(self, session_id: str, terminal_id: str, **meta: Any) -> Any:
        self.asked.append(("kill", terminal_id))
        return acp.KillTerminalResponse()

    async def release_terminal(self, session_id: str, terminal_id: str, **meta: Any) -> Any:
        self.asked.append(("release", terminal_id))
        return None

    async def create_elicitation(self, message: str, mode: Any, **meta: Any) -> Any:
        self.asked.append(("elicitation", (message, mode)))
        return acp.AcceptElicitationResponse(action="accept", content={"name": "Ada"})

    async def complete_elicitation(self, elicitation_id: str, **meta: Any) -> None:
        self.asked.append(("completed", elicitation_id))

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((method, params))
        return {"answer": 42}

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        self.asked.append((method, params))

    async def until(self, kind: str) -> Any:
        """The first update of a kind, which may still be on its way."""
        while True:
            for update in self.updates:
                if update.session_update == kind:
                    return update
            self.arrived.clear()
            await self.arrived.wait()

    def said(self) -> str:
        """The text of the agent's messages."""
        chunks = (u for u in self.updates if u.session_update == "agent_message_chunk")
        return "".join(getattr(chunk.content, "text", "") for chunk in chunks)


@asynccontextmanager
async def official(
    client: acp.Client, *flags: str, unstable: bool = False
) -> AsyncGenerator[ClientSideConnection]:
    """Start our agent under the official client, without saying anything yet."""
    async with acp.spawn_agent_process(
        client, *program("parley_agent.py", *flags), use_unstable_protocol=unstable
    ) as (agent, process):
        yield agent
    assert process.returncode == 0


@asynccontextmanager
async def official_session(
    client: acp.Client, *flags: str, unstable: bool = False
) -> AsyncGenerator[tuple[ClientSideConnection, str]]:
    """The same, with a session open."""
    async with official(client, *flags, unstable=unstable) as agent:
        await agent.initialize(1, client_capabilities=EVERYTHING)
        yield agent, (await agent.new_session("/project")).session_id


def text(words: str) -> list[Any]:
    return [acp.text_block(words)]
