"""Command lines against rules that allow: what must never pass, and what must.

Every pair of `REFUSED` has the rules that are there to be abused. Every line of `ALLOWED` is
harmless or covered, so that nothing can be mended by refusing everything.
"""

from tests.coder.permission.shell_argument_strings import ARGUMENTS, UNRULED, WRAPPERS
from tests.coder.permission.shell_syntax_strings import (
    CHARACTERS,
    EXPANSIONS,
    OPERATORS,
    REDIRECTIONS,
    STRUCTURE,
    SUBSTITUTIONS,
    TOO_COMPLEX,
)

GENEROUS = """
allow bash:git status
allow bash:git diff
allow bash:git log
allow bash:git show
allow bash:git commit
allow bash:git grep
allow bash:git fetch
allow bash:git rebase
allow bash:npm test
allow bash:make test
allow bash:pytest
allow bash:echo
allow bash:ls
allow bash:cat
allow bash:find
allow bash:fd
allow bash:rg
allow bash:sort
allow bash:tar
allow bash:tree
allow bash:go test
allow bash:uv run pytest
"""
EVERYTHING = "allow bash"

READING = r"""
ls
 ls
ls\n
ls;
ls -la
ls -la src
ls -R
ls -1 src tests
ls --color=never
ls src/
ls ./src
ls /w
ls /w/src
ls 'my file'
ls "my file"
ls my\ file
ls -- -odd
l's' src
"ls" src
ls 2>&1
ls 2>/dev/null
ls nowhere > /dev/null 2>&1
pwd
pwd && ls
ls; pwd; ls
ls\npwd
ls ||\npwd
cat README.md
cat -n src/a.py src/b.py
cat src/a.py | head -20
cat 'a;b'
cat 'a && rm b'
cat "a | b"
cat a\;b
cat a.py 2>/dev/null || echo missing
head -n 5 x
head -5 x
tail -n +3 x
tail -20 x
wc -l x y
grep foo x
grep -rn foo .
grep -rn foo src --include=*.py
grep -rn foo src --include='*.py'
grep -E 'a|b' x
grep -c '$HOME' x
grep "a\$b" x
grep '/api/v1' src/a.py
grep -rn '/api/v1' src
grep -e '/api' -e '/v1' src/a.py
grep -5 foo x
rg foo
rg -n foo src
rg -g '*.py' foo
rg --files
rg --files src
rg -t py '/path' src
rg 'a(b|c)' src | sort | uniq -c | sort -rn | head
find .
find . -name '*.py'
find . -name "*.py" -not -path './.venv/*'
find src -type f -maxdepth 2
find . \( -name a -o -name b \) -print
find . -newer src/a.py
sed -n 1,20p x
sed -n '5p' x
sed -n '10,$p' x
sort x | uniq
sort -k2 -t, x
cut -d: -f1 x
tr a-z A-Z
diff -u a b
diff -r src tests
stat x
stat -c %s x
file x
du -sh .
du -sh src tests
df -h
tree -L 2
which python
type ls
command -v python3
basename /etc/x.py .py
dirname /a/b
readlink x
realpath src
date
date +%Y-%m-%d
date -u
uname -a
whoami
id
nproc
true
true && ls
false || ls
test -f x && echo yes
test -d src || echo no
echo hello
echo 'a $(rm x) b'
echo "it's"
echo 'a > b'
echo a=b
echo -e 'a\tb'
echo "café"
seq 1 5
sha256sum x
od -c x
cd src && ls
cd src && cat a.py | wc -l
cd /w/src && ls -la
cd src; cd lib; ls
git --version
"""

COVERED = """
git status
git status --short
git status -sb
git  status
git diff HEAD~1
git diff HEAD^ -- src/a.py
git diff main..HEAD
git log --oneline -5
git log --format='%H %s'
git log -p src/a.py | head -50
git show HEAD:src/a.py
git commit -m 'Fix it'
git commit -m "Fix it; rm -rf nothing"
git commit -m 'Costs $5 && more'
git commit -am "café"
git status && git diff
git status; ls
git fetch origin main
npm test
npm test -- --watch=false
npm test 2>&1 | tail -20
npm test > /dev/null
cd src && npm test
cd /w/src && npm test 2>&1 | grep -c ok
make test
make test -j4
pytest
pytest -q tests/test_a.py
pytest -k 'a and b' -x
pytest tests/test_a.py::test_b
uv run pytest -q
go test ./...
go test -count=1 -run 'TestX' ./pkg
find . -name x
rg --hidden foo | sort -u
tar -tf a.tar
ls src/*.py
echo hello && git status
"""


def lines(text: str) -> tuple[str, ...]:
    """The lines of a table; `\\n` in one stands for a newline."""
    return tuple(line.replace("\\n", "\n") for line in text.strip("\n").split("\n"))


_TABLES = (OPERATORS, SUBSTITUTIONS, EXPANSIONS, REDIRECTIONS, STRUCTURE, ARGUMENTS, WRAPPERS)
_NEVER_PLAIN = (SUBSTITUTIONS, EXPANSIONS, REDIRECTIONS, STRUCTURE)

REFUSED: tuple[tuple[str, str], ...] = (
    *((line, GENEROUS) for table in _TABLES for line in lines(table)),
    *((line, GENEROUS) for line in (*CHARACTERS, *TOO_COMPLEX)),
    *((line, EVERYTHING) for table in _NEVER_PLAIN for line in lines(table)),
    *((line, EVERYTHING) for line in (*CHARACTERS, *TOO_COMPLEX)),
    *((line, "") for line in lines(UNRULED)),
)
ALLOWED: tuple[tuple[str, str], ...] = (
    *((line, "") for line in (*lines(READING), "ls   ", "\tls\t-la")),
    *((line, GENEROUS) for line in lines(COVERED)),
)
