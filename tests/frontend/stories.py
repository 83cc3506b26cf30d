"""A session with everything in it, for the tests of what renders sessions."""

from parley.session.content import (
    Audio,
    ContentItem,
    DiffItem,
    FileChange,
    Image,
    Link,
    OtherBlock,
    OtherItem,
    Resource,
    TerminalItem,
    Text,
)
from parley.session.event import (
    ChunkAdded,
    CompactionChanged,
    Cost,
    Event,
    ExitStatus,
    Failure,
    InfoChanged,
    MessageChanged,
    NoticeGiven,
    PlanChanged,
    SessionMessageChanged,
    StateChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    UsageChanged,
)
from parley.session.option import (
    MAIN_PLAN,
    OtherPlan,
    PlanEntry,
    PlanFile,
    PlanItems,
    PlanMarkdown,
)
from parley.session.role import SessionInfo

INFO = SessionInfo("abcdefgh12345678", "/project", "Mend the mean", "2026-01-02T03:04:05Z")
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/"
    "eHgVWwAAAABJRU5ErkJggg=="
)


def one_turn() -> list[Event]:
    """A prompt, a thought, an edit, a command, an answer."""
    change = FileChange("modify", "/project/a.py", old_text="a\nb\n", new_text="a\nc\n")
    return [
        StateChanged("running"),
        MessageChanged("user", "u1", (Text("Mend it"), Link("file:///x.txt", "x"))),
        ChunkAdded("thought", Text("I should look."), "t1"),
        ToolCallChanged(
            "c1", "Edit a.py", kind="edit", status="completed", content=(DiffItem((change,)),)
        ),
        TerminalChanged("term", "pytest", exit=ExitStatus(2)),
        TerminalOutputAdded("term", b"1 failed\r\n"),
        ToolCallChanged(
            "c2", "Run pytest", kind="execute", status="failed", content=(TerminalItem("term"),)
        ),
        ChunkAdded("agent", Text("It is **mended**."), "a1"),
        PlanChanged(
            MAIN_PLAN,
            PlanItems((PlanEntry("look", status="completed"), PlanEntry("mend"))),
        ),
        UsageChanged(10, 100, Cost(0.25, "USD")),
        StateChanged("idle", "end_turn"),
    ]


def strange_things() -> list[Event]:
    """What a session rarely has, and some that nobody knows."""
    return [
        NoticeGiven("No model", "warning", "set a key"),
        NoticeGiven("Hello"),
        MessageChanged(
            "user",
            "u2",
            (
                Image(PIXEL, "image/png"),
                Image("not base64!", "image/png"),
                Image(PIXEL, "image/svg+xml"),
                Audio("AAAA", "audio/wav"),
                Resource("file:///y.txt", "the text of y"),
                OtherBlock("smell", {}),
            ),
        ),
        MessageChanged("agent", "a2", ()),
        ToolCallChanged("c3", status="in_progress", raw_output={"found": 1}),
        ToolCallChanged("c4", name="grep", status="cancelled", raw_output="plain"),
        TerminalChanged("t2", exit=ExitStatus(signal="SIGKILL")),
        ToolCallChanged(
            "c5",
            "Much",
            content=(
                ContentItem(Text("\n".join(f"line {n}" for n in range(40)))),
                ContentItem(Image(PIXEL, "image/png")),
                TerminalItem("t2"),
                TerminalItem("elsewhere"),
                OtherItem("hologram", {}),
            ),
        ),
        CompactionChanged("k", "failed", error="too large"),
        SessionMessageChanged("m", content=(Text("to another"),)),
        InfoChanged("A new title"),
        PlanChanged("p1", PlanMarkdown("first this")),
        PlanChanged("p2", PlanFile("file:///plan.md")),
        PlanChanged("p3", OtherPlan("dance", {})),
        StateChanged("idle", "cancelled"),
        StateChanged("idle", "sleepy"),
        StateChanged("idle", "error", Failure(-32603, "boom")),
        StateChanged("idle"),
    ]


def tricky(text: str) -> list[Event]:
    """One text in every place that an agent can put one."""
    change = FileChange(text, text, old_path=text, old_text=text, new_text=f"{text} x")
    items = (
        ContentItem(Text(text)),
        ContentItem(Link(text, text)),
        DiffItem((change,)),
        TerminalItem("t"),
        OtherItem(text, {}),
    )
    return [
        InfoChanged(text),
        MessageChanged("user", "u", (Text(text), Resource(text, text), OtherBlock(text, {}))),
        ChunkAdded("thought", Text(text), "t"),
        ChunkAdded("agent", Text(text), "a"),
        TerminalChanged("t", text, exit=ExitStatus(signal=text)),
        TerminalOutputAdded("t", text.encode("utf-8", "replace")),
        ToolCallChanged("c", text, status=text, kind=text, content=items),
        MessageChanged("agent", "i", (Image("AAAA", text), Audio("AAAA", text))),
        PlanChanged(MAIN_PLAN, PlanItems((PlanEntry(text, status=text),))),
        NoticeGiven(text, description=text),
        CompactionChanged("k", text, error=text),
        UsageChanged(1, 2, Cost(1.0, text)),
        StateChanged("idle", text),
        StateChanged("idle", "error", Failure(1, text)),
    ]
