"""Tool calls as a person sees them."""

from parley.coder.message import CallPart, ImagePart
from parley.coder.shown_call import begun_call, done_call, ended_call, prepared_call
from parley.coder.tools.tool import Outcome, Prepared, Progress
from parley.session.content import ContentItem, Image, Location, Text
from parley.session.event import ToolCallChanged
from tests.coder.stage import SmallTool, answered


async def _nothing(progress: Progress) -> Outcome:
    return Outcome("")


def test_a_call_begins_with_a_readable_title_and_the_kind_of_its_tool() -> None:
    tool = SmallTool("look_up", "read", answered)
    assert begun_call("c", "look_up", tool) == ToolCallChanged(
        "c", title="Look up", name="look_up", kind="read", status="pending"
    )
    assert begun_call("c", "", None) == ToolCallChanged(
        "c", title="Unknown tool", name="", kind="other", status="pending"
    )


def test_nothing_is_hidden_in_the_name_of_a_tool_that_does_not_exist() -> None:
    begun = begun_call("c", "read\u202e_file\x1b[2J\n" + "x" * 5000, None)
    assert begun.name == "read\\u202e_file\\u001b[2J\\n" + "x" * 73 + "…"
    assert begun.title == begun.name.replace("_", " ").capitalize()


def test_a_prepared_call_shows_what_it_would_do() -> None:
    preview, places = (ContentItem(Text("diff")),), (Location("/a", 3),)
    prepared = Prepared("Edit a", (), _nothing, places, preview)
    call, tool = CallPart("c", "edit", {"path": "a"}), SmallTool("edit", "write", answered)
    assert prepared_call(call, prepared, tool) == ToolCallChanged(
        "c",
        title="Edit a",
        kind=tool.kind,
        status="pending",
        content=preview,
        locations=places,
        raw_input={"path": "a"},
    )


def test_a_call_that_came_to_nothing_says_why() -> None:
    assert ended_call("c", "no", status="cancelled", raw_input={}) == ToolCallChanged(
        "c", status="cancelled", content=(ContentItem(Text("no")),), raw_input={}, raw_output="no"
    )


def test_the_text_of_an_outcome_is_shown_where_nothing_else_is() -> None:
    outcome = Outcome("text", images=(ImagePart("aGk=", "image/png"),))
    shown = (ContentItem(Text("text")), ContentItem(Image("aGk=", "image/png")))
    assert done_call("c", outcome, shown=False) == ToolCallChanged(
        "c", status="completed", content=shown, raw_output="text"
    )
    assert done_call("c", outcome, shown=True) == ToolCallChanged(
        "c", status="completed", raw_output="text"
    )


def test_an_outcome_with_its_own_content_replaces_what_is_shown() -> None:
    places = (Location("/a", 1),)
    outcome = Outcome("text", (), {"exit_code": 1}, True, (), places)
    assert done_call("c", outcome, shown=True) == ToolCallChanged(
        "c", status="failed", content=(), raw_output={"exit_code": 1}, locations=places
    )
