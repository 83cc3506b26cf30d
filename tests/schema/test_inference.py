"""The models tell a type checker what the answer to a request is."""

import json
import subprocess
import sys
from pathlib import Path

from tests.schema.schema_facts import ROOT


def test_the_checker_infers_what_the_file_asserts(tmp_path: Path) -> None:
    file = Path(__file__).with_name("inferred_types.py")
    config = {
        "include": [str(file)],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "reportUnnecessaryTypeIgnoreComment": "error",
        "extraPaths": [str(ROOT / "src")],
    }
    project = tmp_path / "pyrightconfig.json"
    project.write_text(json.dumps(config))
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "basedpyright",
            "--project",
            str(project),
            "--pythonpath",
            sys.executable,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
