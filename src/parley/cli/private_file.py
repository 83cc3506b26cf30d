"""Files that commands write for their user: what was said is nobody else's business."""

import os


def private(path: str, flags: int) -> int:
    """The `opener` for `open`: a file that is made can be read by its owner alone.

    One that is there keeps its mode, which somebody may have chosen.
    """
    return os.open(path, flags, 0o600)
