"""What a person sees when a run fails: what happened, the facts, what to try. Pure."""

from collections.abc import Iterator

from parley.frontend.headless.output import Trouble
from parley.frontend.headless.screen import Tone
from parley.frontend.visible import one_line, visible

_WIDTH = 200
_STDERR_LINES = 10


def lines_of(trouble: Trouble) -> Iterator[tuple[str, Tone]]:
    """The report, line by line. Every text of an agent is made safe."""
    first, *rest = visible(trouble.message).split("\n")
    yield f"parley run: {first}", "bad"
    for line in rest:
        yield f"  {line}", "bad"
    facts = (
        ("agent", trouble.agent),
        ("ended", trouble.ended),
        ("waiting for", trouble.pending),
        ("last frame", trouble.last_frame),
    )
    for name, fact in facts:
        if fact is not None:
            yield f"  {name + ':':<13}{one_line(fact, _WIDTH)}", "plain"
    if trouble.stderr:
        yield "  its stderr:", "plain"
        for line in trouble.stderr[-_STDERR_LINES:]:
            yield f"    | {one_line(line, _WIDTH)}", "dim"
    if trouble.hint is not None:
        # Beside facts it is one of them; alone it stands as with every other command.
        label = "try: " if trouble.agent is None else "  try:         "
        yield f"{label}{one_line(trouble.hint, 2 * _WIDTH)}", "plain"
