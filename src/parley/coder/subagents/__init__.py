"""Sub-agents: turns with a conversation of their own that work for a call of a session."""
