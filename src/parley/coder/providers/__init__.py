"""The models an agent can talk to, one file per wire format."""
