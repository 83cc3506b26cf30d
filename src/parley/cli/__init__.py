"""The command line: the one place that puts the parts together."""
