"""How a coding agent works. It knows `session` and nothing of wires, versions and clients."""
