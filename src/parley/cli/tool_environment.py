"""The environment of the commands that the agent runs: what programs need, and no secrets.

Only names that are known to be harmless pass, and of those nothing that looks like a secret. A
user who needs more names it in the configuration. A repository can name a program that watches its
files, which git would run with every command, so that is off. Hooks stay: who agrees to a commit
expects them, and they are confined as the commit is.
"""

import os
import re
from collections.abc import Iterable, Mapping

from parley.process.life import environment

_SECRET_NAME = re.compile(r"KEY|SECRET|TOKEN|PASSW|CREDENTIAL|PARLEY_", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"://[^/\s@]*:[^/\s@]*@|-----BEGIN|\b(?:sk-|ghp_|github_pat_|xox[a-z]-)")
# What tool chains need to find their parts.
_TOOL_CHAINS = re.compile(
    r"VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|PYTHONPATH|PYENV_ROOT|NVM_DIR|NVM_BIN|NODE_PATH"
    r"|NODE_OPTIONS|GOPATH|GOROOT|GOBIN|GOFLAGS|CARGO_HOME|RUSTUP_HOME|RUSTFLAGS|JAVA_HOME"
    r"|ANDROID_HOME|GEM_HOME|GEM_PATH|RBENV_ROOT|DOTNET_ROOT|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH"
    r"|PKG_CONFIG_PATH|CC|CXX|CFLAGS|CXXFLAGS|LDFLAGS|MAKEFLAGS|CI|SSH_AUTH_SOCK|DISPLAY"
    r"|WAYLAND_DISPLAY|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|NIX_\w+|HOMEBREW_\w+"
    r"|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy"
)
# Where programs and their libraries are looked for; an empty part is the folder one works in.
_SEARCHED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_GIT = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
}


def tool_environment(more: Iterable[str] = ()) -> dict[str, str]:
    """Variables for commands; `more` are the names of those that the user lets through."""
    chains = {name: value for name, value in os.environ.items() if _TOOL_CHAINS.fullmatch(name)}
    passed = {
        name: value
        for name, value in environment(chains, clean=True).items()
        if not _SECRET_NAME.search(name) and not _SECRET_VALUE.search(value)
    }
    for name in _SEARCHED:
        if name in passed:
            passed[name] = _absolute(passed[name])
    return passed | _GIT | _named(os.environ, more)


def _named(environ: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: environ[name] for name in names if name in environ}


def _absolute(path: str) -> str:
    """A search path without what lies in the folder that a command happens to run in."""
    return os.pathsep.join(each for each in path.split(os.pathsep) if os.path.isabs(each))
