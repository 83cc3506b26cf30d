"""The project of the tour: the same files as `examples/sample_project`, carried along."""

_README = """\
# A project with a bug

`weather.py` has a bug, and `test_weather.py` shows it:

```
python3 -m unittest -q
```

It is something for an agent to work on. Without any model, tell `parley acp` in this folder:

```
read weather.py
replace "len(readings) + 1" with "len(readings)" in weather.py
run python3 -m unittest -q
```
"""
_TESTS = """\
\"\"\"The tests of the readings; one of them fails until the bug is fixed.\"\"\"

import unittest

from weather import mean, warmest


class WeatherTest(unittest.TestCase):
    def test_the_mean_lies_in_the_middle(self) -> None:
        assert mean([10.0, 20.0, 30.0]) == 20.0

    def test_the_warmest_reading_is_found(self) -> None:
        assert warmest([10.0, 30.0, 20.0]) == 30.0


if __name__ == "__main__":
    unittest.main()
"""
_SOURCE = """\
\"\"\"What the readings of a day come to.\"\"\"

from collections.abc import Sequence


def mean(readings: Sequence[float]) -> float:
    \"\"\"The mean temperature of a day.\"\"\"
    return sum(readings) / (len(readings) + 1)


def warmest(readings: Sequence[float]) -> float:
    \"\"\"The highest temperature of a day.\"\"\"
    return max(readings)
"""

FILES = {"README.md": _README, "test_weather.py": _TESTS, "weather.py": _SOURCE}
