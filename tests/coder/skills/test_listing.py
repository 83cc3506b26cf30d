"""The skills as the model is told of them."""

from parley.coder.skills.listing import listing
from parley.coder.skills.skill import Skill


def skills(count: int, length: int) -> list[Skill]:
    return [Skill(f"skill-{at:03}", "d" * length, f"/s/{at}") for at in range(count)]


def test_nothing_is_said_where_there_is_nothing() -> None:
    assert listing((), 1000) == ""
    assert listing((Skill("a", "A", "/a", for_model=False),), 1000) == ""


def test_every_skill_is_listed_with_its_description() -> None:
    text = listing((Skill("a", "Does a.", "/a"), Skill("b", "Does b.", "/b")), 2000)
    assert text.endswith("\n- a: Does a.\n- b: Does b.")


def test_long_descriptions_are_cut() -> None:
    assert listing(skills(1, 1024), 10_000).endswith("d…")


def test_where_room_is_short_every_description_becomes_shorter() -> None:
    text = listing(skills(40, 400), 6_000)
    assert len(text) <= 6_000
    lines = text.splitlines()[1:]
    assert len(lines) == 40
    assert len({line.partition(": ")[2] for line in lines}) == 1
    assert lines[0].endswith("d…")


def test_then_the_names_alone_are_listed() -> None:
    text = listing(skills(100, 400), 2_500)
    assert len(text) <= 2_500
    assert text.endswith("- skill-098\n- skill-099")


def test_and_then_only_some_of_them() -> None:
    text = listing(skills(200, 400), 800)
    assert len(text) < 850
    assert "- skill-000\n" in text
    assert text.splitlines()[-1].startswith("- and 1")


def test_the_same_skills_give_the_same_text() -> None:
    assert listing(skills(60, 300), 4_000) == listing(skills(60, 300), 4_000)
