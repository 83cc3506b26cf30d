"""The tool that loads skills."""

import asyncio
from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.permission.access import ReadsPath, TouchesNothing
from parley.coder.skills.places import found_in
from parley.coder.skills.tool import SkillTool
from parley.coder.tools.tool import Desk, Outcome, Prepared
from parley.coder.workspace.workspace import Workspace
from tests.coder.skills.folders import add_skill
from tests.coder.tools.witness import Witness


async def prepared(place: Path, /, root: str = "/nowhere", **arguments: str) -> Prepared:
    tool = SkillTool(lambda: {each.name: each for each in found_in((str(place),)).skills})
    return await tool.prepare(arguments, Desk("s", Workspace((root,))))


def run(place: Path, **arguments: str) -> Outcome:
    async def scenario() -> Outcome:
        return await (await prepared(place, **arguments)).run(Witness())

    return asyncio.run(scenario())


def test_a_skill_is_loaded_without_touching_anything(tmp_path: Path) -> None:
    add_skill(tmp_path, "ant", "Do this.", guide_md="x")
    call = asyncio.run(prepared(tmp_path, name="ant"))
    assert (call.title, call.access) == ("Load the skill ant", (TouchesNothing(),))
    assert "Do this." in run(tmp_path, name="ant").text
    assert "Do this." in run(tmp_path, name="/ant", file="").text


def test_rules_and_hooks_see_what_is_read_in_the_workspace(tmp_path: Path) -> None:
    folder = add_skill(tmp_path, "ant", guide_md="x")
    (folder / "alias").symlink_to("guide.md")
    whole = asyncio.run(prepared(tmp_path, str(tmp_path), name="ant"))
    assert whole.access == (ReadsPath(f"{folder}/SKILL.md"),)
    file = asyncio.run(prepared(tmp_path, str(tmp_path), name="ant", file="alias"))
    assert file.access == (ReadsPath(f"{folder}/guide.md"),)
    with pytest.raises(ToolError, match="lies outside of the skill"):
        asyncio.run(prepared(tmp_path, str(tmp_path), name="ant", file="../x"))


def test_a_file_of_a_skill_is_read(tmp_path: Path) -> None:
    add_skill(tmp_path, "ant", guide_md="how")
    call = asyncio.run(prepared(tmp_path, name="ant", file="guide\n.md"))
    assert call.title == "Read guide\\n.md of the skill ant"
    assert run(tmp_path, name="ant", file="guide.md").text == "how"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("ants", "there is no skill `ants`; did you mean `ant`?"),
        ("../ant", "did you mean `ant`?"),
        ("zzzz", "there is no skill `zzzz`; use none"),
        ("secret", "there is no skill `secret`"),
        ("x" * 10_000, "use none"),
    ],
)
def test_other_names_are_refused(tmp_path: Path, name: str, answer: str) -> None:
    add_skill(tmp_path, "ant")
    secret = add_skill(tmp_path, "secret")
    (secret / "SKILL.md").write_text("---\ndisable-model-invocation: true\n---\nBody")
    with pytest.raises(ToolError) as refused:
        run(tmp_path, name=name)
    assert answer in str(refused.value)
    assert len(str(refused.value)) < 200
