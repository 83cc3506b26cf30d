"""Keys of model providers: how one is held without being shown, and the system's keyring.

A key has no text of its own: neither `repr` nor an error shows it. The keyring is asked only for a
provider whose configuration says that its key is there, and only when that provider is used: it
takes long to load, and may ask the person to unlock it.
"""

from contextlib import suppress
from types import ModuleType

from parley.coder.errors import ProviderError

_SERVICE = "parley"
"""Under this name the keyring keeps our keys, one per provider."""


class Key:
    """A key, and where it came from. `source` can be shown; the key cannot."""

    __slots__ = ("_value", "in_keyring", "source")

    def __init__(self, source: str, value: str = "", *, in_keyring: bool = False) -> None:
        self.source = source
        self.in_keyring = in_keyring
        self._value = value

    def __repr__(self) -> str:
        return f"Key({self.source!r})"

    def reveal(self, provider: str) -> str:
        """The key itself. This blocks where the keyring has it.

        Raises:
            ProviderError: the keyring does not have it, or does not work.
        """
        if not self.in_keyring:
            return self._value
        found = _from_keyring(provider)
        if found:
            return found
        raise ProviderError(
            f"the key of {provider} is not in the keyring\n"
            "hint: run `parley acp --login`, or set the key in the environment",
            retryable=False,
            kind="auth",
        )


def is_plausible(key: str) -> bool:
    """Whether a text can be a key: one word of visible ASCII characters."""
    return bool(key) and key.isascii() and key.isprintable() and " " not in key


def put_into_keyring(provider: str, key: str) -> bool:
    """Keep a key in the system's keyring; whether it is there now, for certain."""
    if (keyring := _keyring()) is not None:
        with suppress(*_failures(keyring)):
            keyring.set_password(_SERVICE, provider, key)
            # Some backends take everything and keep nothing.
            return keyring.get_password(_SERVICE, provider) == key
    return False


def _from_keyring(provider: str) -> str | None:
    if (keyring := _keyring()) is not None:
        with suppress(*_failures(keyring)):
            return keyring.get_password(_SERVICE, provider)
    return None


def _keyring() -> ModuleType | None:
    try:
        # It loads every backend there is, which takes longer than a whole start.
        import keyring  # noqa: PLC0415
    except ImportError:
        return None
    return keyring


def _failures(keyring: ModuleType) -> tuple[type[Exception], ...]:
    """What a keyring that does not work raises; it counts as none then."""
    return (keyring.errors.KeyringError, RuntimeError, OSError, ValueError)
