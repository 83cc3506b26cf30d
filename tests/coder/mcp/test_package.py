"""Whether the official package is here is known without loading it."""

import subprocess
import sys

import pytest

from parley.coder.mcp import package


def test_it_is_known_without_an_import() -> None:
    code = (
        "import sys; from parley.coder.mcp.package import can_serve; import parley.coder.sessions;"
        "print(can_serve(), 'mcp' in sys.modules, 'pydantic' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20, check=True)
    assert ran.stdout.split() == [b"True", b"False", b"False"]


def test_without_the_package_nothing_can_be_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "PACKAGE", "no_such_package_at_all")
    assert not package.can_serve()


def test_a_loader_that_refuses_the_name_counts_as_no_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refusing:
        def find_spec(self, name: str, *_: object) -> None:
            raise ModuleNotFoundError(name)

    monkeypatch.setattr(package, "PACKAGE", "no_such_package_at_all")
    monkeypatch.setattr(sys, "meta_path", [Refusing(), *sys.meta_path])
    assert not package.can_serve()
