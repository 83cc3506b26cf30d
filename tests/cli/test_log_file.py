"""The log: private, bounded, and without what was said."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.cli.log_file import NAME, DiscreetFormatter, PrivateLogHandler, start_logging


@pytest.fixture
def handlers() -> Iterator[list[logging.Handler]]:
    """What is added to the root logger while a test runs; it is gone afterwards."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    added: list[logging.Handler] = []
    yield added
    for handler in set(root.handlers) - set(before):
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


def logger_with(folder: Path, *, size_limit: int) -> tuple[logging.Logger, PrivateLogHandler]:
    handler = PrivateLogHandler(folder, size_limit=size_limit)
    handler.setFormatter(DiscreetFormatter("%(message)s"))
    logger = logging.Logger("parley.test")
    logger.addHandler(handler)
    return logger, handler


@pytest.mark.usefixtures("handlers")
def test_records_go_to_a_private_file_and_warnings_to_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "state" / "parley"
    before = os.umask(0)
    try:
        start_logging(folder, "info")
    finally:
        os.umask(before)
    logger = logging.getLogger("parley.test")
    logger.debug("quiet")
    logger.info("something")
    logger.warning("careful")
    text = (folder / NAME).read_text()
    assert "quiet" not in text
    assert "INFO parley.test: something" in text
    assert "WARNING parley.test: careful" in text
    assert capsys.readouterr().err == "parley: careful\n"
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_of_an_exception_only_its_kind_and_place_are_written(tmp_path: Path) -> None:
    logger, handler = logger_with(tmp_path, size_limit=100_000)
    try:
        raise ValueError("canary")
    except ValueError:
        logger.exception("it failed")
    logger.error("nothing is wrong", exc_info=True)
    handler.close()
    text = (tmp_path / NAME).read_text()
    assert "canary" not in text.replace('raise ValueError("canary")', "")
    assert "builtins.ValueError" in text
    assert "test_log_file.py" in text
    assert text.endswith("nothing is wrong\n")


@pytest.mark.usefixtures("handlers")
def test_of_what_other_packages_report_only_bare_warnings_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start_logging(tmp_path, "debug")
    stranger = logging.getLogger("stranger.client")
    stranger.debug("GET canary")
    stranger.info("GET %s", "canary")
    stranger.warning("GET %s failed", "canary")
    stranger.error("a task failed\nfuture: canary")
    stranger.error("")
    text = (tmp_path / NAME).read_text()
    assert "GET %s failed" in text
    assert text.count("stranger.client") == 3
    assert "canary" not in text + capsys.readouterr().err


def test_a_full_log_is_put_aside_once(tmp_path: Path) -> None:
    logger, handler = logger_with(tmp_path, size_limit=100)
    for number in range(30):
        logger.warning("line %02d", number)
    handler.close()
    handler.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [NAME, f"{NAME}.1"]
    assert all(path.stat().st_size <= 100 for path in tmp_path.iterdir())
    assert (tmp_path / NAME).read_text().endswith("line 29\n")


def test_two_processes_share_a_log_that_is_put_aside(tmp_path: Path) -> None:
    one, first = logger_with(tmp_path, size_limit=100)
    two, second = logger_with(tmp_path, size_limit=100)
    one.warning("a" * 60)
    one.warning("b" * 60)
    two.warning("c" * 60)
    first.close()
    second.close()
    assert (tmp_path / f"{NAME}.1").read_text() == "a" * 60 + "\n"
    assert (tmp_path / NAME).read_text() == "b" * 60 + "\n" + "c" * 60 + "\n"


def test_what_cannot_be_written_does_not_disturb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logger, handler = logger_with(tmp_path, size_limit=100)
    logger.warning("%d", "no number")
    handler.close()
    logger.warning("after the end")
    assert (tmp_path / NAME).read_text() == ""
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("handlers")
def test_a_folder_that_cannot_be_used_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    start_logging(tmp_path / "file" / "state", "info")
    assert "no log is written" in capsys.readouterr().err


def test_a_link_in_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    (tmp_path / NAME).symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic links"):
        PrivateLogHandler(tmp_path)
