"""Commands, plans and what a session is opened with, between the neutral words and version 1.

Pure. Everything neutral can be said: what version 1 has no word for is degraded, and `lose` is
told what went missing. Content is in `content.py`, options in `option.py`, profiles in
`profile.py`, questions in `question.py`, tool calls in `tool_call.py`.
"""

import re
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.errors import InvalidParams
from parley.protocol.v1.content import Lose, block_model, blocks_from, is_absolute, known
from parley.session.event import Failure, TurnUsage
from parley.session.option import (
    Command,
    OtherPlan,
    Plan,
    PlanEntry,
    PlanFile,
    PlanItems,
    PlanMarkdown,
)
from parley.session.patch import given
from parley.session.role import (
    AcpServer,
    HttpServer,
    McpServer,
    SessionInfo,
    SessionRequest,
    StdioServer,
    SystemPrompt,
)

_PRIORITIES = frozenset({"high", "medium", "low"})
_PLAN_STATUSES = frozenset({"pending", "in_progress", "completed"})
# Compiled when they are first used: an agent starts without.
_ISO_8601 = r"\d{4}(?:-?\d\d){0,2}(?:$|[Tt ]\d\d)"
_CHECK = r"\s*(?:[-*+]|\d+[.)])\s+\[([ xX~-])\]\s+(.+)"

# Commands and plans.


def command_model(command: Command, lose: Lose) -> v1.AvailableCommand:
    if command.raw is not None:
        lose("command.kind", f"a command of kind `{command.kind}` is sent as a plain one")
    hint = command.hint
    return v1.AvailableCommand(
        name=command.name,
        description=command.description,
        input=UNSET if hint is None else v1.UnstructuredCommandInput(hint=hint),
        meta=given(command.meta),
    )


def command_from(model: v1.AvailableCommand) -> Command:
    taken = known(model.input)
    # Peers write names with the slash that a person types; the name is what stands behind it.
    name = model.name.strip().removeprefix("/")
    return Command(
        name, model.description, None if taken is None else taken.hint, meta=known(model.meta)
    )


def entry_model(entry: PlanEntry, lose: Lose, prefix: str = "") -> v1.PlanEntry:
    """An entry of a plan in the closed lists of version 1 (V1-PLN-04)."""
    content, priority, status = prefix + entry.content, entry.priority, entry.status
    if priority not in _PRIORITIES:
        lose("plan.priority", f"the priority `{priority}` is sent as `medium`")
        priority = "medium"
    if status == "cancelled":
        lose("plan.status", "a cancelled entry is sent as a completed one")
        content, status = f"{prefix}(cancelled) {entry.content}", "completed"
    elif status not in _PLAN_STATUSES:
        lose("plan.status", f"the status `{status}` is sent as `in_progress`")
        status = "in_progress"
    return v1.PlanEntry(content=content, priority=priority, status=status, meta=given(entry.meta))


def entry_from(model: v1.PlanEntry) -> PlanEntry:
    return PlanEntry(model.content, model.priority, model.status, known(model.meta))


def entries_of(plan: Plan, lose: Lose) -> tuple[PlanEntry, ...]:
    """Any plan as a list of entries, for a client that knows only those."""
    match plan:
        case PlanItems(entries=entries):
            return entries
        case PlanMarkdown(content=content):
            lose("plan.markdown", "a plan of text is sent as a list")
            return _checklist(content)
        case PlanFile(uri=uri):
            lose("plan.file", "a plan in a file is sent as one entry that names it")
            return (PlanEntry(uri),)
        case OtherPlan(kind=kind):
            lose("plan.type", f"a plan of type `{kind}` is not sent")
            return ()


def _checklist(content: str) -> tuple[PlanEntry, ...]:
    status = {" ": "pending", "x": "completed", "X": "completed"}
    found = [match for line in content.splitlines() if (match := re.fullmatch(_CHECK, line))]
    if not found:
        return (PlanEntry(content),)
    return tuple(PlanEntry(item[2], status=status.get(item[1], "in_progress")) for item in found)


def plan_model(
    plan_id: str, plan: Plan, lose: Lose
) -> v1.PlanItems | v1.PlanFile | v1.PlanMarkdown | None:
    """A plan for a client that knows several of them; nothing for one nobody knows."""
    match plan:
        case PlanItems():
            entries = [entry_model(entry, lose) for entry in plan.entries]
            return v1.PlanItems(plan_id=plan_id, entries=entries, meta=given(plan.meta))
        case PlanMarkdown():
            return v1.PlanMarkdown(plan_id=plan_id, content=plan.content, meta=given(plan.meta))
        case PlanFile():
            return v1.PlanFile(plan_id=plan_id, uri=plan.uri, meta=given(plan.meta))
        case OtherPlan():
            lose("plan.type", f"a plan of type `{plan.kind}` is not sent")
            return None


def plan_from(model: v1.PlanUpdateContent) -> tuple[str, Plan]:
    match model:
        case v1.PlanItems():
            entries = tuple(entry_from(entry) for entry in model.entries)
            return model.plan_id, PlanItems(entries, known(model.meta))
        case v1.PlanMarkdown():
            return model.plan_id, PlanMarkdown(model.content, known(model.meta))
        case v1.PlanFile():
            return model.plan_id, PlanFile(model.uri, known(model.meta))
        case v1.OtherPlanUpdateContent():
            raw = dict(model.extra)
            return str(raw.get("planId", "")), OtherPlan(model.tag, raw)


# What a session is opened with.


def mcp_server_model(server: McpServer) -> v1.McpServer:
    """V1-MCP-06: stdio is untagged, and the lists are always there."""
    match server:
        case StdioServer():
            env = [v1.EnvVariable(name=name, value=value) for name, value in server.env.items()]
            return v1.McpServerStdio(
                name=server.name,
                command=server.command,
                args=list(server.args),
                env=env,
                meta=given(server.meta),
            )
        case HttpServer():
            kind = v1.McpServerSse if server.sse else v1.McpServerHttp
            headers = [v1.HttpHeader(name=name, value=value) for name, value in server.headers]
            return kind(name=server.name, url=server.url, headers=headers, meta=given(server.meta))
        case AcpServer():
            return v1.McpServerAcp(
                name=server.name, server_id=server.server_id, meta=given(server.meta)
            )


def mcp_server_from(model: v1.McpServer) -> McpServer:
    """The server.

    Raises:
        InvalidParams: nobody knows the transport; it is never skipped silently (DEC-05).
    """
    match model:
        case v1.McpServerStdio():
            env = {variable.name: variable.value for variable in model.env}
            return StdioServer(model.name, model.command, tuple(model.args), env, known(model.meta))
        case v1.McpServerHttp() | v1.McpServerSse():
            headers = tuple((header.name, header.value) for header in model.headers)
            sse = isinstance(model, v1.McpServerSse)
            return HttpServer(model.name, model.url, headers, sse, known(model.meta))
        case v1.McpServerAcp():
            return AcpServer(model.name, model.server_id, known(model.meta))
        case v1.OtherMcpServer():
            raise InvalidParams(
                "Invalid params: `mcpServers` names a transport that is not known",
                {"path": "mcpServers"},
            )


Opening = (
    v1.NewSessionRequest | v1.LoadSessionRequest | v1.ResumeSessionRequest | v1.ForkSessionRequest
)


def session_request_from(model: Opening) -> SessionRequest:
    """What a session is opened with.

    Raises:
        InvalidParams: a path is not absolute (V1-SES-02, V1-DIR-02), or a server is unknown.
    """
    directories = tuple(known(model.additional_directories) or ())
    _check_absolute("cwd", model.cwd)
    for directory in directories:
        _check_absolute("additionalDirectories", directory)
    servers = known(model.mcp_servers) or []
    return SessionRequest(
        model.cwd,
        directories,
        tuple(mcp_server_from(server) for server in servers),
        system_prompt_from(model.system_prompt),
        known(model.meta),
    )


def _check_absolute(member: str, path: str) -> None:
    if not is_absolute(path):
        raise InvalidParams(f"Invalid params: `{member}` is not an absolute path", {"path": member})


def system_prompt_model(prompt: SystemPrompt | None, lose: Lose) -> v1.SystemPrompt | UnsetType:
    if prompt is None:
        return UNSET
    content = [block_model(block, lose) for block in prompt.content]
    return v1.SystemPrompt(mode=prompt.mode, content=content, meta=given(prompt.meta))


def system_prompt_from(model: v1.SystemPrompt | UnsetType | None) -> SystemPrompt | None:
    if not isinstance(model, v1.SystemPrompt):
        return None
    return SystemPrompt(blocks_from(model.content), model.mode, known(model.meta))


def sound_info(info: SessionInfo, lose: Lose) -> SessionInfo | None:
    """V1-LST-08: a directory is absolute and a time one of ISO 8601, or it is not listed."""
    if not is_absolute(info.cwd):
        lose("session.cwd", "a session whose directory is not absolute")
        return None
    if info.updated_at is not None and not re.match(_ISO_8601, info.updated_at):
        lose("session.updated_at", "a time that is not one of ISO 8601")
        return replace(info, updated_at=None)
    return info


def info_model(info: SessionInfo, *, unstable: bool) -> v1.SessionInfo:
    return v1.SessionInfo(
        session_id=info.session_id,
        cwd=info.cwd,
        additional_directories=list(info.additional_directories) or UNSET,
        title=given(info.title),
        updated_at=given(info.updated_at),
        archived=given(info.archived) if unstable else UNSET,
        meta=given(info.meta),
    )


def info_from(model: v1.SessionInfo) -> SessionInfo:
    return SessionInfo(
        model.session_id,
        model.cwd,
        known(model.title),
        known(model.updated_at),
        tuple(known(model.additional_directories) or ()),
        known(model.archived),
        known(model.meta),
    )


# How a turn ended.


def usage_model(usage: TurnUsage) -> v1.Usage:
    return v1.Usage(
        total_tokens=usage.total,
        input_tokens=usage.input,
        output_tokens=usage.output,
        thought_tokens=given(usage.thought),
        cached_read_tokens=given(usage.cached_read),
        cached_write_tokens=given(usage.cached_write),
        meta=given(usage.meta),
    )


def usage_from(model: v1.Usage | UnsetType | None) -> TurnUsage | None:
    if not isinstance(model, v1.Usage):
        return None
    return TurnUsage(
        model.total_tokens,
        model.input_tokens,
        model.output_tokens,
        known(model.thought_tokens),
        known(model.cached_read_tokens),
        known(model.cached_write_tokens),
        known(model.meta),
    )


def failure_model(failure: Failure) -> v1.Error:
    data: Any = UNSET if failure.data is None else failure.data
    return v1.Error(code=failure.code, message=failure.message, data=data)


def failure_from(model: v1.Error | UnsetType | None) -> Failure | None:
    if not isinstance(model, v1.Error):
        return None
    return Failure(model.code, model.message, known(model.data))
