"""Keys are held, never shown, and kept in a keyring if there is one."""

import sys
from collections.abc import Iterator

import keyring
import keyring.backend
import keyring.errors
import pytest

from parley.coder.errors import ProviderError
from parley.coder.keys import Key, is_plausible, put_into_keyring


class Memory(keyring.backend.KeyringBackend):
    """A keyring that works, or forgets, or fails."""

    priority = 1  # pyright: ignore[reportAssignmentType, reportUnannotatedClassAttribute]

    def __init__(self, *, forgets: bool = False, fails: bool = False) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.forgets = forgets
        self.fails = fails

    def get_password(self, service: str, username: str) -> str | None:
        if self.fails:
            raise keyring.errors.KeyringError("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if not self.forgets:
            self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture(autouse=True)
def _same_keyring_afterwards() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


def test_a_key_is_revealed_but_never_shown() -> None:
    key = Key("OPENAI_API_KEY", "canary-1")
    assert key.reveal("openai") == "canary-1"
    assert repr(key) == str(key) == "Key('OPENAI_API_KEY')"


def test_a_key_goes_into_the_keyring_and_comes_back() -> None:
    keyring.set_keyring(Memory())
    assert put_into_keyring("openai", "canary-2")
    assert Key("the keyring", in_keyring=True).reveal("openai") == "canary-2"


@pytest.mark.parametrize("backend", [Memory(forgets=True), Memory(fails=True)])
def test_a_keyring_that_does_not_keep_is_none(backend: Memory) -> None:
    keyring.set_keyring(backend)
    assert not put_into_keyring("openai", "canary-3")
    with pytest.raises(ProviderError, match="not in the keyring") as caught:
        Key("the keyring", in_keyring=True).reveal("openai")
    assert (caught.value.kind, caught.value.retryable) == ("auth", False)


def test_without_the_package_there_is_no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert not put_into_keyring("openai", "canary-4")
    with pytest.raises(ProviderError):
        Key("the keyring", in_keyring=True).reveal("openai")


@pytest.mark.parametrize(
    ("text", "fine"),
    [("sk-abc_1", True), ("", False), ("a b", False), ("a\n", False), ("schlüssel", False)],
)
def test_a_key_is_one_word_of_plain_characters(text: str, fine: bool) -> None:
    assert is_plausible(text) is fine
