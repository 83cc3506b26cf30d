"""What all tests with other SDKs need: the packages of one, and order behind the other."""

import gc
import sys
import warnings
from collections.abc import Iterator

import pytest

from tests.interop.node import node


@pytest.fixture(scope="session")
def typescript_packages() -> str:
    """The path of node, once npm has installed what the tests need."""
    return node()


@pytest.fixture(scope="session")
def quick_collection() -> Iterator[None]:
    """Leave what is there already out of every later collection, which would take a second."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def strangers_leave_nothing_behind(quick_collection: None) -> Iterator[None]:
    """Let what a foreign SDK did not close be collected here, where nobody is blamed for it."""
    yield
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    sys.unraisablehook = hook
