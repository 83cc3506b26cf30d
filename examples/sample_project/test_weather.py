"""The tests of the readings; one of them fails until the bug is fixed."""

import unittest

from weather import mean, warmest


class WeatherTest(unittest.TestCase):
    def test_the_mean_lies_in_the_middle(self) -> None:
        assert mean([10.0, 20.0, 30.0]) == 20.0

    def test_the_warmest_reading_is_found(self) -> None:
        assert warmest([10.0, 30.0, 20.0]) == 30.0


if __name__ == "__main__":
    unittest.main()
