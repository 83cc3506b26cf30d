"""The editors that can start agents: where each one has its settings, and what to write there.

What is written into a file is put in between what people wrote there. Files that are programs
(Lua, Emacs Lisp) are never written: their entries are only shown.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Literal

from msgspec import Struct

from parley.client.json_edit import NotClear, with_entry

BACKUP = ".before-parley"


class Entry(Struct, frozen=True):
    """How an editor is to start an agent."""

    name: str
    """What the editor shows."""
    command: tuple[str, ...]
    env: Mapping[str, str] = {}


class Editor(Struct, frozen=True):
    """An editor, and the file in which it is told of agents."""

    name: str
    title: str
    steps: str
    """What a person does besides."""
    render: Callable[[Entry], str]
    """The entry as a person would write it."""
    section: str = ""
    """The member of the file that has the agents; empty where the file is a program."""
    value: Callable[[Entry], Any] | None = None
    makes_folder: bool = False
    """Whether the editor expects its users to make the folder of the file."""


class Place(Struct, frozen=True):
    """Where the user's files are."""

    home: Path
    config: Path
    """As `XDG_CONFIG_HOME` says."""
    platform: Literal["linux", "darwin"] | str = sys.platform


def settings_file(editor: str, place: Place) -> Path:
    """The file of an editor on this machine."""
    match editor:
        case "zed":
            return place.config / "zed/settings.json"
        case "jetbrains":
            return place.home / ".jetbrains/acp.json"
        case "vscode" if place.platform == "darwin":
            return place.home / "Library/Application Support/Code/User/settings.json"
        case "vscode":
            return place.config / "Code/User/settings.json"
        case "neovim":
            return place.config / "nvim/init.lua"
        case _:
            return place.config / "emacs/init.el"


def apply(editor: Editor, entry: Entry, file: Path) -> Path | None:
    """Write the entry into the file; returns the copy of what was there, if something was.

    Raises:
        NotClear: nothing was written, and why.
        FileExistsError: nothing was written, since the entry is there already.
    """
    if editor.value is None:
        raise NotClear("it is a program, and only you can change it")
    # Whoever keeps settings elsewhere and links to them wants to keep the link.
    real = Path(os.path.realpath(file))
    try:
        if not real.parent.is_dir():
            if not editor.makes_folder:
                raise NotClear(f"there is no folder {file.parent}; start {editor.title} once first")
            real.parent.mkdir(parents=True)
        old = real.read_bytes() if real.exists() else None
        new = with_entry(_decoded(old or b""), editor.section, entry.name, editor.value(entry))
        if new is None:
            raise FileExistsError(file)
        copy = None if old is None else _copied(real, old)
        _replace(real, new.encode(), None if old is None else real.stat().st_mode & 0o777)
    except FileExistsError:
        raise
    except OSError as error:
        raise NotClear(f"{error.strerror}") from None
    return copy


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise NotClear("it is not UTF-8") from None


def _copied(file: Path, data: bytes) -> Path:
    """Keep what was there beside it, under a name that nothing has yet."""
    number = 1
    while True:
        suffix = BACKUP if number == 1 else f"{BACKUP}-{number}"
        copy = file.with_name(file.name + suffix)
        with suppress(FileExistsError):
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                out.write(data)
            return copy
        number += 1


def _replace(file: Path, data: bytes, mode: int | None) -> None:
    """Put the new text in place at once, so that nobody ever reads a half of it."""
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as out:
        try:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
            os.chmod(out.name, 0o600 if mode is None else mode)
            os.replace(out.name, file)
        except OSError:
            os.unlink(out.name)
            raise


def _stdio(entry: Entry) -> dict[str, Any]:
    program, *args = entry.command
    return {"command": program, "args": args, "env": dict(entry.env)}


def _zed(entry: Entry) -> dict[str, Any]:
    return {"type": "custom", **_stdio(entry)}


def _json(section: str, value: Callable[[Entry], Any]) -> Callable[[Entry], str]:
    def rendered(entry: Entry) -> str:
        return json.dumps({section: {entry.name: value(entry)}}, indent=2, ensure_ascii=False)

    return rendered


def _quoted(text: str) -> str:
    """A string as Lua and Emacs Lisp read it as well as JSON does."""
    return json.dumps(text, ensure_ascii=False)


def _braced(*parts: str) -> str:
    return f"{{ {', '.join(parts)} }}" if parts else "{}"


def _lua(entry: Entry) -> str:
    program, *args = entry.command
    command = _braced(*map(_quoted, entry.command))
    arguments = _braced(*map(_quoted, args))
    key = _quoted(entry.name)
    variables = _braced(*(f"[{_quoted(k)}] = {_quoted(v)}" for k, v in entry.env.items()))
    provider = f"""\
    [{key}] = {{
      command = {_quoted(program)},
      args = {arguments},
      env = {variables},
    }},"""
    return f"""\
-- CodeCompanion.nvim
require("codecompanion").setup({{
  interactions = {{ chat = {{ adapter = {key} }} }},
  adapters = {{
    acp = {{
      [{key}] = function()
        local acp = require("codecompanion.adapters.acp.helpers")
        return {{
          name = {key},
          formatted_name = {key},
          type = "acp",
          roles = {{ llm = "assistant", user = "user" }},
          commands = {{ default = {command} }},
          defaults = {{ mcpServers = {{}}, timeout = 20000 }},
          env = {variables},
          parameters = {{
            protocolVersion = 1,
            clientCapabilities = {{ fs = {{ readTextFile = true, writeTextFile = true }} }},
            clientInfo = {{ name = "CodeCompanion.nvim", version = "1.0.0" }},
          }},
          handlers = {{
            setup = function() return true end,
            auth = function() return true end,
            form_messages = acp.form_messages,
            on_exit = function() end,
          }},
        }}
      end,
    }},
  }},
}})

-- or avante.nvim
require("avante").setup({{
  provider = {key},
  acp_providers = {{
{provider}
  }},
}})

-- or agentic.nvim
require("agentic").setup({{
  provider = {key},
  acp_providers = {{
{provider}
  }},
}})"""


def _lisp(entry: Entry) -> str:
    program, *args = entry.command
    name = _quoted(entry.name)
    prompt = _quoted(f"{entry.name}> ")
    arguments = " ".join(map(_quoted, args))
    variables = " ".join(_quoted(f"{key}={value}") for key, value in entry.env.items())
    symbol = "".join(each if each.isalnum() else "-" for each in entry.name.lower())
    return f"""\
(with-eval-after-load 'agent-shell
  (add-to-list
   'agent-shell-agent-configs
   (agent-shell-make-agent-config
    :identifier '{symbol}
    :mode-line-name {name}
    :buffer-name {name}
    :shell-prompt {prompt}
    :shell-prompt-regexp (regexp-quote {prompt})
    :client-maker
    (lambda (buffer)
      (acp-make-client
       :command {_quoted(program)}
       :command-params '({arguments})
       :environment-variables '({variables})
       :context-buffer buffer)))))"""


EDITORS: tuple[Editor, ...] = (
    Editor(
        "zed",
        "Zed",
        "In the agent panel open a new thread and pick the agent.",
        _json("agent_servers", _zed),
        "agent_servers",
        _zed,
    ),
    Editor(
        "jetbrains",
        "a JetBrains IDE",
        "Open the AI Chat and pick the agent. WSL is not supported by the IDE.",
        _json("agent_servers", _stdio),
        "agent_servers",
        _stdio,
        makes_folder=True,
    ),
    Editor(
        "neovim",
        "Neovim",
        "Take the part for the plugin that you use.",
        _lua,
    ),
    Editor(
        "emacs",
        "Emacs",
        "Install the package agent-shell; then M-x agent-shell offers the agent.",
        _lisp,
    ),
    Editor(
        "vscode",
        "VS Code",
        "Install the extension formulahendry.acp-client, and connect in its panel.",
        _json("acp.agents", _stdio),
        "acp.agents",
        _stdio,
    ),
)
