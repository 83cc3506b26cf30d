"""What is known of programs, as data: which run other programs, and by which words they do so.

The tables err on the side of asking. A program that is not in them is taken to do what its name
says with any arguments; a rule for its words is then the user's own judgement.
"""

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS = _names("sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh")
WRAPPERS = _names(
    "env sudo doas su runuser command exec builtin nohup nice ionice chrt taskset time "
    "timeout gtimeout stdbuf setsid setarch xargs gxargs parallel watch entr strace "
    "ltrace gdb lldb perf chroot unshare nsenter bwrap firejail flock script expect ssh "
    "mosh busybox toybox coproc caffeinate systemd-run at batch find gfind fd fdfind "
    "dbus-run-session xvfb-run proot fakeroot faketime eatmydata prlimit numactl "
    "run-parts start-stop-daemon wsl tmux screen"
)
"""Programs that run what their own arguments say."""

EVALUATORS = _names("eval trap alias let")
"""Builtins whose arguments are command lines, or may hold one."""

# Only a rule for the exact line covers these: their arguments are programs in themselves.
LINE_ONLY = (
    SHELLS
    | EVALUATORS
    | (WRAPPERS - {"find", "gfind", "fd", "fdfind"})
    | _names(
        "source . unalias enable hash set shopt export declare typeset local readonly printf read "
        "mapfile readarray let test bind complete compgen awk gawk mawk nawk sed gsed ed ex "
        "vi vim nvim emacs nano less more man osascript m4 bc dc tclsh wish socat crontab "
        "sqlite3 psql mysql mongosh"
    )
)
# Of these, only what a spelled-out script or module does can be told.
CODE = re.compile(
    r"(python|pypy|ruby|perl|php|lua|node|nodejs|tsx|ts-node|java|Rscript|julia|swift"
    r"|guile|racket|elixir|escript|groovy|scala|kotlin|ocaml|runghc)[\d.]*"
)
# Subcommands that run what follows them, or set what runs later.
OPEN_SUBCOMMANDS: dict[str, frozenset[str]] = {
    "git": _names(
        "config bisect submodule filter-branch difftool mergetool daemon credential hook "
        "maintenance remote var send-email instaweb gui shell for-each-repo http-backend "
        "upload-pack receive-pack worktree"
    ),
    "docker": _names("run exec cp create plugin context"),
    "podman": _names("run exec cp create unshare"),
    "kubectl": _names("exec run debug cp apply plugin config edit"),
    "npm": _names("exec x config set pkg init create explore edit"),
    "pnpm": _names("dlx config set create env"),
    "yarn": _names("dlx config create set plugin"),
    "bun": _names("x create repl"),
    "deno": _names("eval run install repl jupyter"),
    "go": _names("run generate env tool"),
    "gh": _names("alias extension api config auth codespace ssh-key"),
    "pip": _names("config"),
    "pip3": _names("config"),
    "pipx": _names("run runpip"),
    "uv": _names("tool"),
    "nix": _names("run shell develop"),
    "cargo": _names("install login publish"),
    "conda": _names("config"),
}
# `uv run pytest` is `pytest`: the words before the program, and then what runs.
CARRIERS: tuple[tuple[str, ...], ...] = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("pnpm", "exec"),
    ("yarn", "exec"),
    ("npx",),
    ("bunx",),
    ("uvx",),
)
# Options by which a program runs another or writes where its name does not say. The options of
# `*` count for every program that is not listed with its own.
ESCAPES: dict[str, frozenset[str]] = {
    "git": _names(
        "-c -C -x -O --config-env --exec-path --git-dir --work-tree --namespace --paginate "
        "--output --output-directory --ext-diff --textconv --upload-pack --receive-pack "
        "--open-files-in-pager --exec --config --template --separate-git-dir --extcmd "
        "--tool --smtp-server --sequence-editor --gpg-sign --filters --prefix --reference"
    ),
    "find": _names("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from"),
    "fd": _names("-x -X --exec --exec-batch"),
    "rg": _names("--pre --hostname-bin -z --search-zip -f --file"),
    "sort": _names("-o --output --compress-program -T --temporary-directory"),
    "tar": _names(
        "-I -F --to-command --use-compress-program --checkpoint-action --info-script "
        "--new-volume-script --rsh-command -C --directory -P"
    ),
    "zip": _names("-T -TT --unzip-command"),
    "make": _names("-f --file --makefile -C --directory --eval -I"),
    "npm": _names("--script-shell --prefix -C --node-options --userconfig"),
    "pnpm": _names("--script-shell -C --dir --shell-mode -c"),
    "bun": _names("-e -p -r --eval --print --preload --cwd --config -c"),
    "yarn": _names("--cwd --script-shell --use-yarnrc"),
    "cargo": _names("--config --manifest-path -Z --target-dir"),
    "go": _names("-exec -toolexec -o -modfile -overlay -C -vettool"),
    "pip": _names("--python --target -t -i --index --extra-index"),
    "uv": _names("--with --with-editable --index --default-index --directory"),
    "pytest": _names("-p -c --rootdir --confcutdir -o --override-ini"),
    "curl": _names("-o -O -K -T -F -d --output --remote-name --config --upload-file"),
    "wget": _names("-e --execute --use-askpass --config -i --post-file"),
    "rsync": _names("-e --rsh --rsync-path"),
    "scp": _names("-S -o -F -D"),
    "tree": _names("-o -R"),
    "diff": _names("-l --paginate"),
    "file": _names("-C --compile -m --magic-file -z -Z -S"),
    "date": _names("-s --set -f"),
    "eslint": _names("-c --config --rulesdir --plugin --parser -o -f"),
    "*": _names(
        "--exec --command --eval --shell --pager --editor --output --config --to-command "
        "--compress-program --use-compress-program --rsh --plugin"
    ),
}
SAME = {
    "gfind": "find",
    "fdfind": "fd",
    "gsort": "sort",
    "gtar": "tar",
    "bsdtar": "tar",
    "gmake": "make",
    "pip3": "pip",
    "gdate": "date",
}
# Programs whose long options have one dash, so that several letters are never several options.
ONE_DASH = {"find", "go"}

# How many words say what is done: `git commit`, `npm run build`.
SUBCOMMANDS: dict[str, int] = (
    dict.fromkeys(("git", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "go", "pip", "pip3"), 2)
    | dict.fromkeys(("uv", "poetry", "pdm", "hatch", "pipenv", "conda", "make", "gmake", "just"), 2)
    | dict.fromkeys(("docker", "podman", "kubectl", "helm", "terraform", "tofu", "dotnet"), 2)
    | dict.fromkeys(("mvn", "gradle", "rake", "mix", "bundle", "composer", "brew", "rustup"), 2)
    | dict.fromkeys(("tox", "nox", "pre-commit", "task", "turbo", "nx", "lerna", "flutter"), 2)
    | {"gh": 3}
)
LONGER: dict[tuple[str, ...], int] = {
    ("npm", "run"): 3,
    ("npm", "run-script"): 3,
    ("pnpm", "run"): 3,
    ("yarn", "run"): 3,
    ("bun", "run"): 3,
    ("uv", "pip"): 3,
    ("docker", "compose"): 3,
    ("git", "stash"): 3,
    ("git", "notes"): 3,
}
NAMED_BY_ITSELF = _names(
    "pytest ruff mypy pyright basedpyright black isort flake8 pylint eslint prettier "
    "tsc jest vitest mocha biome oxlint stylelint rustfmt gofmt golangci-lint "
    "clang-format clang-tidy cmake ctest ninja shellcheck shfmt mkdir touch lint-imports "
    "coverage swiftlint rspec rubocop phpunit ktlint hadolint actionlint yamllint"
)
BARE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_@:./-]*")
