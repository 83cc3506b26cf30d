"""Names that are imported when they are first used.

A version has some twenty files of models, and most programs need a few of them. An editor starts
an agent per window, so what is not used should not be paid for.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def importer(package: str, topics: Mapping[str, str]) -> Callable[[str], Any]:
    """A module `__getattr__`: finds a name in the file of its topic and keeps it."""
    home = {name: topic for topic, names in topics.items() for name in names.split()}

    def find(name: str) -> Any:
        topic = home.get(name)
        if topic is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{topic}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
