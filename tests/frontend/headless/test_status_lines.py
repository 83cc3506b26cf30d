"""Short lines beside the output."""

from collections.abc import Callable

from parley.frontend.headless.brief_state import BriefState
from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.output import Answered, How, Opened, Result, Trouble, TurnEnd
from parley.frontend.headless.screen import ProgressText, Screen
from parley.frontend.headless.status_lines import NoStatusLines, StatusLines
from parley.session.content import ContentItem, DiffItem, FileChange, Text
from parley.session.event import (
    ChunkAdded,
    CompactionChanged,
    Event,
    Failure,
    InfoChanged,
    NoticeGiven,
    OptionsChanged,
    OtherHappened,
    PlanChanged,
    StateChanged,
    SubagentChanged,
    ToolCallChanged,
    TurnUsage,
)
from parley.session.option import (
    Choice,
    PlanEntry,
    PlanFile,
    PlanItems,
    PlanMarkdown,
    Select,
)
from parley.session.profile import AgentProfile, Implementation
from parley.session.question import PermissionQuestion
from tests.frontend.headless.staging import on_screen


def lines(
    *events: Event,
    verbose: bool = False,
    kind: type[StatusLines] = StatusLines,
    then: Callable[[StatusLines], None] = lambda _: None,
    columns: int | None = None,
    progress: ProgressText | None = None,
) -> list[str]:
    async def act(screen: Screen) -> None:
        state = BriefState("s")
        status = kind(screen, progress or ProgressText(), lambda: 0.0, verbose=verbose)
        status.follow(state)
        for event in events:
            state.take(event)
            status.event("s", event)
        then(status)

    facts = {} if columns is None else {"columns": columns, "stderr_is_terminal": True}
    return on_screen(act, **facts)[1].splitlines()


def call(status: str, title: str = "Do it", *, id_: str = "t", text: str = "") -> ToolCallChanged:
    content = (ContentItem(Text(text)),) if text else ()
    return ToolCallChanged(id_, title=title, status=status, content=content)


def test_a_tool_call_has_one_line_when_it_is_over() -> None:
    assert lines(call("pending"), call("in_progress"), call("completed"), call("completed")) == [
        "✓ Do it"
    ]
    assert lines(call("cancelled")) == ["- Do it"]
    assert lines(call("failed", text="\nno such file\nmore")) == ["✗ Do it: no such file"]
    assert lines(call("failed")) == ["✗ Do it"]


def test_a_call_without_a_title_has_the_next_best_name() -> None:
    assert lines(ToolCallChanged("t", name="grep", status="completed")) == ["✓ grep"]
    assert lines(ToolCallChanged("t", kind="read", status="completed")) == ["✓ read"]


def test_an_edit_says_how_many_lines_it_changed() -> None:
    known = DiffItem((FileChange("modify", "/a", old_text="x\n", new_text="y\nz\n"),))
    unknown = DiffItem((FileChange("modify", "/a"),))
    done = ToolCallChanged("t", title="Edit", status="completed", content=(known,))
    assert lines(done) == ["✓ Edit (+2 -1)"]
    assert lines(ToolCallChanged("t", title="Edit", status="completed", content=(unknown,))) == [
        "✓ Edit"
    ]


def test_what_an_agent_writes_is_safe_and_on_one_line_and_no_wider_than_the_terminal() -> None:
    assert lines(call("completed", "a\x1b[2J\nb")) == ["✓ a\\u001b[2J⏎b"]
    (line,) = lines(call("completed", "x" * 500), columns=30)
    assert len(line) == 29
    (line,) = lines(call("completed", "x" * 500))
    assert len(line) == 200


def test_what_is_being_done_is_what_the_progress_says() -> None:
    progress = ProgressText()
    lines(call("in_progress", "Read a"), progress=progress)
    assert progress.now(0) == "… Read a"
    lines(StateChanged("running"), progress=progress)
    assert progress.now(0) == "… thinking"


def test_a_plan_is_told_when_it_moves() -> None:
    def plan(*statuses: str) -> PlanChanged:
        entries = tuple(PlanEntry(f"step {i}", status=each) for i, each in enumerate(statuses))
        return PlanChanged("p", PlanItems(entries))

    assert lines(
        plan("in_progress", "pending"), plan("in_progress", "pending"), plan("completed", "pending")
    ) == ["plan: 0 of 2 done; now: step 0", "plan: 1 of 2 done"]
    assert lines(PlanChanged("p", PlanMarkdown("# do\nit"))) == ["plan: # do⏎it"]
    assert lines(PlanChanged("p", PlanFile("file:///p"))) == ["plan: changed"]


def test_notices_compactions_and_sub_agents_have_their_lines() -> None:
    assert lines(
        NoticeGiven("full", "warning", "nearly"),
        NoticeGiven("hi"),
        CompactionChanged("c", "completed"),
        SubagentChanged("s2", title="helper"),
        SubagentChanged("s2"),
    ) == [
        "warning: full: nearly",
        "info: hi",
        "the conversation was shortened",
        "sub-agent: helper",
    ]


def test_a_compaction_is_told_in_words() -> None:
    progress = ProgressText()
    assert lines(CompactionChanged("c", "in_progress"), progress=progress) == []
    assert progress.now(0) == "… shortening the conversation"
    assert lines(
        CompactionChanged("c", "failed", error="no\nroom"),
        CompactionChanged("c", "cancelled"),
        CompactionChanged("c", "new"),
    ) == [
        "the conversation could not be shortened: no",
        "  room",
        "the conversation was not shortened: cancelled",
        "compaction of the conversation: new",
    ]


def test_a_notice_is_whole_wherever_it_is_shown() -> None:
    notice = NoticeGiven("The hook failed.", "warning", "Repair it " + "x" * 300 + "\nhint: do")
    assert lines(notice) == [
        "warning: The hook failed. Repair it " + "x" * 300,
        "  hint: do",
    ]
    asked = NoticeGiven("This project brings the server notes. Nothing runs; see /trust", "warning")
    assert lines(asked, columns=40) == [
        "warning: This project brings the ",
        "    server notes. Nothing runs; see ",
        "    /trust",
    ]


def test_the_title_of_a_failed_call_is_cut_and_its_reason_is_not() -> None:
    failed = call("failed", "Run " + "y" * 80, text="```\nstopped by a hook: no y here\n```")
    assert lines(failed, columns=40) == [
        "✗ Run yyyyyyyyyyyyy…: stopped by a ",
        "    hook: no y here",
    ]
    (line,) = lines(call("failed", "x" * 500, text="z" * 500))
    assert line.endswith("x…: " + "z" * 500)
    assert lines(call("failed", "Trust it?", text="Not trusted.")) == ["✗ Trust it? Not trusted."]


def test_calls_are_told_in_the_order_in_which_they_end() -> None:
    child = {"parley.dev/parentToolCallId": "a"}
    events = (
        ToolCallChanged("a", title="Agent: look", status="in_progress"),
        ToolCallChanged("b", title="look: Read x", status="pending", meta=child),
        ToolCallChanged("b", status="completed"),
        ToolCallChanged("a", status="completed", content=(ContentItem(Text("It has\none.")),)),
    )

    def act(status: StatusLines) -> None:
        # All of them are known before the first one is shown.
        state = BriefState("s")
        status.follow(state)
        for event in events:
            state.take(event)
        for event in events:
            status.event("s", event)

    assert lines(then=act) == ["✓ look: Read x", "✓ Agent: look"]
    assert lines(then=act, verbose=True)[2:] == ["    It has", "    one."]


def test_a_change_of_the_mode_is_told_since_it_changes_what_goes_unasked() -> None:
    def mode(value: str) -> OptionsChanged:
        return OptionsChanged((Select("m", "Mode", value, (Choice("a", "A"),), category="mode"),))

    assert lines(mode("ask"), mode("ask"), mode("full")) == ["mode: full"]
    assert lines(OptionsChanged(())) == []


def test_thoughts_and_curiosities_are_for_who_wants_to_know() -> None:
    events = [
        ChunkAdded("thought", Text("hm, ")),
        ChunkAdded("thought", Text("yes")),
        ChunkAdded("agent", Text("so")),
        ChunkAdded("user", Text("me")),
        OtherHappened("hologram", {}),
        InfoChanged(title="A talk"),
    ]
    assert lines(*events) == []
    assert lines(*events, verbose=True) == [
        "hm, yes",
        "an update of an unknown kind: hologram",
        "title: A talk",
    ]
    assert len(lines(ChunkAdded("thought", Text("x" * 9000)), verbose=True)) == 1


def test_a_refusal_is_told_unless_the_person_made_it() -> None:
    def answer(allowed: bool, how: How) -> Callable[[StatusLines], None]:
        question = PermissionQuestion("q", ())
        return lambda status: status.answered(
            Answered("s", question, "rm x", allowed, how, "no rule")
        )

    assert lines(then=answer(False, "nobody")) == ["✗ refused (no rule): rm x"]
    assert lines(then=answer(False, "person")) == []
    assert lines(then=answer(True, "rule")) == []
    assert lines(then=answer(True, "rule"), verbose=True) == ["allowed by no rule: rm x"]


def ended(reason: str, failure: Failure | None = None) -> Callable[[StatusLines], None]:
    end = TurnEnd("s", 1, reason, ExitCode.FAILED, 0.1, TurnUsage(3, 2, 1), failure)
    return lambda status: status.turn_ended(end)


def test_the_end_of_a_turn_is_told_when_it_is_no_ordinary_one() -> None:
    assert lines(then=ended("end_turn")) == []
    assert lines(then=ended("end_turn"), verbose=True) == ["tokens: 2 in, 1 out"]
    assert lines(then=ended("refusal")) == ["the model refused to go on"]
    assert lines(then=ended("max_tokens")) == ["stopped: the model's limit of tokens was reached"]
    assert lines(then=ended("cancelled")) == ["cancelled"]
    assert "requests" in lines(then=ended("max_turn_requests"))[0]
    assert lines(then=ended("new\x1b")) == [
        "stopped for a reason that is not known here: new\\u001b"
    ]
    assert lines(then=ended("error", Failure(-32603, "no\nmodel"))) == [
        "the agent could not go on: no",
        "  model",
    ]
    assert lines(then=ended("error", Failure(-32603, "no")), verbose=True)[0] == (
        "the agent could not go on (-32603): no"
    )


def test_who_wants_to_know_hears_of_the_session_and_the_costs() -> None:
    agent = AgentProfile(Implementation("a", "1", "Agent"))

    def act(status: StatusLines) -> None:
        status.opened(Opened("s1", "/p", agent, True))
        context = {"used": 1, "size": 9, "cost": 0.5, "currency": "USD"}
        status.finished(Result(ExitCode.DONE, context=context))

    assert lines(then=act) == []
    assert lines(then=act, verbose=True) == [
        "Agent 1 goes on with session s1 (version 1)",
        "context: 1 of 9 tokens, 0.5 USD",
    ]
    assert lines(then=act, kind=NoStatusLines) == []


def test_a_report_of_trouble_is_wrapped_on_a_terminal_and_whole_everywhere() -> None:
    def act(status: StatusLines) -> None:
        status.failed(Trouble(ExitCode.AGENT_DIED, "x" * 60))

    assert lines(then=act) == ["parley run: " + "x" * 60]
    assert lines(then=act, columns=50) == ["parley run: " + "x" * 37, "    " + "x" * 23]


def test_silence_is_broken_only_by_what_went_wrong() -> None:
    def act(status: StatusLines) -> None:
        ended("refusal")(status)
        status.answered(Answered("s", PermissionQuestion("q", ()), "x", False, "rule", "y"))
        status.failed(Trouble(ExitCode.AGENT_DIED, "it died"))
        status.say("said anyway")

    assert lines(call("completed"), then=act, kind=NoStatusLines) == [
        "the model refused to go on",
        "parley run: it died",
        "said anyway",
    ]
