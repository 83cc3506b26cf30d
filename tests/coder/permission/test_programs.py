"""How much of a command must be spelled out before the rest may be anything."""

import pytest

from parley.coder.permission.programs import is_open, leaves_free, naming_words, program_of


def argv(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_a_program_is_known_without_its_folder() -> None:
    assert program_of(("/usr/bin/git", "status")) == "git"


@pytest.mark.parametrize(
    "line",
    [
        "sh",
        "bash x.sh",
        "/bin/bash -c x",
        "env ls",
        "sudo ls",
        "xargs rm",
        "timeout 5 ls",
        "python -c x",
        "python",
        "python3.11 -",
        "node -e x",
        "awk x",
        "sed -i x",
        "docker run x",
        "docker compose exec x sh",
        "kubectl -n a exec x",
        "git config a b",
        "npm exec x",
        "npx -p evil x",
        "uv run --with evil pytest",
        "uv run python -c x",
        "uv run sh",
        "eval x",
    ],
)
def test_what_runs_anything_is_open(line: str) -> None:
    assert is_open(argv(line))
    assert not leaves_free(argv(line), 1)
    assert naming_words(argv(line)) is None


@pytest.mark.parametrize("line", ["git status", "npm test", "pytest", "python x.py", "docker ps"])
def test_what_does_what_it_says_is_not_open(line: str) -> None:
    assert not is_open(argv(line))


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("git commit -m x", 2),
        ("git stash pop", 3),
        ("npm test", 2),
        ("npm run build", 3),
        ("npm run", None),
        ("pytest -q x", 1),
        ("make test", 2),
        ("make", None),
        ("make -j4 test", None),
        ("gh pr view", 3),
        ("uv run pytest -q", 3),
        ("uv pip list", 3),
        ("npx tsc --noEmit", 2),
        ("npx unknown", None),
        ("python -m pytest -q", 3),
        ("python -m", None),
        ("python x.py a", 2),
        ("python ./x.py a", 2),
        ("python x", None),
        ("git -C x commit", None),
        ("git", None),
        ("unknown thing", None),
        ("./pytest", None),
        ("cat x", None),
        ("rm x", None),
    ],
)
def test_the_words_that_name_what_is_done_are_counted(line: str, count: int | None) -> None:
    assert naming_words(argv(line)) == count


@pytest.mark.parametrize(
    ("line", "fixed", "free"),
    [
        ("git diff HEAD", 2, True),
        ("git diff --output=x", 2, False),
        ("git diff --output=x", 3, True),
        ("git diff --outp=x", 2, False),
        ("git diff --stat", 2, True),
        ("git diff --output-directory=x", 2, False),
        ("pip install --target-x y", 2, False),
        ("git log -5", 2, True),
        ("git grep -Ox y", 2, False),
        ("git rebase -ix y", 2, False),
        ("git fetch ext::x", 2, False),
        ("find . -name x", 1, True),
        ("find . -exec x", 1, False),
        ("gfind . -delete", 1, False),
        ("go test -count=1", 2, True),
        ("go test --exec=x", 2, False),
        ("sort -uo x", 1, False),
        ("sort --o=x", 1, False),
        ("make test A=b", 2, False),
        ("make test -j4", 2, True),
        ("pytest a=b", 1, True),
        ("unknown --exec x", 1, False),
        ("unknown -x --", 1, True),
        ("python x.py a", 2, True),
        ("python x.py a", 1, False),
        ("python -m pytest a", 3, True),
        ("python -m pytest a", 2, False),
        ("uv run pytest -q", 3, True),
        ("uv run pytest -p x", 3, False),
        ("rm -rf x", 0, True),
    ],
)
def test_open_words_must_not_make_a_program_run_another(line: str, fixed: int, free: bool) -> None:
    assert leaves_free(argv(line), fixed) is free
