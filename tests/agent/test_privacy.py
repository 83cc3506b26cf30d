"""No secret gets out of an agent whose models repeat what they are sent (S6)."""

import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.agent.raw_client import RawClient
from tests.cli.raw_agent import PARLEY, environment
from tests.security.canaries import ADDRESSES, VARIABLES, canary

CONFIG = """
[agent]
log_level = "debug"

[providers.work]
type = "openai"
base_url = "http://user:canary-userinfo@127.0.0.1:{port}/v1"
key = "canary-config-key"
models = ["m"]

[providers.second]
type = "openai"
base_url = "http://127.0.0.1:{port}/canary-no-secret/v1?token=canary-query"
key_env = "WORK_KEY"
models = ["m"]

[providers.third]
type = "anthropic"
base_url = "http://127.0.0.1:{port}"
key_env = "VAULT_CREDENTIAL"
models = ["m"]
"""


class _Tattler(BaseHTTPRequestHandler):
    """Refuses every request, and repeats what it was sent."""

    def do_POST(self) -> None:
        self.send_response(401)
        body = f'{{"error": {{"message": "no such key: {dict(self.headers)!s} {self.path}"}}}}'
        data = body.replace("'", "").encode()
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        """Nobody wants to know."""


@contextmanager
def tattler() -> Generator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Tattler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join(5)


def test_no_secret_gets_out(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    env = {name: canary(name) for name in VARIABLES}
    env |= {name: f"http://user:{canary(name)}@127.0.0.1:9/" for name in ADDRESSES}
    env["NO_PROXY"] = "127.0.0.1"
    with tattler() as port:
        (tmp_path / "config.toml").write_text(CONFIG.format(port=port))
        (tmp_path / "config.toml").chmod(0o600)
        env["OPENAI_BASE_URL"] = f"http://user:{canary('base')}@127.0.0.1:{port}/v1"
        env["GEMINI_BASE_URL"] = f"http://127.0.0.1:{port}"
        env["PARLEY_CONFIG"] = str(tmp_path / "config.toml")
        said = "".join(_talk(tmp_path, project, env))
        doctor = subprocess.run(
            (*PARLEY, "doctor", "--json"), env=environment(tmp_path, env), cwd=project,
            capture_output=True, check=False, timeout=30,
        )  # fmt: skip
    kept = b"".join(
        path.read_bytes() for path in (tmp_path / ".local").rglob("*") if path.is_file()
    ).decode(errors="replace")
    assert "the turn that fails" in kept
    places = {
        "what the client sees": said,
        "the log and the store": kept,
        "doctor": doctor.stdout.decode() + doctor.stderr.decode(),
    }
    secrets = [*map(canary, (*VARIABLES, *ADDRESSES)), canary("base"), "canary-userinfo"]
    secrets += ["canary-config-key", "canary-query", "canary-server", "canary-header"]
    assert len(secrets) >= 20
    found = [(where, each) for each in secrets for where, text in places.items() if each in text]
    assert found == []


def _talk(home: Path, project: Path, env: dict[str, str]) -> Iterator[str]:
    """Conversations in which everything fails; what the agent said, and its complaints."""
    servers = [
        {"name": "a", "command": "/c", "args": ["--key=canary-server"],
         "env": [{"name": "KEY", "value": "canary-server"}]},
    ]  # fmt: skip
    for model in ("work/m", "second/m", "openai/gpt-5"):
        with RawClient("--model", model, home=home, cwd=project, env=env) as agent:
            agent.begin()
            new = agent.call("session/new", cwd=str(project), mcpServers=servers)
            turn = agent.start_prompt(new["sessionId"], "the turn that fails")
            answer = agent.answer(turn.request)
            assert "error" in answer
            agent.answer(agent.start("session/new", cwd=5, mcpServers=[{"canary-header": 1}]))
            agent.answer(agent.start("session/none", value="canary-header"))
            agent.send_line(b'{"canary-header')
            assert agent.end() == 0
            yield str(agent.messages) + agent.complaints
    with RawClient("--provider", "offline", home=home, cwd=project, env=env) as agent:
        agent.begin()
        agent.prompt(agent.open(project), "run env; run set; run sh -c 'cat /proc/self/environ'")
        assert "HOME=" in agent.said()
        assert agent.end() == 0
        yield str(agent.messages) + agent.complaints
