"""Which calls a hook concerns, and how it is shown."""

import pytest

from parley.coder.hook import Hook


@pytest.mark.parametrize(
    ("patterns", "tool", "concerned"),
    [
        (("*",), "bash", True),
        (("bash",), "bash", True),
        (("Bash",), "bash", True),
        (("bash",), "bash_output", False),
        (("edit_*", "write_file"), "write_file", True),
        (("docs__*",), "docs__search", True),
        (("docs__*",), "Docs__Search", True),
        ((), "bash", False),
    ],
)
def test_a_hook_concerns_the_tools_that_it_names(
    patterns: tuple[str, ...], tool: str, concerned: bool
) -> None:
    assert Hook("h", ("x",), patterns).concerns(tool) is concerned


def test_a_hook_is_shown_as_it_was_written() -> None:
    assert Hook("h", ("check", "--all")).line == "check --all"
    assert Hook("h", ("/bin/sh", "-c", "check | tee log")).line == "check | tee log"
