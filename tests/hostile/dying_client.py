"""A client that is killed: it starts an agent, brings it into a state, and tells who it is.

Run it as a module with the name of the state; it never ends by itself.
"""

import signal
import sys

from tests.hostile.life_states import STATES
from tests.hostile.raw_client import RawAgent

if __name__ == "__main__":
    with RawAgent(1) as agent:
        STATES[sys.argv[1]](agent)
        sys.stdout.write(f"{agent.process.pid}\n")
        sys.stdout.flush()
        signal.pause()
