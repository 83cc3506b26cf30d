"""Files and commands of this machine, as a run offers them: confined, and bound by the rules.

An agent that uses what a client offers need not ask first. What the user has forbidden is refused
here as well.
"""

from collections.abc import Callable, Mapping

from parley.client.files import LocalFiles
from parley.client.roots import Roots
from parley.client.terminals import LocalTerminal, LocalTerminals
from parley.errors import InvalidParams, ResourceNotFound
from parley.frontend.headless.rules import Asked, Rules

# Agents that read a file before they make it, and go on only with a text.
_EMPTY_IF_MISSING = frozenset({"gemini-cli"})


class RuledFiles:
    """Reads and writes beneath the roots, unless a rule forbids it.

    `agent` tells the name of the agent, once it is known.
    """

    can_read = True
    can_write = True

    def __init__(
        self, roots: Roots, rules: Rules, agent: Callable[[], str | None] = lambda: None
    ) -> None:
        self._files = LocalFiles(roots)
        self._rules = rules
        self._roots = roots
        self._agent = agent

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        self._check("read", session_id, path)
        try:
            return await self._files.read(session_id, path, line=line, limit=limit)
        except ResourceNotFound:
            if self._agent() in _EMPTY_IF_MISSING:
                return ""
            raise

    async def write(self, session_id: str, path: str, content: str) -> None:
        self._check("edit", session_id, path)
        await self._files.write(session_id, path, content)

    def _check(self, kind: str, session_id: str, path: str) -> None:
        real = self._roots.place(session_id, path).path
        cwd = self._roots.directories(session_id)[0]
        # A link must not be a way around a rule.
        _refuse(self._rules, Asked(kind, None, (path, real), cwd))


class RuledTerminals:
    """Runs commands within the roots, unless a rule forbids them."""

    def __init__(self, roots: Roots, rules: Rules) -> None:
        self._terminals = LocalTerminals(roots)
        self._rules = rules

    async def create(
        self,
        session_id: str,
        command: str,
        args: tuple[str, ...] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        output_limit: int | None = None,
    ) -> LocalTerminal:
        # Some agents put a whole line for a shell where a program belongs.
        _refuse(self._rules, Asked("execute", command if not args else (command, *args)))
        return await self._terminals.create(
            session_id, command, args, env=env, cwd=cwd, output_limit=output_limit
        )


def _refuse(rules: Rules, asked: Asked) -> None:
    rule = rules.denies(asked)
    if rule is not None:
        raise InvalidParams(f"Invalid params: the user has forbidden it (rule `{rule}`)")
