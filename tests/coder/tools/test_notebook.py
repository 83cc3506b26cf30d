"""A notebook is shown as cells, with the beginning of what they printed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.tools.notebook import notebook_text


def _notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": list(cells), "nbformat": 4})


def test_cells_come_with_their_kind_and_their_output() -> None:
    text = _notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": "1 + 1",
            "outputs": [
                {"output_type": "stream", "text": ["one\n", "two"]},
                {"output_type": "execute_result", "data": {"text/plain": "2", "image/png": "x"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "bad"},
            ],
        },
    )
    assert notebook_text(text) == (
        "[cell 1: markdown]\n# Title\ntext\n\n"
        "[cell 2: code]\n1 + 1\n[output of cell 2]\none\ntwo\n2\n[image/png]\nValueError: bad"
    )


def test_a_long_output_is_shortened() -> None:
    output = {"output_type": "stream", "text": "line\n" * 1000}
    text = notebook_text(_notebook({"cell_type": "code", "source": "", "outputs": [output]}))
    assert text is not None
    assert text.count("line\n") == 20
    assert text.endswith("\n[4900 more characters]")


@pytest.mark.parametrize("text", ["", "no json", "[]", "{}", '{"cells": 3}', "[" * 100_000])
def test_what_is_no_notebook_is_none(text: str) -> None:
    assert notebook_text(text) is None


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cell_type", "source", "outputs", "text", "data", "output_type"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(st.lists(anything, max_size=4))
def test_cells_of_any_shape_are_shown(cells: list[Any]) -> None:
    text = notebook_text(json.dumps({"cells": cells}))
    assert text is not None
    assert text.count("[cell ") >= len(cells)
