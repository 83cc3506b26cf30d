"""Command lines against rules: those that allow, answers that hold, and rules that deny.

    python -m tests.security.shell_campaign

Nothing is run here: what is asked is only whether the line would run without a question.
"""

import sys
from collections.abc import Iterator

from parley.coder.permission.access import RunsCommand
from parley.coder.permission.policy import Request, judge
from parley.coder.permission.remember import remembered_for
from parley.coder.permission.rule import parse_rules
from tests.coder.permission.shell_strings import ALLOWED, GENEROUS, REFUSED
from tests.security.campaign import Result, table

ROOTS = ("/w", "/second")
_MODES = ("ask", "auto-edit", "plan", "unheard-of")
_ANSWERED = ("git status -s", "git diff", "npm test", "make test", "pytest -q", "ls; pwd")
_MANY = (51, 100, 500, 2_000)

# A rule denies `touch x`; every line runs it, or might for all that a reader can tell.
DENIED = (
    *("touch x", "touch  x", "\ttouch x", "touch x ", "touch x\n", "touch x;", "touch x &"),
    *("ls; touch x", "ls && touch x", "ls || touch x", "ls | touch x", "ls & touch x"),
    *("ls\ntouch x", "ls;\n\ntouch x", "touch x; ls", "! touch x", "time touch x"),
    *("(touch x)", "{ touch x; }", "((1)); touch x", "[[ -f y ]] || touch x", "true && (touch x)"),
    *("if true; then touch x; fi", "while true; do touch x; break; done", "f() { touch x; }; f"),
    *("for i in 1; do touch x; done", "case a in a) touch x;; esac", "select i in 1; do touch x"),
    *("echo $(touch x)", "echo `touch x`", 'echo "$(touch x)"', "cat <(touch x)", "ls >(touch x)"),
    *(
        "A=$(touch x)",
        "A=1 touch x",
        "A=1 B=2 touch x",
        "export A=$(touch x)",
        ": ${A:=$(touch x)}",
    ),
    *("touch x > y", "> y touch x", "touch x 2>&1", "touch x < y", "cat <<E | touch x\nE\n"),
    *("cat <<E\n$(touch x)\nE\n", "cat <<< $(touch x)", "touch \\\nx", "to\\\nuch x", "\\touch x"),
    *("'touch' x", '"touch" x', "t'ou'ch x", 'to"u"ch x', "touch 'x'", 'touch "x"', "TOUCH x"),
    *("/usr/bin/touch x", "/bin/../bin/touch x", "./touch x", "~/touch x", "command touch x"),
    *(
        "builtin command touch x",
        "exec touch x",
        "env touch x",
        "env A=1 touch x",
        "env -i touch x",
    ),
    *("nice touch x", "nice -n 5 touch x", "nohup touch x", "timeout 5 touch x", "setsid touch x"),
    *(
        "stdbuf -oL touch x",
        "sudo touch x",
        "sudo -u me touch x",
        "doas touch x",
        "busybox touch x",
    ),
    *("sh -c 'touch x'", 'bash -c "touch x"', "bash -lc 'ls; touch x'", "sh -ec 'touch x' y"),
    *(
        "eval touch x",
        "eval 'touch x'",
        'eval "ls; touch x"',
        "trap 'touch x' EXIT",
        "watch touch x",
    ),
    *(
        "echo x | xargs touch",
        "xargs touch x",
        "find . -exec touch x ;",
        "find . -exec touch x '{}' +",
    ),
    *("parallel touch ::: x", "git bisect run touch x", "ssh here touch x", "docker run i touch x"),
    *("$T x", "${T} x", "$(echo touch) x", "`echo touch` x", "$'touch' x", "$'\\x74ouch' x"),
    *(
        "t{ouch,} x",
        "tou?h x",
        "/usr/bin/tou* x",
        "{touch,x}",
        "echo touch x | sh",
        "sh <<< 'touch x'",
    ),
    *("sh <<E\ntouch x\nE\n", "sh -s", "sh", "bash", "alias a='touch x'; a"),
    *(
        "touch x #",
        "# ls\ntouch x",
        "ls # y\ntouch x",
        "touch\u00a0x; touch x",
        "ls '; touch x",
        "ls $(",
    ),
)

# The same for rules with more than one word.
DENIED_WORDS: dict[str, tuple[str, ...]] = {
    "git push": (
        *("git -C . push", "git -C /w -c a=b push -f", "git --no-pager push", "git -p push x"),
        *("git --git-dir=.git push", "git --git-dir .git push", "sudo git -C . push", "git pus? x"),
        *("env git --exec-path=/x push", "ls && git -C . push", "sh -c 'git -C . push'", "git $X"),
    ),
    "git push --force": (
        *("git push origin --force", "git push -f", "git push origin main -f", "git push --forc"),
        *("git -C . push --force", "git push --force=x", "git push -uf origin", "git push --f* x"),
    ),
    "rm -rf": (
        *("rm -r -f x", "rm -fr x", "rm -r x -f", "rm --recursive --force x", "rm -Rf x"),
        *("rm -v -rf x", "rm x -rf", "rm -rvf x", "/bin/rm -f -r x", "sudo rm -f -r x"),
    ),
    "docker push": ("docker --context x push y", "docker -H tcp://x push y", "docker -D push y"),
    "kubectl delete": ("kubectl -n p delete x", "kubectl --namespace=p delete x"),
    "npm publish": ("npm --prefix . publish", "npm -s publish", "npm --silent publish"),
    "find * -delete": ("find . -name x -delete", "find -delete .", "find . -depth -delete -ls"),
}


def allowed_lines() -> list[str]:
    """The lines that a rule lets pass although it should not."""
    rules = {text: parse_rules(text) for _, text in REFUSED}
    return [
        f"{line!r} in the mode {mode}"
        for line, text in REFUSED
        for mode in _MODES
        if judge(_bash(line), mode, rules[text], (), ROOTS).effect == "allow"
    ]


def remembered_lines() -> tuple[int, list[str]]:
    """The same for answers that hold for the session; and how many lines there were."""
    kept = tuple(remembered_for(_bash(each), allowed=True, roots=ROOTS) for each in _ANSWERED)
    lines = [line for line, rules in REFUSED if rules == GENEROUS]
    return len(lines), [
        f"{line!r} by an answer"
        for line in lines
        if judge(_bash(line), "ask", (), kept, ROOTS).effect == "allow"
    ]


def denied_lines() -> Iterator[str]:
    """Every line that a rule must keep from running by itself, however long it is."""
    yield from DENIED
    for joint in ("; ", " && ", " || ", " | ", "\n"):
        for count in _MANY:
            yield joint.join([*["ls"] * count, "touch x"])
            yield joint.join(["touch x", *["ls"] * count])
    for padding in ("echo " + "a" * 20_000, ": " + "x " * 20_000, "(" * 300 + ")" * 300):
        yield f"{padding}; touch x"


def passed_denial() -> list[str]:
    """The lines that run unasked although a rule denies what they do, in the freest mode."""
    cases = {"touch": tuple(denied_lines()), **DENIED_WORDS}
    rules = {words: parse_rules(f"deny bash:{words}\nallow bash") for words in cases}
    return [
        f"{line[:80]!r} although denied by `{words}`"
        for words, lines in cases.items()
        for line in lines
        if judge(_bash(line), "full-access", rules[words], (), ROOTS).effect == "allow"
    ]


def refused_harmless() -> list[str]:
    """The lines that must pass, so that nothing is mended by refusing everything."""
    rules = {text: parse_rules(text) for _, text in ALLOWED}
    return [
        f"{line!r} is harmless and was not allowed"
        for line, text in ALLOWED
        if judge(_bash(line), "ask", rules[text], (), ROOTS).effect != "allow"
    ]


def campaign() -> Iterator[Result]:
    answered, by_answers = remembered_lines()
    failures = (*allowed_lines(), *by_answers, *refused_harmless())
    how = f"4 modes; {answered} of them against answers too; {len(ALLOWED)} harmless lines pass"
    yield Result("shell strings against rules that allow", len(set(REFUSED)), 300, failures, how)
    denied = {*denied_lines(), *(line for lines in DENIED_WORDS.values() for line in lines)}
    how = f"full access, with up to {max(_MANY)} parts in a line"
    title = "shell strings against rules that deny"
    yield Result(title, len(denied), 100, tuple(passed_denial()), how)


def _bash(line: str) -> Request:
    return Request("bash", "execute", (RunsCommand(line, ROOTS[0]),))


if __name__ == "__main__":
    rows = list(campaign())
    sys.stdout.write("\n".join(table(rows)) + "\n")
    sys.exit(not all(row.holds for row in rows))
