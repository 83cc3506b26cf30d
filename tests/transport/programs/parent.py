"""Starts a child that ignores the end of its input, prints its id, and waits to be killed."""

import os
import time

from parley.transport.launch import launch

child = launch(["sleep", "60"], cwd=None, env=dict(os.environ))
os.write(1, b"%d\n" % child.process.pid)
time.sleep(60)
