"""Every piece of Python in the documents is a file that the tests run, and every link leads on."""

import re
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = [*sorted((ROOT / "examples").glob("*.py")), *sorted((ROOT / "docs/snippets").glob("*.py"))]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
MINE = ["README.md", "guide-agents.md", "guide-clients.md", "moving-over.md"]


def _blocks(document: Path) -> list[str]:
    return BLOCK.findall(document.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", MINE)
def test_every_block_of_python_is_part_of_a_file_that_runs(name: str) -> None:
    document = next(path for path in DOCUMENTS if path.name == name)
    files = [path.read_text(encoding="utf-8") for path in SHOWN]
    blocks = _blocks(document)
    assert blocks
    strange = [block for block in blocks if not any(block in text for text in files)]
    assert strange == []


def test_the_readme_shows_the_whole_tiny_agent() -> None:
    text = (ROOT / "examples" / "tiny_agent.py").read_text(encoding="utf-8")
    assert text.split('"""\n\n', 1)[1] in _blocks(ROOT / "README.md")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_between_documents_leads_to_a_file(document: Path) -> None:
    targets = LINK.findall(document.read_text(encoding="utf-8"))
    assert [each for each in targets if not (document.parent / each).exists()] == []


def test_every_snippet_is_shown_somewhere_and_tested() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    tests = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests/examples").glob("test_*.py")
    )
    for path in SHOWN:
        blocks = [block for block in BLOCK.findall(texts) if block in path.read_text("utf-8")]
        assert blocks, f"{path.name} is shown in no document"
        assert path.stem in tests, f"{path.name} is run by no test"
