"""The early draft of version 2, as far as it is still understood. Pure data and rewriting.

Accepted on input only; what we send is always of today (SEE-05 to SEE-08). Each function rewrites
members in place and names the dialect if it changed anything, so that every use is counted.
"""

from collections.abc import Callable
from typing import Any, cast

from parley.protocol.v2.git_patch import git_patch
from parley.session.content import FileChange
from parley.session.profile import UNKNOWN

DRAFT = "v2-2026-06"
"""The name under which uses are counted."""
DRAFT_OF_AUGUST = "v2-2026-08"
"""A later draft, of which only the empty answer to a prompt differs."""

ALIASES = {
    "authenticate": "auth/login",
    "logout": "auth/logout",
    "session/load": "session/resume",
}
"""Methods of an agent under the names of the draft. `session/load` replays from the start."""

MALFORMED = "malformed"
"""What is no dialect but has a meaning all the same."""

PLACEHOLDER = {"name": UNKNOWN.name, "version": UNKNOWN.version}

Members = dict[str, Any]


def repair_info(members: Members) -> str | None:
    """`clientInfo` or `agentInfo` instead of `info`; a placeholder where there is neither."""
    if _is_info(members.get("info")):
        return None
    found = next((members[key] for key in _INFO if _is_info(members.get(key))), PLACEHOLDER)
    members["info"] = found
    return DRAFT


_INFO = ("clientInfo", "agentInfo")


def repair_logins(members: Members) -> str | None:
    """Logins that have an `id` instead of a `methodId`, and maybe no type."""
    changed = False
    for method in _objects(members.get("authMethods")):
        changed |= _renamed(method, "id", "methodId")
        changed |= _tagged(method, "agent")
    return DRAFT if changed else None


def repair_option_value(members: Members) -> str | None:
    """A value that does not say whether it is an id or a boolean."""
    tag = "boolean" if isinstance(members.get("value"), bool) else "id"
    return DRAFT if _tagged(members, tag) else None


def repair_setup(members: Members) -> str | None:
    """Options and commands in the answer to a request that opens a session, or changes one."""
    changed = _repair_options(members.get("configOptions"))
    changed |= _repair_commands(members.get("availableCommands"))
    return DRAFT if changed else None


def repair_update(members: Members) -> str | None:
    """Updates whose keys and tags have changed since."""
    update = _object(members.get("update"))
    if update is None:
        return None
    repair = _UPDATES.get(str(update.get("sessionUpdate")))
    return DRAFT if repair is not None and repair(update) else None


def repair_capabilities(members: Members) -> str | None:
    """V2-TCX-05: malformed controls are no controls, where other malformed members say nothing."""
    update = _object(members.get("update"))
    if update is None or _object(update.get("capabilities", {})) is not None:
        return None
    update["capabilities"] = None
    return MALFORMED


def repair_permission(members: Members) -> str | None:
    """A permission for a `toolCall` that has neither title nor subject."""
    tool_call = _object(members.get("toolCall"))
    if tool_call is None or "title" in members:
        return None
    title = tool_call.get("title")
    members["title"] = title if isinstance(title, str) else "Permission required"
    members["subject"] = {"type": "tool_call", "toolCall": members.pop("toolCall")}
    _repair_tool_call(tool_call)
    return DRAFT


def _repair_options(options: Any) -> bool:
    changed = False
    for option in _objects(options):
        changed |= _renamed(option, "id", "configId")
        for group in _objects(option.get("options")):
            changed |= "options" in group and _renamed(group, "group", "groupId")
    return changed


def _repair_commands(commands: Any) -> bool:
    changed = False
    for command in _objects(commands):
        changed |= _tagged(command, "command")
        taken = _object(command.get("input"))
        if taken is not None:
            changed |= _tagged(taken, "text")
            if taken["type"] == "unstructured":
                taken["type"] = "text"
                changed = True
    return changed


def _repair_plan(update: Members) -> bool:
    plan = _object(update.get("plan"))
    return plan is not None and _renamed(plan, "id", "planId")


def _repair_tool_call(update: Members) -> bool:
    changed = False
    for item in _objects(update.get("content")):
        changed |= _repair_diff(item)
    return changed


def _repair_content_chunk(update: Members) -> bool:
    item = _object(update.get("content"))
    return item is not None and _repair_diff(item)


def _repair_diff(item: Members) -> bool:
    """A diff of two texts becomes one of changes and a patch."""
    path, old, new = item.get("path"), item.get("oldText"), item.get("newText")
    if item.get("type") != "diff" or "changes" in item:
        return False
    if not isinstance(path, str) or not isinstance(new, str):
        return False
    old = old if isinstance(old, str) else None
    change = FileChange("add" if old is None else "modify", path, old_text=old, new_text=new)
    for key in ("path", "oldText", "newText"):
        item.pop(key, None)
    item["changes"] = [{"operation": change.operation, "path": path, "fileType": "text"}]
    if text := git_patch([change]):
        item["patch"] = {"format": "git_patch", "text": text}
    return True


_UPDATES: dict[str, Callable[[Members], bool]] = {
    "plan_update": _repair_plan,
    "config_option_update": lambda update: _repair_options(update.get("configOptions")),
    "available_commands_update": lambda update: _repair_commands(update.get("availableCommands")),
    "tool_call_update": _repair_tool_call,
    "tool_call_content_chunk": _repair_content_chunk,
}


def _is_info(value: Any) -> bool:
    info = _object(value)
    return info is not None and all(isinstance(info.get(key), str) for key in PLACEHOLDER)


def _renamed(members: Members, old: str, new: str) -> bool:
    if new in members or old not in members:
        return False
    members[new] = members.pop(old)
    return True


def _tagged(members: Members, tag: str) -> bool:
    if "type" in members:
        return False
    members["type"] = tag
    return True


def _object(value: Any) -> Members | None:
    return cast("Members", value) if isinstance(value, dict) else None


def _objects(value: Any) -> list[Members]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]
