"""A keyring with one key in it, for an agent that is told to use it as its backend."""

from keyring.backend import KeyringBackend


class Keyring(KeyringBackend):
    priority = 1  # pyright: ignore[reportAssignmentType]

    def get_password(self, service: str, username: str) -> str | None:
        return "canary-keyring"

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError

    def delete_password(self, service: str, username: str) -> None:
        raise NotImplementedError
