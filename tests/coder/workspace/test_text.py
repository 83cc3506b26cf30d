"""Text of a file comes back as the same bytes, and an edit touches nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.workspace.text import FileText, decoded, encoded, fingerprint, opened, restored


def _decoded(data: bytes) -> FileText:
    file = decoded(data)
    assert file is not None
    return file


@pytest.mark.parametrize(
    ("data", "text", "newline", "encoding", "bom"),
    [
        (b"", "", "\n", "utf-8", False),
        (b"a\nb\n", "a\nb\n", "\n", "utf-8", False),
        (b"a\r\nb\r\n", "a\nb\n", "\r\n", "utf-8", False),
        (b"a\rb\r", "a\nb\n", "\r", "utf-8", False),
        (b"a\rb\n", "a\rb\n", "\n", "utf-8", False),
        ("grüße".encode(), "grüße", "\n", "utf-8", False),
        (b"\xef\xbb\xbfa\r\n", "a\n", "\r\n", "utf-8", True),
        (b"\xff\xfea\0\n\0", "a\n", "\n", "utf-16-le", True),
        (b"\xfe\xff\0a\0\r\0\n", "a\n", "\r\n", "utf-16-be", True),
        ("grüße".encode("latin-1"), "grüße", "\n", "latin-1", False),
    ],
)
def test_encodings_and_line_ends_are_recognised(
    data: bytes, text: str, newline: str, encoding: str, bom: bool
) -> None:
    file = _decoded(data)
    assert (file.text, file.newline, file.encoding, file.bom) == (text, newline, encoding, bom)
    assert encoded(file.text, file) == data


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\0\0",
        b"text\0text",
        b"\xff\xfe\0\0a\0\0\0",
        b"\xff\xfe\0",
        b"\xef\xbb\xbf\xff",
        b"\xff\x01\x02\x03\x04",
        bytes(range(1, 256)),
    ],
)
def test_what_is_no_text_is_recognised(data: bytes) -> None:
    assert decoded(data) is None


@given(st.binary(max_size=80) | st.text(max_size=60).map(str.encode))
def test_every_text_comes_back_as_the_same_bytes(data: bytes) -> None:
    file = decoded(data)
    if file is not None:
        assert encoded(file.text, file) == data


lines = st.lists(st.tuples(st.sampled_from(["a", "b", "", "x y"]), st.sampled_from(["\n", "\r\n"])))


@given(lines, st.integers(0, 8), st.sampled_from(["new", "new\nlines", ""]))
def test_lines_that_did_not_change_keep_their_ends(
    made: list[tuple[str, str]], at: int, new: str
) -> None:
    file = _decoded("".join(line + end for line, end in made).encode())
    parts = file.text.split("\n")
    at = min(at, len(parts) - 1)
    changed = "\n".join([*parts[:at], new, *parts[at + 1 :]])
    written = encoded(changed, file)
    assert _decoded(written).text == changed
    head = "".join(line + end for line, end in made[:at]).encode()
    tail = "".join(line + end for line, end in made[at + 1 :]).encode()
    assert written.startswith(head)
    assert written.endswith(tail)


def test_lines_in_the_middle_of_a_mixed_file_keep_their_ends() -> None:
    file = _decoded(b"one\ntwo\r\nthree\nfour\r\nfive\r\n")
    assert file.newline == "\r\n"
    assert encoded("ONE\ntwo\nthree\nnew\nfour\nFIVE\n", file) == (
        b"ONE\r\ntwo\r\nthree\nnew\r\nfour\r\nFIVE\r\n"
    )


def test_a_mixed_file_that_changed_a_lot_has_its_most_frequent_end() -> None:
    file = _decoded(b"a\nb\r\nc\r\n" * 2000)
    changed = "\n".join(f"x{number}" for number in range(5000))
    assert encoded(changed, file) == changed.replace("\n", "\r\n").encode()


def test_a_character_that_the_encoding_lacks_is_an_error() -> None:
    with pytest.raises(UnicodeEncodeError):
        encoded("日本", _decoded("grüße".encode("latin-1")))


def test_a_text_that_the_client_decoded_keeps_its_mark_and_its_ends() -> None:
    file = opened("\ufeffa\r\nb\r\n")
    assert (file.text, file.newline, file.bom) == ("a\nb\n", "\r\n", True)
    assert restored("c\n", file) == "\ufeffc\r\n"
    assert file.hash == opened("a\r\nb\r\n").hash != opened("a\nb\n").hash


def test_the_hash_takes_any_text() -> None:
    assert fingerprint("\ud800") != fingerprint("a")
