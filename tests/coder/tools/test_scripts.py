"""A script that was changed after the question does not run."""

from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.scripts import check_unchanged, marks_of


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("./build.sh", ["./build.sh"]),
        ("tools/x --flag a.txt", ["tools/x"]),
        ("sh build.sh", ["build.sh"]),
        ("bash -e build.sh", ["build.sh"]),
        ("python3.11 -u run.py input", ["run.py", "input"]),
        ("node app.js", ["app.js"]),
        (". ./env && echo", ["./env"]),
        ("sudo ./build.sh", ["./build.sh"]),
        ("ls; env A=1 sh build.sh", ["build.sh"]),
        ("sh -c './build.sh'", ["./build.sh"]),
        ("make test", ["GNUmakefile", "makefile", "Makefile"]),
        ("npm test", ["package.json"]),
        ("git commit -m x file.py", []),
        ("cat build.sh", []),
        ("$X build.sh", []),
        ("", []),
    ],
)
def test_the_files_that_a_line_runs_are_found(line: str, names: list[str], tmp_path: Path) -> None:
    found = {path.removeprefix(f"{tmp_path}/") for path in marks_of(line, str(tmp_path))}
    assert set(names) <= found
    assert names or not found


@pytest.mark.parametrize("change", ["written", "replaced", "removed", "made"])
def test_a_script_that_is_another_one_now_is_refused(change: str, tmp_path: Path) -> None:
    script = tmp_path / "build.sh"
    if change != "made":
        script.write_text("echo one\n")
    seen = marks_of("sh build.sh", str(tmp_path))
    check_unchanged("sh build.sh", str(tmp_path), seen)
    match change:
        case "removed":
            script.unlink()
        case "replaced":
            (tmp_path / "other").write_text("echo two\n")
            (tmp_path / "other").rename(script)
        case _:
            script.write_text("echo two\n")
    with pytest.raises(ToolError, match=r"build\.sh` was changed after permission"):
        check_unchanged("sh build.sh", str(tmp_path), seen)


def test_a_line_that_names_very_many_files_costs_little(tmp_path: Path) -> None:
    line = "sh " + " ".join(f"f{number}" for number in range(500))
    assert len(marks_of(line, str(tmp_path))) <= 50
