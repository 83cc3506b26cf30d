"""`parley methods` shows the method tables of the schema."""

import pytest

from parley.cli.main import main
from parley.schema.v1.methods import METHODS as V1
from parley.schema.v2.methods import METHODS as V2


def test_a_row_has_name_side_kind_params_and_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["methods"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["METHOD", "SIDE", "KIND", "PARAMS", "RESULT", "UNSTABLE"]
    assert ["session/new", "agent", "request", "NewSessionRequest", "NewSessionResponse"] in rows
    assert ["session/cancel", "agent", "notification", "CancelNotification", "-"] in rows


@pytest.mark.parametrize(("version", "table"), [("1", V1), ("2", V2)])
def test_the_stable_methods_are_shown_unless_asked_for_more(
    version: str, table: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["methods", "--version", version]) == 0
    stable = capsys.readouterr().out.splitlines()[1:]
    assert main(["methods", "--version", version, "--unstable"]) == 0
    every = capsys.readouterr().out.splitlines()[1:]
    assert len(every) == len(table)
    assert len(every) - len(stable) == len([line for line in every if line.endswith("  yes")])
    assert [line for line in stable if line.endswith("  yes")] == []


def test_a_version_that_does_not_exist_is_a_usage_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["methods", "--version", "3"])
    assert ended.value.code == 2
    assert "`--version` cannot be `3`\ntry: there are: 1, 2\n" in capsys.readouterr().err
