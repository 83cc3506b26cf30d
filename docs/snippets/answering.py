"""A client that decides by itself, and fills in forms."""

from typing import Any

import parley
from parley.session.question import Elicitation, FormQuestion, PermissionQuestion, ToolCallSubject

client = parley.Client("answering", "1.0")


@client.permission
async def decide(session: parley.RemoteSession, question: PermissionQuestion) -> bool:
    """Yes to reading, no to everything else; an option or its id can be returned as well."""
    match question.subject:
        case ToolCallSubject(tool_call=call):
            return session.state.tool_calls[call.id].kind == "read"
        case _:
            return False


@client.elicitation
async def fill_in(question: Elicitation) -> dict[str, Any] | None:
    """The values, or `None` for no answer."""
    return {"name": "Ada"} if isinstance(question, FormQuestion) else None
