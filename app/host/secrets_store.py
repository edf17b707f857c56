"""Passwords, kept by the system's own credential store and nowhere else."""

from typing import Final

from app.model.problem import Problem
from app.model.text import Text

_SERVICE: Final = "TritonSetup"


def read_secret(name: str) -> str | None:
    """The secret kept under `name`; None if there is none, or no store to ask."""
    import keyring
    import keyring.errors

    try:
        return keyring.get_password(_SERVICE, name)
    except keyring.errors.KeyringError:
        return None


def keep_secret(name: str, value: str | None) -> None:
    """Keeps `value` under `name`, or forgets it (None). Problem if this system has no credential store."""
    import keyring
    import keyring.errors

    try:
        if value is not None:
            keyring.set_password(_SERVICE, name, value)
        elif keyring.get_password(_SERVICE, name) is not None:
            keyring.delete_password(_SERVICE, name)
    except keyring.errors.KeyringError as error:
        raise Problem(Text("run.no-credential-store")) from error
