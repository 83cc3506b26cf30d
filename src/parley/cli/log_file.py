"""Where the agent's own records go: a private file, and warnings to stderr.

Records name what happened and never what was said: of an exception only its kind and its place are
written, since its text may quote a prompt, a file or a key. Other packages know nothing of that, so
of theirs only warnings are written, without the values in them: an HTTP client would log addresses
with the keys that stand in them.
"""

import copy
import logging
import os
import sys
import traceback
from pathlib import Path
from types import TracebackType

from parley.coder.private_folder import make_private

NAME = "parley.log"
SIZE_LIMIT = 5 * 1024 * 1024
ExceptionInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


def start_logging(folder: Path, level: str) -> None:
    """Write records of this process from here on. A folder that cannot be used is told once."""
    root = logging.getLogger()
    root.setLevel(level.upper())
    told = logging.StreamHandler(sys.stderr)
    told.setLevel(logging.WARNING)
    told.setFormatter(DiscreetFormatter("parley: %(message)s"))
    told.addFilter(is_worth_writing)
    root.addHandler(told)
    try:
        written = PrivateLogHandler(folder)
    except OSError as error:
        root.warning("no log is written to %s: %s", folder, error.strerror)
        return
    written.setFormatter(DiscreetFormatter(_FORMAT))
    written.addFilter(is_worth_writing)
    root.addHandler(written)


def is_worth_writing(record: logging.LogRecord) -> bool:
    """Whether a record is ours, or a warning of somebody else."""
    return _is_ours(record) or record.levelno >= logging.WARNING


class DiscreetFormatter(logging.Formatter):
    """Shows where an exception happened and of which kind it is, and not what it says."""

    def format(self, record: logging.LogRecord) -> str:
        if not _is_ours(record):
            record = copy.copy(record)
            # What asyncio adds to its first line, and what others put into theirs, may say much.
            record.msg = next(iter(str(record.msg).splitlines()), "")
            record.args = None
        return super().format(record)

    def formatException(self, ei: ExceptionInfo) -> str:
        kind, _, trace = ei
        if kind is None:
            return ""
        frames = "".join(traceback.format_list(traceback.extract_tb(trace)))
        return f"{frames}{kind.__module__}.{kind.__qualname__}"


class PrivateLogHandler(logging.Handler):
    """Appends to a file that only its owner can read; a full one is put aside once."""

    def __init__(self, folder: Path, *, size_limit: int = SIZE_LIMIT) -> None:
        super().__init__()
        # A folder that is made on the way is as private as this one, since sessions may follow.
        make_private(folder)
        self._path = folder / NAME
        self._size_limit = size_limit
        self._fd = self._opened()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record).encode(errors="replace") + b"\n"
            if os.fstat(self._fd).st_size + len(line) > self._size_limit:
                self._put_aside()
            # One call, so that the lines of several processes do not mix.
            os.write(self._fd, line)
        except (OSError, ValueError, TypeError):
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk is no reason to stop, and none to fill stderr."""

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
        super().close()

    def _opened(self) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(self._path, flags, 0o600)
        os.fchmod(fd, 0o600)
        return fd

    def _put_aside(self) -> None:
        # Another process may have done it: then the path names a new file, which is to be used.
        if os.path.samestat(os.fstat(self._fd), os.stat(self._path)):
            os.replace(self._path, self._path.with_suffix(".log.1"))
        os.close(self._fd)
        self._fd = self._opened()


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] in ("parley", "root")
