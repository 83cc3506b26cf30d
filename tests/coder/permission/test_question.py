"""A question shows exactly what would run or change, in full and in plain sight."""

from parley.coder.permission.access import (
    CallsServer,
    Delegates,
    FetchesUrl,
    ReadsPath,
    RunsCommand,
    TouchesNothing,
    WritesPath,
)
from parley.coder.permission.policy import Request, Verdict
from parley.coder.permission.question import question_for
from parley.session.event import ToolCallChanged
from parley.session.question import PermissionQuestion, ToolCallSubject

ASK = Verdict("ask", "It may change something.")


def ask(request: Request, title: str = "Do it", verdict: Verdict = ASK) -> PermissionQuestion:
    call = ToolCallChanged("call-1", kind="execute", raw_input={"command": "x"})
    return question_for(request, title, call, verdict, ("/w", "/second"))


def test_a_command_is_shown_whole_with_its_folder() -> None:
    command = "echo start\n" + "x" * 5_000 + "\nrm -rf /"
    question = ask(Request("bash", "execute", (RunsCommand(command, "/w"),)), "Run `echo`")
    assert question.description == f"Run in /w:\n{command}\nIt may change something."
    assert question.subject == ToolCallSubject(
        ToolCallChanged("call-1", title="Run `echo`", kind="execute", raw_input={"command": "x"})
    )
    assert [option.id for option in question.options] == [
        "allow_once",
        "allow_always",
        "reject_once",
        "reject_always",
    ]


def test_a_folder_that_is_not_the_session_s_is_pointed_out() -> None:
    question = ask(Request("bash", "execute", (RunsCommand("ls", "/second"),)))
    assert question.description is not None
    assert "/second, which is not the folder of the session:" in question.description


def test_everything_that_is_touched_is_named_by_its_real_path() -> None:
    access = (
        ReadsPath("/w/a"),
        WritesPath("/w/b"),
        FetchesUrl("https://x.org/"),
        TouchesNothing(),
    )
    question = ask(Request("odd", "write", access))
    assert question.description == (
        "Read /w/a\nWrite /w/b\nFetch https://x.org/\nIt may change something."
    )


def test_a_call_of_a_server_is_shown_with_its_arguments() -> None:
    arguments = '{\n  "path": "a\u202e"\n}'
    question = ask(Request("x__y", "execute", (CallsServer("x\x1b", "y", arguments),)))
    assert question.description == (
        "Call `y` of the MCP server `x\\u001b` with:\n"
        '{\n  "path": "a\\u202e"\n}\n'
        "It may change something."
    )


def test_the_task_of_a_sub_agent_is_shown_whole_with_its_tools() -> None:
    task = "look\u202e\n" + "x" * 5_000
    access = Delegates(task, ("read_file", "x\x1b"), reads_only=False)
    question = ask(Request("agent", "execute", (access,)))
    assert question.description == (
        "Start a sub-agent that may use `read_file`, `x\\u001b`, for this task:\n"
        "look\\u202e\n" + "x" * 5_000 + "\nIt may change something."
    )


def test_nothing_hidden_reaches_the_person() -> None:
    command = "ls\x1b[2K\r\u202e\nrm x"
    question = ask(
        Request("bash", "execute", (RunsCommand(command, "/w/\u200b"),)), "Run\n\x07`ls`\u2066"
    )
    assert question.title == "Run\\u000a\\u0007`ls`\\u2066"
    assert isinstance(question.subject, ToolCallSubject)
    assert question.subject.tool_call.title == question.title
    assert question.description is not None
    shown = question.description.splitlines()
    assert shown[1:3] == ["ls\\u001b[2K\\u000d\\u202e", "rm x"]
    assert "\\u200b" in shown[0]


def test_an_answer_that_would_not_hold_is_not_offered() -> None:
    verdict = Verdict("ask", "Why", lasting=False)
    question = ask(Request("x", "write", (WritesPath("/w/.git/x"),)), verdict=verdict)
    assert "allow_always" not in [option.id for option in question.options]
