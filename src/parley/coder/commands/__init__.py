"""Slash commands: how one is recognised, and what each of them does."""
