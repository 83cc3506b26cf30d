"""What a sub-agent says, as the person sees it grow: its end, and not every word anew. Pure."""

from collections.abc import Callable

SHOWN = 4_000
"""Characters that are shown while it works."""
LONGEST = 40_000
"""Characters of the report that the session gets."""
_STEP = 1_000
"""Characters that come before what is shown is told anew, since all of it is stored each time."""


class Report:
    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._text = ""
        self._new = 0
        self._apart = False
        self._is_cut = False

    def add(self, text: str) -> None:
        """It said something."""
        apart, self._apart = "\n\n" if self._apart and self._text else "", False
        self._text += apart + text
        self._new += len(text)
        if len(self._text) > SHOWN:
            self._text = self._text[-SHOWN:]
            self._is_cut = True
        if self._new >= _STEP:
            self.tell()

    def end_paragraph(self) -> None:
        """What comes next stands apart."""
        self._apart = True

    def tell(self) -> None:
        """Show what has come since the last time."""
        if self._new:
            self._new = 0
            self._show(f"…{self._text}" if self._is_cut else self._text)


def bounded(text: str) -> str:
    """A report that does not fill the context of whoever reads it."""
    if len(text) <= LONGEST:
        return text
    head = LONGEST * 2 // 3
    left_out = len(text) - LONGEST
    return f"{text[:head]}\n[… {left_out} characters left out …]\n{text[head + left_out :]}"
