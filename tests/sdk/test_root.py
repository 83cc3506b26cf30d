"""The names of the package root: imported when they are used, and only those."""

import subprocess
import sys

import pytest

import parley
from parley.sdk.agent import Agent
from parley.testing import pair


def test_a_name_of_the_root_is_the_thing_itself() -> None:
    assert parley.Agent is Agent
    assert parley.testing.pair is pair


def test_every_public_name_is_listed() -> None:
    assert set(parley.__all__) <= set(dir(parley))


def test_a_name_that_is_not_there_is_an_error_like_any_other() -> None:
    with pytest.raises(AttributeError, match="module 'parley' has no attribute 'Agnet'"):
        parley.Agnet  # noqa: B018  # pyright: ignore


@pytest.mark.parametrize(
    ("name", "spared"),
    [
        ("Agent", {"parley.sdk.client", "parley.transport.process", "parley.testing"}),
        ("Client", {"parley.sdk.agent", "parley.transport.stdio", "parley.testing"}),
    ],
)
def test_a_program_pays_for_what_it_uses(name: str, spared: set[str]) -> None:
    program = f"import sys, parley; parley.{name}; print(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    loaded = set(finished.stdout.split())
    versions = {module for module in loaded if module.startswith("parley.schema.v")}
    assert (loaded & spared, versions) == (set(), set())
