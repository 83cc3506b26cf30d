"""What becomes of records during a run: said beside the output, kept, or told at the end."""

import logging

from parley.cli.run_log import RunLog, records_to


def _said(*, verbose: bool) -> tuple[list[tuple[str, str]], RunLog]:
    said: list[tuple[str, str]] = []
    return said, RunLog(lambda text, tone: said.append((text, tone)), verbose=verbose)


def _record(
    text: str, level: int = logging.WARNING, error: Exception | None = None
) -> logging.LogRecord:
    about = None if error is None else (type(error), error, None)
    return logging.LogRecord("parley.x", level, __file__, 1, text, (), about)


def test_who_wants_to_know_everything_is_told_at_once() -> None:
    said, log = _said(verbose=True)
    log.handle(_record("wrong (1 times): not JSON"))
    assert said == [("noticed: wrong (1 times): not JSON", "dim")]


def test_a_warning_is_kept_until_the_run_has_failed() -> None:
    said, log = _said(verbose=False)
    log.handle(_record("wrong (1 times): not JSON"))
    log.handle(_record("wrong (2 times): not JSON"))
    log.handle(_record("wrong (1 times): not UTF-8"))
    assert said == []
    log.tell_kept()
    log.tell_kept()
    assert [text for text, _ in said] == [
        "noticed: wrong (2 times): not JSON",
        "noticed: wrong (1 times): not UTF-8",
    ]


def test_only_the_last_kinds_are_kept() -> None:
    said, log = _said(verbose=False)
    for number in range(1000):
        log.handle(_record(f"wrong: {number}"))
    log.tell_kept()
    assert [text for text, _ in said] == [f"noticed: wrong: {each}" for each in range(992, 1000)]


def test_a_defect_is_one_line_at_once() -> None:
    said, log = _said(verbose=False)
    log.handle(_record("the handler failed", logging.ERROR, ValueError("x" * 1000)))
    [(text, tone)] = said
    assert text.startswith("noticed: the handler failed: ValueError: xxx")
    assert (len(text) < 520, tone) == (True, "warning")


def test_records_of_the_whole_process_go_there_for_a_block() -> None:
    said: list[str] = []
    with records_to(lambda text, tone: said.append(text), verbose=True):
        logging.getLogger("parley.rpc").warning("inside")
        logging.getLogger("asyncio").info("not worth a word")
    logging.getLogger("parley.rpc").debug("outside")
    assert said == ["noticed: inside"]
