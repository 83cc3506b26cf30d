"""Random command lines, judged by the policy and run by a real shell: who is right?

    python -m tests.security.shell_fuzz [LINES] [SEED]

Every line is put together of pieces that call `touch` in some way, or seem to. A real bash runs it
in a folder of its own, with a search path that has nothing but harmless stand-ins. If `touch` ran,
no rule that denies it may have let the line pass, nor may rules that allow other things.
"""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parley.coder.permission.access import RunsCommand
from parley.coder.permission.policy import Request, judge
from parley.coder.permission.rule import parse_rules
from tests.coder.permission.shell_strings import GENEROUS
from tests.security.campaign import Result, table

LINES = 5_000
_SECONDS = 5.0
_NAMES = (
    *("touch", "t'ou'ch", '"touch"', "\\touch", "to\\\nuch", "$'touch'", "$'\\x74ouch'", "$T"),
    *("${T}", "${T:-touch}", "$(echo touch)", "`echo touch`", "{touch,}", 't"o"uch', "./touch"),
    *("$PWD/touch", "bin/tou*", "bin/touc?", "./t[o]uch", "TOUCH", "touchy", "echo touch"),
)
_ARGUMENTS = ("x", "'x'", '"x"', "-- x", "x y", "$X", "x >/dev/null", "x 2>&1", "", "x # y")
# The pieces that a command is put into; a line is several of them inside each other.
_FRAMES = (
    *("@", "@", "@ ", " @", "\t@", "(@)", "{ @; }", "if true; then @; fi", "! @", "time @"),
    *("for i in 1; do @; done", "until @; do break; done", "case a in a) @;; esac", "@ &"),
    *("f() { @; }; f", "f() { @; }", "echo $(@)", "echo `@`", 'echo "$(@)"', "cat <(@)", "A=1 @"),
    *("A=$(@)", ": ${A:=$(@)}", "[[ -n $(@) ]]", "(( 1 )) && @", "true && @", "false || @"),
    *("true; @", "true | @", "@ | true", "true\n@", "@\ntrue", "false && @", "true || @", "> y @"),
    *(
        "cat <<E\n$(@)\nE\n",
        "cat <<'E'\n$(@)\nE\n",
        "sh <<E\n@\nE\n",
        "sh <<< '@'",
        "echo '@' | sh",
    ),
    *("env @", "command @", "exec @", "builtin command @", "nice @", "sudo @", "xargs @", "eval @"),
    *("eval '@'", "sh -c '@'", 'bash -c "@"', "trap '@' EXIT", "echo '@'", "# @", "ls # @\n@"),
    *("T=touch; @", "T=touch X=x; @", "ls\\\n; @", "ls; @", "git status && @", "echo hello; @"),
    *("alias a='@'", "cd . && @", "pushd . && @", "coproc @", "select i in 1; do @; break; done"),
)
_STANDS_IN = {
    "touch": ': > "$MARK"\n',
    "ls": "",
    "git": "",
    "cat": "while read -r line; do :; done\n",
    **dict.fromkeys(("env", "nice", "sudo", "xargs"), 'exec "$@"\n'),
    "sh": 'exec /bin/sh "$@"\n',
    "bash": 'exec /bin/bash "$@"\n',
}


class Field:
    """A folder with stand-ins for programs, in which lines are run."""

    def __init__(self, folder: Path) -> None:
        self._cwd = folder / "work"
        self._marks = folder / "marks"
        self._marks.mkdir()
        self._count = 0
        (self._cwd / "bin").mkdir(parents=True)
        stands = folder / "stands"
        stands.mkdir()
        for name, script in _STANDS_IN.items():
            (stands / name).write_text(f"#!/bin/sh\n{script}")
            (stands / name).chmod(0o755)
        for place in (self._cwd / "touch", self._cwd / "bin/touch"):
            place.symlink_to(stands / "touch")
        self._stands = str(stands)
        self.roots = (os.path.realpath(self._cwd),)

    def runs(self, line: str) -> bool:
        """Whether a line makes `touch` run."""
        # A mark of its own: what an earlier line left running counts for that line.
        self._count += 1
        mark = self._marks / str(self._count)
        with subprocess.Popen(
            ("/bin/bash", "-c", line),
            cwd=self._cwd,
            env={"PATH": self._stands, "MARK": str(mark)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as shell:
            try:
                shell.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                shell.kill()
        return mark.exists()


def lines(count: int, seed: int) -> Iterator[str]:
    """Different lines, the same ones for the same seed."""
    chance = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        line = f"{chance.choice(_NAMES)} {chance.choice(_ARGUMENTS)}".rstrip()
        for _ in range(chance.randint(0, 3)):
            line = chance.choice(_FRAMES).replace("@", line)
        if line not in seen:
            seen.add(line)
            yield line


def passed(count: int, seed: int, folder: Path) -> tuple[int, list[str]]:
    """How many lines really ran it, and those of them that the policy let pass."""
    field = Field(folder)
    cases = {
        "denied, in full access": ("full-access", parse_rules("deny bash:touch\nallow bash")),
        "not allowed, when asked": ("ask", parse_rules(GENEROUS)),
        "in plan mode": ("plan", parse_rules(GENEROUS)),
    }
    failures: list[str] = []
    ran = 0
    for line in lines(count, seed):
        if not field.runs(line):
            continue
        ran += 1
        request = Request("bash", "execute", (RunsCommand(line, field.roots[0]),))
        failures += [
            f"{line!r}: {name}"
            for name, (mode, rules) in cases.items()
            if judge(request, mode, rules, (), field.roots, os.path.realpath).effect == "allow"
        ]
    return ran, failures


def campaign(count: int = LINES, seed: int = 1) -> Iterator[Result]:
    with tempfile.TemporaryDirectory(prefix="lines-", ignore_cleanup_errors=True) as folder:
        ran, failures = passed(count, seed, Path(os.path.realpath(folder)))
    how = f"random lines that a real shell ran, of {count}; denied, not allowed, or plan mode"
    yield Result("shell lines that really run it", ran, count // 4, tuple(failures), how)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    rows = list(campaign(*numbers))
    sys.stdout.write("\n".join(table(rows)) + "\n")
    sys.exit(not all(row.holds for row in rows))
