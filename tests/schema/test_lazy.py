"""Names that are imported when they are first used."""

import subprocess
import sys

import pytest

from parley.schema import v1


def test_a_name_is_found_in_the_file_of_its_topic() -> None:
    assert v1.PromptRequest.__module__ == "parley.schema.v1.session"


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = v1.Nonsense  # pyright: ignore[reportAttributeAccessIssue]


def test_every_listed_name_can_be_imported() -> None:
    assert all(getattr(v1, name) is not None for name in v1.__all__)


def test_a_topic_that_is_not_used_is_not_imported() -> None:
    program = (
        "import sys; from parley.schema import v1; v1.TextContent; "
        "print('parley.schema.v1.elicitation' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert said.stdout == b"False\n"
