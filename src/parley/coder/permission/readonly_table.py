"""The programs that only read, with every option that keeps them so. Pure data.

An option that is not here is one that nobody has looked at, or one that writes, follows links
out of the workspace, runs a program, or never ends.
"""

from typing import Literal

from msgspec import Struct

Operands = Literal["paths", "pattern", "text", "format"]
"""What stands beside the options: paths; a pattern and then paths; any text; a date format."""


class Reader(Struct, frozen=True):
    flags: str = ""
    """Letters of short options without a value."""
    values: str = ""
    """Letters of short options with one."""
    long: frozenset[str] = frozenset()
    """Long options without a value, or with one behind an equals sign."""
    long_values: frozenset[str] = frozenset()
    """Long options whose value may also be the next word."""
    operands: Operands = "paths"
    most: int = 10_000
    """How many operands it may have."""
    numbers: bool = False
    """Whether `-20` is an option."""

    def option(self, word: str) -> int | None:
        """How many words an option takes, itself included; `None` for one that is not known."""
        if word.startswith("--"):
            name, equals, _ = word.partition("=")
            if name in self.long:
                return 1
            return (1 if equals else 2) if name in self.long_values else None
        if self.numbers and word[1:].isdecimal():
            return 1
        for position, letter in enumerate(word[1:], 2):
            if letter in self.values:
                return 1 if position < len(word) else 2
            if letter not in self.flags:
                return None
        return 1

    def is_pattern(self, word: str) -> bool:
        """Whether an option gives the pattern, or wants none, so that no operand is one."""
        if word.startswith("--"):
            return word.partition("=")[0] in ("--regexp", "--files", "--type-list")
        for letter in word[1:]:
            if letter == "e" or letter in self.values:
                return letter == "e"
        return False


def _reader(
    flags: str = "",
    values: str = "",
    long: str = "",
    long_values: str = "",
    *,
    operands: Operands = "paths",
    most: int = 10_000,
    numbers: bool = False,
) -> Reader:
    return Reader(
        flags,
        values,
        frozenset(f"--{name}" for name in long.split()),
        frozenset(f"--{name}" for name in long_values.split()),
        operands,
        most,
        numbers,
    )


_DIGEST = _reader("bt", "", "binary text tag zero")

READERS: dict[str, Reader] = {
    "ls": _reader(
        "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxX1",
        "Iw",
        "all almost-all human-readable recursive reverse size directory classify color "
        "full-time group-directories-first inode numeric-uid-gid file-type time-style sort "
        "time si",
        "ignore hide",
    ),
    "cat": _reader("AbeEnstTuv", "", "number number-nonblank show-all squeeze-blank show-ends"),
    "head": _reader("qvz", "nc", "quiet silent verbose", "lines bytes", numbers=True),
    "tail": _reader("qvz", "nc", "quiet silent verbose", "lines bytes", numbers=True),
    "wc": _reader("clmwL", "", "bytes chars lines words max-line-length total"),
    "nl": _reader("p", "bfhinsvw"),
    "tac": _reader("b"),
    "rev": _reader(),
    "fold": _reader("bs", "w", "spaces", "width"),
    "expand": _reader("i", "t"),
    "paste": _reader("sz", "d"),
    "comm": _reader("123z", "", "total"),
    "cmp": _reader("bls", "in", "silent quiet verbose print-bytes"),
    "diff": _reader(
        "abBcdeEiNnpqrstTuwyZ",
        "CUxW",
        "brief unified recursive new-file ignore-all-space ignore-space-change color "
        "side-by-side ignore-blank-lines ignore-case report-identical-files text "
        "suppress-common-lines",
        "exclude width context",
    ),
    "cut": _reader("nsz", "bcdf", "complement only-delimited", "bytes characters fields delimiter"),
    "tr": _reader("cCdst", "", "complement delete squeeze-repeats", operands="text"),
    "sort": _reader(
        "bcCdfghiMmnrRsuVz",
        "kt",
        "unique reverse numeric-sort human-numeric-sort version-sort ignore-case stable check",
        "key field-separator",
    ),
    "uniq": _reader("cdDiuz", "fsw", "count repeated unique ignore-case", most=1),
    "column": _reader("tx", "scN"),
    "grep": _reader(
        "abcEFGHhiIlLnoPqrsTUvwxyzZ",
        "ABCem",
        "recursive ignore-case line-number files-with-matches files-without-match count "
        "only-matching word-regexp line-regexp invert-match extended-regexp fixed-strings "
        "perl-regexp no-messages with-filename no-filename quiet color text null "
        "byte-offset include exclude exclude-dir",
        "after-context before-context context max-count regexp binary-files",
        operands="pattern",
        numbers=True,
    ),
    "rg": _reader(
        "abcFhHiIlnNoPqsSuUvwx0p.",
        "ABCegtTmM",
        "ignore-case line-number files files-with-matches files-without-match count "
        "only-matching word-regexp line-regexp invert-match fixed-strings hidden no-ignore "
        "case-sensitive multiline smart-case no-heading heading with-filename no-filename "
        "quiet stats pcre2 count-matches json column vimgrep trim no-line-number type-list "
        "no-ignore-vcs one-file-system no-messages",
        "after-context before-context context max-count regexp glob iglob type type-not "
        "sort sortr max-depth max-columns color max-filesize",
        operands="pattern",
    ),
    "stat": _reader("tx", "c", "terse", "format printf"),
    "file": _reader("bhiLN", "", "brief mime mime-type mime-encoding"),
    "du": _reader(
        "abchkms",
        "d",
        "all bytes total human-readable summarize apparent-size",
        "max-depth exclude",
    ),
    "df": _reader("ahHikPT", "", "human-readable print-type inodes"),
    "tree": _reader("adfFhpsDCnQiu", "LIP", "dirsfirst noreport gitignore prune du charset"),
    "readlink": _reader("efmnqsvz"),
    "realpath": _reader("eLmPqsz"),
    "basename": _reader("az", "s", operands="text"),
    "dirname": _reader("z", operands="text"),
    "od": _reader("bcdoxv", "AtNj"),
    "hexdump": _reader("bcCdovx", "ns"),
    "strings": _reader("af", "nt"),
    "base64": _reader("dDi", "w", "decode ignore-garbage wrap", most=1),
    "cksum": _reader(),
    "md5sum": _DIGEST,
    "sha1sum": _DIGEST,
    "sha224sum": _DIGEST,
    "sha256sum": _DIGEST,
    "sha384sum": _DIGEST,
    "sha512sum": _DIGEST,
    "b2sum": _DIGEST,
    "shasum": _reader("bt", "a"),
    "pwd": _reader("LP", most=0),
    "whoami": _reader(most=0),
    "id": _reader("unGgr", most=0),
    "groups": _reader(most=0),
    "uname": _reader("asnrvmpio", "", "all kernel-name kernel-release machine", most=0),
    "arch": _reader(most=0),
    "nproc": _reader("", "", "all", most=0),
    "hostname": _reader(most=0),
    "uptime": _reader("ps", most=0),
    "date": _reader("uR", "", "utc iso-8601 rfc-3339 rfc-email", operands="format", most=1),
    "seq": _reader("w", "fs", operands="text", most=3),
    "which": _reader("a", operands="text"),
    "type": _reader("afptP", operands="text"),
    "sleep": _reader(operands="text", most=1),
}

FIND_TESTS = frozenset(
    ("(", ")", "!", "-not", "-o", "-or", "-a", "-and", ",", "-print", "-print0", "-prune", "-ls")
).union(("-empty", "-true", "-false", "-depth", "-xdev", "-mount", "-quit", "-daystart", "-nouser"))
FIND_VALUES = frozenset(
    ("-name", "-iname", "-path", "-ipath", "-wholename", "-type", "-maxdepth", "-mindepth")
).union(
    ("-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-perm", "-user"),
    ("-group", "-regex", "-iregex", "-regextype", "-printf", "-links", "-inum", "-lname", "-xtype"),
)
