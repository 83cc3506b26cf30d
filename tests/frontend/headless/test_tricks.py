"""Tricks in every field that an agent controls: none of them reaches the terminal raw."""

import re

import pytest

import parley
from parley.errors import RpcError
from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.final_output import FinalOutput
from parley.frontend.headless.json_output import JsonOutput
from parley.frontend.headless.text_output import TextOutput
from parley.session.content import DiffItem, FileChange, Link, Location
from parley.session.event import (
    CompactionChanged,
    InfoChanged,
    NoticeGiven,
    OptionsChanged,
    OtherHappened,
    PlanChanged,
    SubagentChanged,
    ToolCallChanged,
)
from parley.session.option import Choice, PlanEntry, PlanItems, PlanMarkdown, Select
from parley.session.question import PermissionOption
from tests.frontend.headless.staging import Person, play
from tests.frontend.tricks import TRICKS, leaked

# Some hundred tricks in one text come to the same as one after the other, and are quicker.
# A surrogate alone cannot travel: no text in UTF-8 holds one.
TEXTS = [trick.text.encode("utf-8", "ignore").decode() for trick in TRICKS]
BUNDLES = [" ".join(TEXTS[at : at + 60]) for at in range(0, len(TEXTS), 60)]
OUTPUTS = (TextOutput, JsonOutput, FinalOutput)


def tricky(text: str) -> parley.Agent:
    """An agent that writes a text wherever it can."""
    agent = parley.Agent(text or "x", text, title=text)

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        await turn.think(text)
        await turn.say(text)
        await turn.say(Link(text, text, text))
        for event in (
            NoticeGiven(text, text, text),
            PlanChanged("p", PlanItems((PlanEntry(text, text, "in_progress"),))),
            PlanChanged("q", PlanMarkdown(text)),
            OptionsChanged((Select("m", text, "a", (Choice("a", text),), category="mode"),)),
            OptionsChanged((Select("m", text, text, (Choice(text, text),), category="mode"),)),
            InfoChanged(title=text),
            CompactionChanged("c", "completed", error=text),
            SubagentChanged("s2", title=text),
            OtherHappened(f"_{text}", {"sessionUpdate": f"_{text}"}),
            ToolCallChanged("t0", title=text, name=text, kind=text, status="failed"),
        ):
            await turn.emit(event)
        options = (PermissionOption(text, text, "allow_once"), PermissionOption("n", text, "x"))
        change = FileChange(text, f"/{text}", f"/{text}", old_text=text, new_text=f"{text}!")
        async with turn.tool(text, kind="execute", input={"command": text, "cwd": text}) as call:
            await call.update(locations=(Location(f"/{text}"),))
            await call.add(DiffItem((change,)))
            await call.text(text)
            await call.ask(text, options=options, description=text)
            await call.fail(text)
        # Nobody may ask for a secret in a form, so the words for one are left out.
        name = re.sub("[a-zA-Z]", "x", text)
        field = {"type": "string", "title": name, "description": text}
        await turn.form(text, {"type": "object", "properties": {name: field}})
        raise RpcError(-32050, text, text)

    return agent


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("text", BUNDLES, ids=range(len(BUNDLES)))
def test_no_trick_gets_through_in_any_field(text: str, version: int) -> None:
    for output in OUTPUTS:
        for person in (None, Person("a", "", None)):
            played = play(tricky(text), output=output, version=version, person=person, verbose=True)
            assert played.code == ExitCode.FAILED
            assert leaked(played.out) == []
            assert leaked(played.err) == []
            assert "(-32050)" in played.err  # It came to the very end.
