"""The tool that finds again what was said."""

from collections.abc import Sequence

import pytest

from parley.coder.message import AgentMessage, CallPart, Message, UserMessage
from parley.coder.permission.access import TouchesNothing
from parley.coder.tools.recall import Recall, found
from parley.coder.tools.tool import Desk
from parley.coder.workspace.workspace import Workspace
from tests.coder.conversations import IMAGE, agent, result, steps, user
from tests.coder.tools.file_desk import answer, prepared, refusal

SAID: list[Message] = [
    user("The password of the test database is swordfish."),
    AgentMessage((CallPart("c1", "bash", {"command": "psql --host db.example"}),)),
    result("c1", "Exit code 0\n\n" + "\n".join(f"row {at}" for at in range(900)), "bash"),
    agent("The database answers."),
    AgentMessage((CallPart("r1", "recall", {"query": "swordfish"}),)),
    result("r1", "swordfish swordfish swordfish", "recall"),
    UserMessage((IMAGE,)),
]


def desk(said: Sequence[Message]) -> Desk:
    async def conversation() -> Sequence[Message]:
        return said

    return Desk("s", Workspace(("/",)), conversation=conversation)


def test_the_passage_is_shown_with_its_place_and_speaker() -> None:
    assert answer(Recall(), desk(SAID), query="swordfish") == (
        "[message 1 of 7, user]\nThe password of the test database is swordfish."
    )


@pytest.mark.parametrize(
    ("query", "who"),
    [("psql host", "call of `bash`"), ("row 777", "result of `bash`"), ("ANSWERS", "agent")],
)
def test_calls_results_and_answers_are_searched(query: str, who: str) -> None:
    assert f"{who}]" in answer(Recall(), desk(SAID), query=query, limit=1)


def test_a_long_result_gives_only_the_lines_around() -> None:
    text = answer(Recall(), desk(SAID), query="row 777", limit=1)
    assert "row 777" in text
    assert len(text) < 1_400


def test_rare_words_count_more_than_common_ones() -> None:
    said = [user(f"the file the step the {at}") for at in range(50)]
    said.insert(7, user("zanzibar"))
    assert [each.text for each in found(said, "the zanzibar", 1)] == ["zanzibar"]


def test_the_words_in_order_count_more_and_the_later_one_wins() -> None:
    said = [user("b a"), user("a b"), user("a b"), user("b a")]
    assert [each.number for each in found(said, "a b", 1)] == [3]
    assert [each.number for each in found(said, "a b", 2)] == [2, 3]


def test_a_line_without_an_end_is_cut_into_passages() -> None:
    said = [user("x " * 3_000 + "needle")]
    (only,) = found(said, "needle", 5)
    assert len(only.text) <= 1_200


def test_nothing_found_is_said() -> None:
    assert "Try others" in answer(Recall(), desk(SAID), query="xylophone")
    assert "Try others" in answer(Recall(), Desk("s", Workspace(("/",))), query="swordfish")


def test_a_query_without_words_is_refused() -> None:
    assert "no words" in refusal(Recall(), desk(SAID), query="?!")
    assert "`limit`" in refusal(Recall(), desk(SAID), query="a", limit=0)


def test_it_touches_nothing_and_says_what_it_looks_for() -> None:
    ready = prepared(Recall(), desk(SAID), query="a\nb")
    assert ready.access == (TouchesNothing(),)
    assert "\n" not in ready.title
    assert Recall().category == "read"


def test_a_long_conversation_is_searched_beside_other_work() -> None:
    assert "Do step 77." in answer(Recall(), desk(steps(200)), query="do step 77")
