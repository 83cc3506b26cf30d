"""Cases about lines and bytes: what is JSON, what is UTF-8, and where a message ends."""

import gzip
import random
from collections.abc import Iterator

from tests.hostile.case import PARSE_ERROR, Answer, Case, case, refused
from tests.hostile.raw_client import NEW_SESSION, line, prompt_params

_REQUEST = line(1, "session/new", NEW_SESSION)
_SAID = 'é ü ß 日本 \U0001f9ed e\u0301 \u2028 \u2029 \x85 \x7f " \\ / \b\f\n\r\t \x1b[31m \x00'


def _new(id_: object) -> bytes:
    return line(id_, "session/new", NEW_SESSION)


def _with_text(text: bytes) -> bytes:
    """A valid request around the raw inside of a string."""
    head = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[],'
    return head + b'"_meta":{"x":"' + text + b'"}}}'


def _with_value(value: bytes) -> bytes:
    """A valid request around any raw value."""
    head = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[],'
    return head + b'"_meta":{"x":' + value + b"}}}"


_BAD_UTF8 = {
    "byte_order_of_utf16": b"\xff\xfe",
    "lone_continuation": b"\x80",
    "many_continuations": b"\x80\xbf\x80\xbf",
    "cut_sequence_of_two": b"\xc3",
    "cut_sequence_of_three": b"\xe6\x97",
    "cut_sequence_of_four": b"\xf0\x9f\xa7",
    "overlong_slash_of_two": b"\xc0\xaf",
    "overlong_slash_of_three": b"\xe0\x80\xaf",
    "overlong_slash_of_four": b"\xf0\x80\x80\xaf",
    "overlong_nul": b"\xc0\x80",
    "surrogate": b"\xed\xa0\x80",
    "surrogate_pair": b"\xed\xa0\xbd\xed\xb4\xa5",
    "beyond_unicode": b"\xf4\x90\x80\x80",
    "sequence_of_five": b"\xf8\x88\x80\x80\x80",
    "latin_1": b"caf\xe9",
}


def _bad_utf8(name: str, bad: bytes) -> Case:
    """The same bytes alone, in a value, in a key, in the method and in the id (RPC-24)."""
    in_key = _with_value(b'{"' + bad + b'":1}')
    in_method = b'{"jsonrpc":"2.0","id":1,"method":"' + bad + b'"}'
    in_id = b'{"jsonrpc":"2.0","id":"' + bad + b'","method":"session/new"}'
    lines = (bad, _with_text(bad), in_key, in_method, in_id)
    return refused(f"utf8_{name}", PARSE_ERROR, *lines)


def _prefixes() -> Iterator[bytes]:
    """Every beginning of a message, each as a line of its own."""
    whole = _REQUEST.rstrip()
    return (whole[:end] + b"\n" for end in range(1, len(whole)))


def _cut_everywhere() -> Iterator[bytes]:
    """A request for every place in it, cut in two there."""
    for place in range(1, _CUTS + 1):
        request = _new(1000 + place)
        yield request[:place]
        yield request[place:]


_CUTS = len(_new(1000)) - 1
_PREFIXES = len(_REQUEST) - 2
_CONTROLS = tuple(_with_text(bytes([code])) for code in range(0x20) if code != 0x0A)
_PRETTY = b'{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "session/new"\n}\n'
_NOISE = bytes(b for b in random.Random(7).randbytes(5000) if b != 0x0A)

LINES = [
    case("empty_lines", b"\n" * 1000, inputs=1000),
    case("lines_of_spaces", b" \n\t\n  \t \r\n\r\n" * 100, inputs=400),
    refused("lines_of_other_blanks", PARSE_ERROR, b"\x0b", b"\x0c", b"\xc2\xa0", b"\xe3\x80\x80"),
    case("carriage_return_and_newline", _new(1)[:-1] + b"\r\n", answers=[Answer(1)]),
    case("spaces_around_a_message", b" \t" + _new(1)[:-1] + b"\t  \n", answers=[Answer(1)]),
    case("a_megabyte_of_spaces_in_front", b" " * 2**20 + _new(1), answers=[Answer(1)]),
    refused("two_messages_with_only_a_return_between", PARSE_ERROR, _new(1)[:-1] + b"\r{}"),
    case("a_hundred_messages_in_one_write", b"".join(map(_new, range(100))), inputs=100,
         answers=[Answer(n) for n in range(100)]),
    case("every_byte_in_a_write_of_its_own", *(bytes([b]) for b in _REQUEST), inputs=1,
         answers=[Answer(1)], apart=True),
    Case("a_message_cut_at_every_byte", _cut_everywhere, inputs=_CUTS, apart=True,
         answers=tuple(Answer(1000 + place) for place in range(1, _CUTS + 1))),
    case("one_and_a_half_messages_then_the_rest", _new(1) + _new(2)[:30], _new(2)[30:], inputs=2,
         answers=[Answer(1), Answer(2)], apart=True),
    case("a_multibyte_character_cut_in_two", *_with_text("é".encode()).partition(b"\xa9"), b"\n",
         inputs=1, answers=[Answer(1)], apart=True),
    case("a_return_and_its_newline_apart", _new(1)[:-1] + b"\r", b"\n", inputs=1,
         answers=[Answer(1)], apart=True),
    case("one_message_over_five_lines", _PRETTY, answers=[Answer(None, PARSE_ERROR)] * 5),
    case("text_survives_both_ways", line(1, "session/prompt", prompt_params("s", f"echo {_SAID}")),
         answers=[Answer(1)], chunks=(_SAID,)),
]  # fmt: skip

ENCODING = [
    *(_bad_utf8(name, bad) for name, bad in _BAD_UTF8.items()),
    refused("byte_order_mark", PARSE_ERROR, b"\xef\xbb\xbf", b"\xef\xbb\xbf" + _REQUEST[:-1]),
    refused("utf16", PARSE_ERROR, "{}".encode("utf-16-le"), "{}".encode("utf-16-be")),
    refused("utf32", PARSE_ERROR, "{}".encode("utf-32-le")),
    refused("nul_bytes", PARSE_ERROR, b"\0", b"\0" * 1000, b"\0" + _REQUEST[:-1],
            _REQUEST[:-1] + b"\0", _with_text(b"\0")),
    refused("raw_control_characters_in_a_string", PARSE_ERROR, *_CONTROLS),
    case("a_raw_newline_in_a_string", _with_text(b"a\nb") + b"\n",
         answers=[Answer(None, PARSE_ERROR)] * 2),
    refused("half_of_an_escaped_surrogate_pair", PARSE_ERROR,
            rb'{"jsonrpc":"2.0","id":"\ud800","method":"x"}',
            rb'{"jsonrpc":"2.0","id":1,"method":"\udc00"}'),
    refused("escapes_that_do_not_exist", PARSE_ERROR,
            *map(_with_text, (rb"\x41", rb"\u12g4", rb"\u12", rb"\U0001F600", rb"\'", b"\\"))),
    refused("compressed", PARSE_ERROR, gzip.compress(_REQUEST, mtime=0).replace(b"\n", b"")),
    refused("noise", PARSE_ERROR, _NOISE),
]  # fmt: skip

GRAMMAR = [
    Case("every_prefix_of_a_message", _prefixes, (Answer(None, PARSE_ERROR),) * _PREFIXES,
         inputs=_PREFIXES),
    refused("half_a_value", PARSE_ERROR, b"{", b"[", b'"', b'{"a":', b'{"a"', b"[1,", b"tru"),
    refused("closing_what_was_not_opened", PARSE_ERROR, b"}", b"]", b"{]", b"[}", b"{}}", b"[]]"),
    refused("comments", PARSE_ERROR, b"// hello", b"# hello", b"/* a */ {}", _with_value(b"1/**/"),
            _REQUEST[:-1] + b" // hello"),
    refused("commas_in_the_wrong_place", PARSE_ERROR, b'{"a":1,}', b"[1,]", b"{,}", b"[,1]",
            b'{"a":1 "b":2}', b"[1 2]", b'{"a",1}', b"[1,,2]"),
    refused("quotes_of_other_languages", PARSE_ERROR, b"{'a':1}", b"{a:1}", b"{1:1}", b"`a`",
            "“a”".encode()),
    refused("numbers_that_are_none", PARSE_ERROR,
            *map(_with_value, (b"NaN", b"Infinity", b"-Infinity", b"01", b"+1", b".5", b"1.", b"1e",
                               b"-", b"0x10", b"1_000", b"1e+"))),
    refused("literals_of_other_languages", PARSE_ERROR,
            *map(_with_value, (b"True", b"None", b"undefined", b"nil", b"NULL"))),
    refused("two_messages_on_a_line", PARSE_ERROR, _REQUEST[:-1] * 2,
            _REQUEST[:-1] + b" " + _REQUEST[:-1], _REQUEST[:-1] + b"," + _REQUEST[:-1]),
    refused("garbage_behind_a_message", PARSE_ERROR, _REQUEST[:-1] + b"x", _REQUEST[:-1] + b"\0\0"),
    case("an_http_request", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", inputs=3,
         answers=[Answer(None, PARSE_ERROR)] * 2),
    case("headers_of_another_protocol", b"Content-Length: 70\r\n\r\n" + _new(1), inputs=2,
         answers=[Answer(None, PARSE_ERROR), Answer(1)]),
    refused("a_json_text_sequence", PARSE_ERROR, b"\x1e" + _REQUEST[:-1]),
    refused("what_a_stray_print_says", PARSE_ERROR, b"Starting ...", b"\x1b[32mready\x1b[0m"),
]  # fmt: skip

CASES = LINES + ENCODING + GRAMMAR
