"""What is said to prove each requirement, and which tests there are. Nothing is imported for it.

Beside this file is one file for each topic. An entry names tests, or says who owes it and why no
test here can show it.
"""

import ast
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parley.conformance.requirements.catalogue import Requirement

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]

AWAITED = {
    "the coding agent",
    "the files and terminals of a client",
    "a front end",
    "remote transports",
}
"""Parts that are not here yet; what they owe is proved when they come."""
OTHERS = {"the author", "nobody"}
"""Whoever uses the library, and nobody where there is nothing to do."""


@dataclass(frozen=True)
class Evidence:
    """How a requirement is known to hold."""

    id: str
    topic: str
    tests: tuple[str, ...] = ()
    owner: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Figures:
    """How many requirements there are, and how many are proved."""

    ids: int
    binding: int
    with_tests: int
    binding_with_tests: int
    binding_awaited: int

    @property
    def share(self) -> float:
        """The part of the duties of what is here that tests prove."""
        return self.binding_with_tests / (self.binding - self.binding_awaited)

    def __str__(self) -> str:
        return (
            f"{self.ids} ids, {self.binding} of them MUST or MUST NOT; "
            f"with tests {self.with_tests} and {self.binding_with_tests}; "
            f"{self.binding_awaited} wait for parts to come; {self.share:.1%} of the others proved"
        )


@cache
def all_evidence() -> tuple[Evidence, ...]:
    """The entries of all files, in order."""
    return tuple(
        Evidence(
            id,
            file.stem,
            tuple(entry.get("tests", ())),
            entry.get("owner"),
            entry.get("reason"),
        )
        for file in sorted(FOLDER.glob("*.toml"))
        for id, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()
    )


@cache
def names_in(path: str) -> frozenset[str]:
    """The names of the tests in a file, read without running it."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def figures(requirements: Iterable[Requirement]) -> Figures:
    """Count requirements and what proves them."""
    evidence = {each.id: each for each in all_evidence()}
    counted = [(each, evidence[each.id]) for each in requirements]
    binding = [(each, proof) for each, proof in counted if each.binding]
    return Figures(
        ids=len(counted),
        binding=len(binding),
        with_tests=sum(bool(proof.tests) for _, proof in counted),
        binding_with_tests=sum(bool(proof.tests) for _, proof in binding),
        binding_awaited=sum(proof.owner in AWAITED for _, proof in binding),
    )
