"""Shows how it was started: its arguments, a variable and its directory."""

import json
import os
import sys

shown = {
    "args": sys.argv[1:],
    "added": os.environ.get("ADDED"),
    "ours": os.environ.get("OURS"),
    "cwd": os.getcwd(),
    "input": sys.stdin.read(),
}
sys.stdout.write(json.dumps(shown))
