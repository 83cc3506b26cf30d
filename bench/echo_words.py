"""What the words of a prompt ask the echo agents of the benchmark to send."""

from collections.abc import Iterable

from parley.errors import InvalidParams


def chunks(text: str) -> Iterable[str]:
    """The texts of the chunks that the first block of a prompt asks for."""
    word, _, rest = text.partition(" ")
    if word == "echo":
        return [rest]
    if word != "stream":
        return []
    numbers = [int(number) for number in rest.split() if number.isascii() and number.isdigit()]
    if len(numbers) not in (1, 2) or len(numbers) != len(rest.split()):
        raise InvalidParams("Invalid params: `stream` takes a count and perhaps a size")
    count, size = (*numbers, 40)[:2]
    piece = "x" * size
    return (piece for _ in range(count))
