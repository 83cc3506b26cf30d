"""The packages of the TypeScript SDK are there before the first test that needs them begins."""

import pytest

from tests.interop.node import node


@pytest.fixture(scope="session")
def typescript_packages() -> str:
    """The path of node, once npm has installed what the tests need."""
    return node()
