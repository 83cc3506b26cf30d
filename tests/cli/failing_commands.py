"""Commands that end in the ways `parley` must survive; `--how` chooses one."""

import argparse

from parley.errors import ConfigError, ConnectionLost


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--how", required=True)


def run(options: argparse.Namespace) -> int:
    match options.how:
        case "interrupt":
            raise KeyboardInterrupt
        case "refuse":
            raise ConfigError("parley.toml", "port", "is not a number", "write a number")
        case "lose":
            raise ConnectionLost("gone; its last words:\n\x1b[31mred")
        case _:
            return 7
