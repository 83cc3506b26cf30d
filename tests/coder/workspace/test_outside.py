"""Programs are found, and never in the workspace."""

import os
from pathlib import Path

from parley.coder.workspace.outside import environment_outside, program_outside


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_first_program_outside_of_the_workspace_is_taken(tmp_path: Path) -> None:
    inside, outside = tmp_path / "project", tmp_path / "bin"
    program(inside / "bin" / "git")
    expected = program(outside / "git")
    (tmp_path / "link").symlink_to(inside / "bin")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "git").symlink_to(inside / "bin" / "git")
    (inside / "out").symlink_to(outside)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "git").write_text("not a program")
    (tmp_path / "folder" / "git").mkdir(parents=True)
    folders = ["", ".", "bin", str(inside), f"{inside}/bin", f"{inside}/out", f"{tmp_path}/link"]
    folders += [f"{tmp_path}/{name}" for name in ("linked", "plain", "folder", "missing", "bin")]
    assert program_outside([str(inside)], "git", folders) == expected


def test_there_may_be_none(tmp_path: Path) -> None:
    program(tmp_path / "git")
    assert program_outside([str(tmp_path)], "git", [str(tmp_path)]) is None
    assert program_outside(["/"], "git", [str(tmp_path)]) is None


def test_names_of_programs_mean_nothing_of_the_workspace(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "bin").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root / "bin")
    (root / "out").symlink_to("/usr/bin")
    inside = (".", "", "bin", str(root), f"{root}/bin", f"{root}/out", f"{tmp_path}/link")
    given = {
        "PATH": ":".join((*inside, f"{tmp_path}/x/../project/bin", "/usr/bin", str(tmp_path))),
        "LD_LIBRARY_PATH": f"/usr/lib:{root}",
        "DYLD_LIBRARY_PATH": "",
        "LANG": "C",
    }
    expected = {"PATH": f"/usr/bin:{tmp_path}", "LANG": "C"}
    assert environment_outside([str(root)], given) == expected
    assert environment_outside([str(root)], {}) == {"PATH": os.defpath}
    assert environment_outside(["/"], {"PATH": "/opt/bin"}) == {"PATH": os.defpath}
