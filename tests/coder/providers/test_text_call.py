"""A call written as text counts when the text is nothing else and the tool exists."""

import pytest

from parley.coder.providers.text_call import TextCall, call_in_text

TOOLS = {"bash", "read_file"}
CALL = TextCall("bash", {"command": "ls"})


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```',
        '\n```\n{"name": "bash", "parameters": {"command": "ls"}}\n  ```\n',
        '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
    ],
)
def test_a_text_that_is_a_call_is_one(text: str) -> None:
    assert call_in_text(text, TOOLS) == CALL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "```",
        '{"name": "bash", "arguments": {"command": "ls"}}',
        'Do this:\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```',
        '```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```\nThen that.',
        '```json\n{"name": "rm", "arguments": {}}\n```',
        '```json\n{"name": "bash"}\n```',
        '```json\n{"name": "bash", "arguments": "ls"}\n```',
        '```json\n["bash"]\n```',
        "```json\nbash ls\n```",
        "<tool_call>" + "[" * 100_000 + "</tool_call>",
    ],
)
def test_everything_else_is_text(text: str) -> None:
    assert call_in_text(text, TOOLS) is None


def test_without_tools_there_are_no_calls() -> None:
    assert call_in_text('```\n{"name": "bash", "arguments": {}}\n```', ()) is None
