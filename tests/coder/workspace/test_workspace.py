"""The door to files."""

from parley.coder.workspace.workspace import Workspace


def test_the_first_root_is_the_folder_of_the_session() -> None:
    assert Workspace(("/a", "/b")).roots[0] == "/a"
