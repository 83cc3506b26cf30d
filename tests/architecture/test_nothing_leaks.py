"""The repository speaks of the project alone: no machine's paths, no registry's hosts."""

import re

from tests.architecture.source_tree import ROOT, repository_files

# Written in pieces, so that this file does not contain what it looks for.
LEAKS = re.compile(
    "|".join(
        [
            re.escape(str(ROOT)) + r"\b",
            r"/ro" + r"ot/",
            r"/Use" + r"rs/[a-z]",
            r"\.py" + r"env\b",
            r"py" + r"pi\.org",
            r"pythonhosted\.o" + r"rg",
            r"registry\.npm" + r"js",
            r"artifacto" + r"ry",
            r"index-u" + r"rl",
        ]
    )
)


def test_no_file_names_a_machine_or_a_registry() -> None:
    found: list[str] = []
    for path in repository_files():
        text = path.read_bytes().decode(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if match := LEAKS.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number} {match[0]}")
    assert found == []


def test_the_search_sees_what_it_looks_for() -> None:
    assert LEAKS.search("see " + "/ro" + "ot/project")
    assert LEAKS.search("https://py" + "pi.org/simple")
    assert LEAKS.search("https://example.org/simple") is None
