"""The operating system's own limits around the commands that the agent runs."""
