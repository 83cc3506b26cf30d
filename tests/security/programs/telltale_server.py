"""An MCP server that writes down its environment and arguments, and answers as any other would.

telltale_server.py FILE
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

TOOLS = [{"name": "work", "description": "Works.", "inputSchema": {"type": "object"}}]
RESULTS: dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "telltale", "version": "1"},
    },
    "tools/list": {"tools": TOOLS},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
}

file = Path(sys.argv[1])
file.write_text(json.dumps([dict(os.environ), sys.argv]))
for line in sys.stdin:
    message = json.loads(line)
    with file.open("a") as kept:
        kept.write(line)
    if "id" in message and message.get("method") in RESULTS:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
