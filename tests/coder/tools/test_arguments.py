"""What a model gives a tool is taken where it can mean one thing, and refused with advice."""

from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.arguments import Arguments


def _given(**given: Any) -> Arguments:
    return Arguments(given, "read_file")


def _refusal(given: dict[str, Any], ask: str, *args: Any, **options: Any) -> str:
    with pytest.raises(ToolError) as caught:
        getattr(Arguments(given, "read_file"), ask)(*args, **options)
    return str(caught.value)


def test_arguments_come_back_as_what_they_are() -> None:
    given = _given(path="a.py", offset=3, all=True, output="files", note="")
    assert given.text("path") == "a.py"
    assert given.optional_integer("offset", least=1) == 3
    assert given.integer("offset") == 3
    assert given.flag("all") is True
    assert given.choice("output", ("lines", "files"), default="lines") == "files"
    assert given.optional_text("note") is None
    given.done()


def test_what_is_left_out_or_null_has_its_default() -> None:
    given = _given(path=None)
    assert given.optional_text("path") is None
    assert given.optional_integer("limit") is None
    assert given.flag("all") is False
    assert given.flag("most", default=True) is True
    assert given.choice("output", ("lines", "files"), default="lines") == "lines"
    given.done()


@pytest.mark.parametrize(("value", "number"), [("12", 12), (" -3 ", -3), (4.0, 4), (0, 0)])
def test_a_number_in_another_spelling_is_taken(value: Any, number: int) -> None:
    assert _given(offset=value).optional_integer("offset") == number


@pytest.mark.parametrize("value", [True, 1.5, "x", "", "9" * 20, "²", [], {}])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    text = _refusal({"offset": value}, "optional_integer", "offset")
    assert text.startswith("`offset` of `read_file` must be a whole number, not ")


def test_a_number_beyond_its_bounds_is_refused() -> None:
    assert _refusal({"n": 0}, "integer", "n", least=1) == (
        "`n` of `read_file` must be at least 1, not `0`"
    )
    assert "at most 5" in _refusal({"n": 6}, "integer", "n", most=5)


@pytest.mark.parametrize(("value", "flag"), [("true", True), (" False", False), (True, True)])
def test_a_flag_in_another_spelling_is_taken(value: Any, flag: bool) -> None:
    assert _given(all=value).flag("all") is flag


def test_what_is_no_flag_or_no_choice_is_refused() -> None:
    assert "true or false" in _refusal({"all": "yes"}, "flag", "all")
    assert _refusal({"o": "x"}, "choice", "o", ("a", "b"), default="a") == (
        '`o` of `read_file` must be one of `a`, `b`, not `"x"`'
    )
    assert "one of" in _refusal({"o": ["a"]}, "choice", "o", ("a", "b"), default="a")


def test_a_missing_argument_is_named_with_the_one_written_instead() -> None:
    assert _refusal({}, "text", "path") == "`read_file` needs `path`"
    assert _refusal({"file_path": "a"}, "text", "path") == (
        "`read_file` needs `path`; write `path` instead of `file_path`"
    )


def test_a_text_that_is_none_is_refused() -> None:
    assert "must be a string, not `7`" in _refusal({"path": 7}, "text", "path")
    assert "must not be empty" in _refusal({"path": ""}, "text", "path")
    assert "not valid Unicode" in _refusal({"path": "\ud800"}, "text", "path")
    assert _given(path="").text("path", empty=True) == ""


def test_a_long_wrong_value_is_shown_in_part() -> None:
    text = _refusal({"path": ["x" * 100]}, "text", "path")
    assert text.endswith("xxx…`")
    assert len(text) < 130


@pytest.mark.parametrize("value", [["\ud800"], [10**30], [float("nan")]])
def test_a_wrong_value_that_no_json_holds_is_shown_too(value: Any) -> None:
    assert "must be a string, not `[" in _refusal({"path": value}, "text", "path")


def test_an_unknown_argument_is_refused_with_what_was_meant() -> None:
    given = _given(path="a", ofset=3)
    given.text("path")
    given.optional_integer("offset")
    with pytest.raises(ToolError) as caught:
        given.done()
    assert str(caught.value) == (
        "`read_file` has no argument `ofset` (did you mean `offset`?); it takes `path`, `offset`"
    )
    with pytest.raises(ToolError, match="it takes none"):
        _given(zzz=1).done()


def test_objects_in_a_list_are_asked_by_name_and_named_in_errors() -> None:
    (first, second) = _given(edits=[{"old": "a"}, {"old": 1}]).objects("edits")
    assert first.text("old") == "a"
    first.done()
    with pytest.raises(ToolError, match=r"`edits\[1\]\.old` of `read_file` must be a string"):
        second.text("old")


@pytest.mark.parametrize("value", ['[{"old": "a"}]', {"old": "a"}, '{"old": "a"}'])
def test_a_list_in_another_spelling_is_taken(value: Any) -> None:
    (only,) = _given(edits=value).objects("edits")
    assert only.text("old") == "a"


@pytest.mark.parametrize("value", ["no json", 3, "3", "[" * 100_000])
def test_what_is_no_list_is_refused(value: Any) -> None:
    assert "must be a list, not" in _refusal({"edits": value}, "objects", "edits")


def test_a_list_of_other_things_or_too_few_is_refused() -> None:
    assert "`edits[0]` of `read_file` must be an object" in _refusal(
        {"edits": [1]}, "objects", "edits"
    )
    assert "a list of at least 1" in _refusal({"edits": []}, "objects", "edits")
    assert _given(names=["a", "b"]).texts("names") == ("a", "b")
    assert "`names[1]`" in _refusal({"names": ["a", 2]}, "texts", "names")
    assert _given(names=[]).texts("names", least=0) == ()
