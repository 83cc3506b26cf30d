"""The only door to files and programs."""
