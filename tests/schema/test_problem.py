"""The error names a place and what was expected there."""

from parley.schema.problem import DecodeProblem


def test_the_text_names_the_place() -> None:
    problem = DecodeProblem("prompt[0].text", "is missing")
    assert str(problem) == "`prompt[0].text` is missing"
    assert (problem.path, problem.problem) == ("prompt[0].text", "is missing")


def test_a_problem_of_the_whole_has_no_place() -> None:
    assert str(DecodeProblem("", "is not valid JSON")) == "is not valid JSON"


def test_it_is_a_value_error() -> None:
    assert issubclass(DecodeProblem, ValueError)
