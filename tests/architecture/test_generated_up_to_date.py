"""The committed models are what the generator makes of the committed facts."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

UPSTREAM = ROOT.parent / "shared" / "protocol" / "schema"
UPSTREAM_FOLDERS = [UPSTREAM] if UPSTREAM.is_dir() else []


def test_the_models_are_up_to_date() -> None:
    checked = _generate("--check")
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_facts_are_what_upstream_says() -> None:
    for folder in UPSTREAM_FOLDERS:
        version = (
            (ROOT / "schema" / "PINNED.toml").read_text().split('version = "')[1].split('"')[0]
        )
        checked = _generate("--check", "--upstream", str(folder), "--upstream-version", version)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_the_facts_hold_no_prose() -> None:
    for version in ("v1", "v2"):
        facts = json.loads((ROOT / "schema" / f"{version}.json").read_text())
        for name, definition in facts["$defs"].items():
            assert not definition.keys() & {"description", "title"}, name


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of everything the generator reads and writes."""
    for folder in ("schema", "tools", "src/parley/schema"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    return tmp_path


def test_a_changed_model_a_lost_one_and_a_stray_one_are_named(copy: Path) -> None:
    models = copy / "src" / "parley" / "schema" / "v1"
    (models / "plan.py").write_text("")
    (models / "fs.py").unlink()
    (models / "stray.py").write_text("")
    checked = _generate("--check", "--root", str(copy))
    assert checked.returncode == 1
    assert checked.stderr.splitlines() == [
        f"out of date: src/parley/schema/v1/{name}.py" for name in ("fs", "plan", "stray")
    ]


def test_writing_repairs_what_checking_found(copy: Path) -> None:
    models = copy / "src" / "parley" / "schema" / "v1"
    wanted = (models / "plan.py").read_text()
    (models / "plan.py").write_text("")
    (models / "stray.py").write_text("")
    assert _generate("--root", str(copy)).returncode == 0
    assert (models / "plan.py").read_text() == wanted
    assert not (models / "stray.py").exists()


def test_a_shape_without_words_is_an_error_that_names_it(copy: Path) -> None:
    facts = json.loads((copy / "schema" / "v1.json").read_text())
    facts["$defs"]["Riddle"] = {"type": "string"}
    (copy / "schema" / "v1.json").write_text(json.dumps(facts))
    assert _generate("--root", str(copy)).returncode == 0
    facts["$defs"]["Riddle"] = {"type": "object", "properties": {"a": {"type": "string"}}}
    (copy / "schema" / "v1.json").write_text(json.dumps(facts))
    checked = _generate("--root", str(copy))
    assert checked.returncode == 1
    assert checked.stderr.strip().endswith("no topic claims Riddle")


def _generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "tools/generate_schema.py", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
