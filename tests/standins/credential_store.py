"""A credential store that lives as long as a test, in the place of the system's."""

import contextlib
from collections.abc import Iterator

import keyring
import keyring.backend


class Store(keyring.backend.KeyringBackend):
    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@contextlib.contextmanager
def own_store() -> Iterator[Store]:
    """While the block runs, this store keeps and answers."""
    before, mine = keyring.get_keyring(), Store()
    keyring.set_keyring(mine)
    try:
        yield mine
    finally:
        keyring.set_keyring(before)
