"""Everything that the agent and its commands write can be read by the user alone.

    python -m tests.security.mode_campaign

A home is used under several umasks: sessions, copies for undo, locks, logs, agreements, records,
exports, a login, the settings of an editor. Then the modes of all files in it are looked at.
"""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.agent.raw_client import RawClient
from tests.agent.raw_process import Json
from tests.agent.stage import Script, call, staged
from tests.cli.raw_agent import PARLEY, environment
from tests.cli.test_login import log_in
from tests.security.campaign import Result, table

UMASKS = ("000", "002", "022", "027", "077")
PLACES = {
    "the database": ".local/share/parley/sessions.db",
    "its log of changes": ".local/share/parley/sessions.db-wal",
    "locks": ".local/share/parley/*.lock",
    "copies for undo": ".local/share/parley/undo/*/*",
    "agreements": ".local/share/parley/trust.json",
    "the log": ".local/state/parley/parley.log",
    "the configuration": ".config/parley/config.toml",
    "folders": ".local/share/parley",
    "a record of frames": "record.jsonl",
    "an export as Markdown": "export.markdown",
    "an export as JSON": "export.json",
    "an export as HTML": "export.html",
    "losses of a bridge": "losses.jsonl",
    "settings of an editor": "editor/settings.json",
    "the copy of settings": "editor/settings.json.*",
    "a damaged store that is kept": ".local/share/parley/sessions.db.damaged-*",
}
"""Where something must lie, as patterns from the home folder."""
SCRIPT: Script = [
    {"when": "change", "calls": [call("read_file", path="value.txt")]},
    {"when": "change", "calls": [call("write_file", path="value.txt", content="value = 2\n")]},
    {"when": "change", "calls": [call("bash", command="echo more >> value.txt; mkdir made")]},
    {"when": "change", "text": "Done.", "repeat": True},
]
_SETTINGS = '{"agent_servers": {"other": {"env": {"KEY": "secret"}}}}\n'


def looked_at(umask: str, home: Path) -> list[str]:
    """Use a home under a umask; what others could read, and what was not written at all."""
    before = os.umask(int(umask, 8))
    try:
        with_logs = _use(home)
    finally:
        os.umask(before)
    return [f"umask {umask}: {each}" for each in (*with_logs, *_open_files(home), *_missing(home))]


def campaign() -> Iterator[Result]:
    failures: list[str] = []
    for umask in UMASKS:
        with tempfile.TemporaryDirectory(prefix="modes-") as base:
            home = Path(os.path.realpath(base)) / "home"
            home.mkdir(mode=0o755)
            failures += looked_at(umask, home)
    tried = len(UMASKS) * len(PLACES)
    how = f"{len(PLACES)} places under the umasks {', '.join(UMASKS)}"
    yield Result("files that others could read", tried, 15, tuple(failures), how)


def _use(home: Path) -> list[str]:
    """Let everything be written once; what others could read while the agent ran."""
    project = home / "project"
    project.mkdir()
    (project / "value.txt").write_text("value = 1\n")
    (project / ".mcp.json").write_text('{"mcpServers": {"x": {"command": "/nowhere/at/all"}}}')
    with staged(SCRIPT, home, 1) as stage:
        stage.client.answers = _agree
        session = stage.client.open(project)
        stage.client.prompt(session, "change it")
        stage.client.prompt(session, "/trust")
        while_running = _open_files(home)
        missing = [] if list(home.glob(PLACES["its log of changes"])) else ["no log of changes"]
        assert stage.client.end() == 0
    log_in(home, (("Number or name:", "openai\n"), ("not shown)", "a-key-of-mine\n")))
    for form in ("markdown", "json", "html"):
        file = str(home / f"export.{form}")
        _run(home, "sessions", "export", session.lstrip("-"), "--format", form, "--output", file)
    record = str(home / "record.jsonl")
    _run(home, "run", "--record", record, "--no-stdin", "help")
    _bridge(home)
    _editor(home)
    _repair(home)
    return [*while_running, *missing]


def _agree(request: Json) -> Any:
    options = request["params"]["options"]
    chosen = next(each["optionId"] for each in options if each["kind"].startswith("allow"))
    return {"outcome": {"outcome": "selected", "optionId": chosen}}


def _bridge(home: Path) -> None:
    losses = str(home / "losses.jsonl")
    command = (*PARLEY, "bridge", "--losses", losses, "--", *PARLEY, "acp")
    with RawClient(home=home, command=command, version=2) as client:
        client.begin()
        client.end()


def _editor(home: Path) -> None:
    file = home / "editor" / "settings.json"
    file.parent.mkdir()
    _run(home, "setup", "zed", "--apply", "--file", str(file))
    file.write_text(_SETTINGS)
    _run(home, "setup", "zed", "--apply", "--file", str(file))


def _repair(home: Path) -> None:
    """Let a damaged store be put in order; what was damaged is kept."""
    file = home / PLACES["the database"]
    size = file.stat().st_size
    with file.open("r+b") as database:
        for place in range(4096, size, 4096):
            database.seek(place)
            database.write(b"\xff" * 400)
    _run(home, "doctor", "--repair")


def _run(home: Path, *arguments: str) -> None:
    subprocess.run(
        (*PARLEY, *arguments),
        env=environment(home, {"PARLEY_PROVIDER": "offline"}),
        cwd=home / "project",
        capture_output=True,
        check=False,
        timeout=60,
    )


def _open_files(home: Path) -> list[str]:
    """What others could read or write, the project and what the campaign itself wrote aside."""
    ours = {home / name for name in ("project", "script.json", "editor")}
    return [
        f"{path.relative_to(home)} has the mode {stat.S_IMODE(mode):o}"
        for path in sorted(home.rglob("*"))
        if path not in ours
        and home / "project" not in path.parents
        # Rights on a link mean nothing.
        and not stat.S_ISLNK(mode := path.lstat().st_mode)
        and mode & 0o077
    ]


def _missing(home: Path) -> list[str]:
    gone = PLACES["its log of changes"]  # It goes when the agent does.
    return [
        f"there is no {pattern}"
        for pattern in PLACES.values()
        if pattern != gone and not list(home.glob(pattern))
    ]


if __name__ == "__main__":
    rows = list(campaign())
    sys.stdout.write("\n".join(table(rows)) + "\n")
    sys.exit(not all(row.holds for row in rows))
