"""What is said about the content of projects that the user trusts."""

from pathlib import Path

from parley.cli.doctor_trust import trust_findings
from parley.coder.trust.book import ASIDE, FILE, TrustBook
from parley.coder.trust.content import Content


def test_without_agreements_nothing_is_said(tmp_path: Path) -> None:
    assert list(trust_findings(tmp_path / "none")) == []


def test_agreements_are_counted(tmp_path: Path) -> None:
    contents = [Content("skill", name, "/project", "x", "d", "") for name in ("a", "b")]
    for some, things in ((contents[:1], "one thing"), (contents, "2 things")):
        TrustBook(tmp_path).add(some)
        (found,) = trust_findings(tmp_path)
        assert found.status == "ok"
        assert found.text.startswith(f"you trust {things} that projects bring along")


def test_a_file_that_is_not_believed_is_named_with_the_fix(tmp_path: Path) -> None:
    data = tmp_path / "my data"
    data.mkdir(mode=0o700)
    (data / FILE).write_text("{")
    (found,) = trust_findings(data)
    assert found.status == "problem"
    assert "is damaged, so nothing of any project is trusted" in found.text
    assert f"rm -r '{data / FILE}'" in found.fix
    TrustBook(data).add([])
    (found,) = trust_findings(data)
    assert found.status == "note"
    (aside,) = data.glob(f"{ASIDE}*")
    assert f"rm '{aside}'" in found.fix
