"""An agent on the official Python SDK; the first word of a prompt says what it does.

Flags: `--unstable` routes what the SDK counts as unstable, `--echo` answers `initialize` with the
version it was asked for, as the shortest examples do.
"""

import asyncio
import sys
from typing import Any

import acp
from acp import schema

UNSTABLE = "--unstable" in sys.argv
CAPABILITIES = schema.AgentCapabilities(
    load_session=True,
    prompt_capabilities=schema.PromptCapabilities(image=True, audio=True, embedded_context=True),
    mcp_capabilities=schema.McpCapabilities(http=True, sse=True),
    session_capabilities=schema.SessionCapabilities(
        list=schema.SessionListCapabilities(),
        resume=schema.SessionResumeCapabilities(),
        close=schema.SessionCloseCapabilities(),
        fork=schema.SessionForkCapabilities(),
        additional_directories=schema.SessionAdditionalDirectoriesCapabilities(),
    ),
)
CHOICES = [
    schema.PermissionOption(option_id="y", name="Yes", kind="allow_once"),
    schema.PermissionOption(option_id="n", name="No", kind="reject_once"),
]


def mode_option(current: str) -> Any:
    choices = [schema.SessionConfigSelectOption(value=v, name=v.title()) for v in ("ask", "code")]
    return schema.SessionConfigOptionSelect(
        type="select", id="mode", name="Mode", current_value=current, options=choices
    )


def quiet_option(current: bool) -> Any:
    return schema.SessionConfigOptionBoolean(
        type="boolean", id="quiet", name="Quiet", current_value=current
    )


class OfficialAgent(acp.Agent):
    """Everything that the SDK has a route for."""

    def __init__(self) -> None:
        self.locked = "--locked" in sys.argv
        self.count = 0
        self.heard: list[str] = []
        self.client: Any = None
        self.about_client: Any = None
        self.turns: dict[str, asyncio.Task[Any]] = {}

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **rest: Any) -> Any:
        self.about_client = rest
        version = protocol_version if "--echo" in sys.argv else acp.PROTOCOL_VERSION
        return acp.InitializeResponse(
            protocol_version=version,
            agent_capabilities=CAPABILITIES,
            agent_info=schema.Implementation(name="official", version="0.12.1"),
            auth_methods=[schema.AuthMethodAgent(id="key", name="A key")],
        )

    async def authenticate(self, method_id: str, **rest: Any) -> Any:
        self.locked = False
        return None

    async def new_session(self, cwd: str, **rest: Any) -> Any:
        if self.locked:
            raise acp.RequestError.auth_required()
        self.count += 1
        servers = [server.name for server in rest["mcp_servers"]]
        self.heard.append(f"new {cwd} {rest['additional_directories']} {servers}")
        modes = schema.SessionModeState(
            current_mode_id="ask",
            available_modes=[schema.SessionMode(id=v, name=v.title()) for v in ("ask", "code")],
        )
        return acp.NewSessionResponse(
            session_id=f"s{self.count}", modes=modes, config_options=[quiet_option(False)]
        )

    async def load_session(self, cwd: str, session_id: str, **rest: Any) -> Any:
        if session_id != "stored":
            raise acp.RequestError.resource_not_found(session_id)
        for update in (
            acp.update_user_message_text("What was said"),
            acp.update_agent_thought_text("long ago"),
            acp.update_agent_message_text("What was answered"),
        ):
            await self.client.session_update(session_id, update)
        return None

    async def resume_session(self, session_id: str, cwd: str, **rest: Any) -> Any:
        return schema.ResumeSessionResponse(config_options=[mode_option("code")])

    async def fork_session(self, session_id: str, cwd: str, **rest: Any) -> Any:
        return schema.ForkSessionResponse(session_id=f"{session_id}-fork")

    async def list_sessions(self, cwd: Any = None, cursor: Any = None, **rest: Any) -> Any:
        if cursor is None:
            stored = schema.SessionInfo(session_id="stored", cwd=cwd or "/", title="A stored one")
            return schema.ListSessionsResponse(sessions=[stored], next_cursor="2")
        return schema.ListSessionsResponse(sessions=[])

    async def close_session(self, session_id: str, **rest: Any) -> Any:
        self.heard.append(f"closed {session_id}")
        return None

    async def set_session_mode(self, session_id: str, mode_id: str, **rest: Any) -> Any:
        self.heard.append(f"mode {mode_id}")
        update = schema.CurrentModeUpdate(
            session_update="current_mode_update", current_mode_id=mode_id
        )
        await self.client.session_update(session_id, update)
        return None

    async def set_config_option(
        self, config_id: str, session_id: str, value: Any, **rest: Any
    ) -> Any:
        self.heard.append(f"{config_id} {value}")
        return acp.SetSessionConfigOptionResponse(config_options=[quiet_option(value)])

    async def prompt(self, session_id: str, prompt: list[Any], **meta: Any) -> Any:
        words = prompt[0].text.split() if prompt else ["none"]
        action = getattr(Actions(self.client), words[0])
        work = asyncio.ensure_future(action(session_id, prompt, words[1:]))
        self.turns[session_id] = work
        try:
            reason = await work
        except asyncio.CancelledError:
            if words[0] == "stubborn":
                raise  # The SDK never answers then.
            reason = "cancelled"
        return acp.PromptResponse(stop_reason=reason or "end_turn")

    async def cancel(self, session_id: str, **rest: Any) -> None:
        self.turns[session_id].cancel()

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "interop/heard":
            return {"heard": self.heard}
        if method == "interop/client":
            return {"name": getattr(self.about_client.get("client_info"), "name", None)}
        return {"echo": params}

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        self.heard.append(f"note {method} {params}")


class Actions:
    """What a prompt can ask for."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def none(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        await self.client.session_update(session, acp.update_agent_message_text("nothing"))

    async def blocks(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        for block in prompt:
            await self.client.session_update(session, acp.update_agent_message(block))

    async def everything(self, session: str, prompt: list[Any], rest: list[str]) -> str:
        for update in every_update():
            await self.client.session_update(session, update)
        return "max_tokens"

    async def permission(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        call = schema.ToolCallUpdate(tool_call_id="call-p", title="Write", kind="edit")
        answer = await self.client.request_permission(session, call, CHOICES)
        outcome = getattr(answer.outcome, "option_id", answer.outcome.outcome)
        await self.client.session_update(session, acp.update_agent_message_text(outcome))

    async def files(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        answer = await self.client.read_text_file(session, rest[0], line=2, limit=1)
        written = await self.client.write_text_file(session, rest[0], answer.content.upper())
        told = f"{answer.content}|{written}"
        await self.client.session_update(session, acp.update_agent_message_text(told))

    async def terminal(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        env = [schema.EnvVariable(name="GREETING", value="hi")]
        made = await self.client.create_terminal(
            session, "run", args=["a", "b"], env=env, cwd="/", output_byte_limit=100
        )
        if rest:
            await self.client.kill_terminal(session, made.terminal_id)
        ended = await self.client.wait_for_terminal_exit(session, made.terminal_id)
        output = await self.client.terminal_output(session, made.terminal_id)
        await self.client.release_terminal(session, made.terminal_id)
        told = f"{output.output}|{output.truncated}|{ended.exit_code}|{ended.signal}"
        await self.client.session_update(session, acp.update_agent_message_text(told))

    async def form(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        wanted = schema.ElicitationSchema(
            properties={"name": schema.ElicitationStringPropertySchema(type="string")}
        )
        mode = schema.ElicitationFormSessionMode(session_id=session, requested_schema=wanted)
        answer = await self.client.create_elicitation("Who are you?", mode)
        told = f"{answer.action} {getattr(answer, 'content', None)}"
        await self.client.session_update(session, acp.update_agent_message_text(told))

    async def extensions(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        await self.client.ext_notification("interop/told", {"n": 1})
        answer = await self.client.ext_method("interop/ask", {"n": 2})
        await self.client.session_update(session, acp.update_agent_message_text(str(answer)))

    async def wait(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        await self.client.session_update(session, acp.start_tool_call("call-w", "Wait"))
        await self.client.session_update(session, acp.update_agent_message_text("Waiting"))
        await asyncio.get_running_loop().create_future()

    stubborn = wait

    async def fail(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        raise RuntimeError("a secret detail")

    async def login(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        raise acp.RequestError.auth_required()

    async def noise(self, session: str, prompt: list[Any], rest: list[str]) -> None:
        sys.stderr.write("complaint\n" * 200_000)
        await self.client.session_update(session, acp.update_agent_message_text("done"))


def every_update() -> list[Any]:
    """One of each kind that the SDK can build."""
    bye = schema.AvailableCommand(name="bye", description="Says goodbye")
    done = acp.plan_entry("First", priority="high", status="completed")
    return [
        acp.update_user_message_text("You"),
        acp.update_agent_thought_text("Hm"),
        acp.update_agent_message_text("Hello"),
        acp.start_tool_call(
            "call-1",
            "Edit a file",
            kind="edit",
            status="in_progress",
            raw_input={"path": "/a"},
            locations=[schema.ToolCallLocation(path="/a", line=3)],
        ),
        acp.update_tool_call(
            "call-1",
            status="completed",
            content=[
                acp.tool_content(acp.text_block("Working")),
                acp.tool_diff_content("/a", "new\n", "old\n"),
            ],
            raw_output={"ok": True},
        ),
        acp.update_plan([done]),
        schema.AvailableCommandsUpdate(
            session_update="available_commands_update", available_commands=[bye]
        ),
        schema.CurrentModeUpdate(session_update="current_mode_update", current_mode_id="code"),
        schema.ConfigOptionUpdate(
            session_update="config_option_update", config_options=[quiet_option(True)]
        ),
        schema.SessionInfoUpdate(session_update="session_info_update", title="A title"),
        schema.UsageUpdate(
            session_update="usage_update",
            used=10,
            size=100,
            cost=schema.Cost(amount=0.5, currency="USD"),
        ),
    ]


if __name__ == "__main__":
    asyncio.run(acp.run_agent(OfficialAgent(), use_unstable_protocol=UNSTABLE))
