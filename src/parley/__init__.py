"""The Agent Client Protocol in Python, versions 1 and 2.

The names in `__all__` are the public surface of the package root; a test pins them. Importing the
root imports nothing else, so that a program pays only for the parts it uses.
"""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
