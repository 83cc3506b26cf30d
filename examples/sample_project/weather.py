"""What the readings of a day come to."""

from collections.abc import Sequence


def mean(readings: Sequence[float]) -> float:
    """The mean temperature of a day."""
    return sum(readings) / (len(readings) + 1)


def warmest(readings: Sequence[float]) -> float:
    """The highest temperature of a day."""
    return max(readings)
