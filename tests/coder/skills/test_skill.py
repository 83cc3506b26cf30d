"""What a `SKILL.md` says of its skill."""

import pytest

from parley.coder.skills.skill import MOST_BYTES, Skill, Unusable, body_of, skill_of
from parley.coder.unseen import seen


def read(text: str | bytes, folder_name: str = "here") -> Skill | Unusable:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return skill_of(data, "/s/here", folder_name)


def problem(text: str | bytes, folder_name: str = "here") -> str:
    found = read(text, folder_name)
    assert isinstance(found, Unusable)
    return found.problem


def test_name_and_description_are_read() -> None:
    text = "---\nname: pdf-forms\ndescription: Fills forms.\nallowed-tools: Bash\n---\n# How"
    assert read(text) == Skill("pdf-forms", "Fills forms.", "/s/here")


def test_the_folder_and_the_first_line_count_where_nothing_is_said() -> None:
    assert read("\n# Fill forms\n\nLike this.") == Skill("here", "Fill forms", "/s/here")


def test_who_may_start_it_is_read() -> None:
    text = "---\ndisable-model-invocation: true\nargument-hint: '[file]'\n---\nBody"
    assert read(text) == Skill("here", "Body", "/s/here", "[file]", for_model=False)
    text = "---\nuser-invocable: false\n---\nBody"
    assert read(text) == Skill("here", "Body", "/s/here", for_user=False)


@pytest.mark.parametrize(
    "name",
    ["a/b", "../up", ".", "a b", "-a", "ü", "a\u202eb", "a\u200bb", "a" * 65, "skill:x", "a\tb"],
)
def test_a_name_that_is_no_plain_word_is_refused(name: str) -> None:
    assert "its name may have" in problem(f"---\nname: {name}\n---\nBody")
    assert "its name may have" in problem("Body", name)


@pytest.mark.parametrize("text", ["", "---\nname: x\n---\n", "---\nname: x\n---\n\u200b\n \x00"])
def test_a_skill_without_text_is_refused(text: str) -> None:
    assert "has no text" in problem(text)


def test_what_is_no_text_is_refused() -> None:
    assert "is not UTF-8" in problem(b"---\nname: \xff\n---\nBody")
    assert "is not UTF-8" in problem("\ud800")


def test_a_file_that_is_too_long_is_refused() -> None:
    assert f"longer than {MOST_BYTES}" in problem(b"x" * (MOST_BYTES + 1))
    assert isinstance(read(b"x" * MOST_BYTES), Skill)


def test_a_description_is_one_line_of_seen_characters() -> None:
    text = '---\ndescription: "one\\ntwo\u202e \u2028three\\u001b[31m\U000e0041"\n---\nBody'
    found = read(text)
    assert isinstance(found, Skill)
    assert found.description == "one two three[31m"
    long = read(f"---\ndescription: {'x' * 5000}\n---\nBody")
    assert isinstance(long, Skill)
    assert len(long.description) == 1024


def test_the_body_has_no_hidden_characters() -> None:
    assert body_of("---\nname: x\n---\nOne\u200b\n\tTwo\x1b\r\n".encode()) == "One\n\tTwo"
    assert seen("a\u2066b\U000e0020") == "ab"
