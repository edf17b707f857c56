"""The environment a child program gets: the person's, without what would lead another Python astray.

Pure. What a packaged program leaks (sources: PyInstaller manual "Launching External Programs from the Frozen Application",
PySide6 run-time hook) and what redirects pip, uv or Python never reaches a child; index, proxy and certificate settings do.
"""

import ntpath
import os
from collections.abc import Mapping
from typing import Final

_DROPPED: Final = frozenset({
    "__PYVENV_LAUNCHER__", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "_MEIPASS2", "QT_PLUGIN_PATH", "QML2_IMPORT_PATH", "QML_IMPORT_PATH",
    "QT_QPA_PLATFORM_PLUGIN_PATH", "TCL_LIBRARY", "TK_LIBRARY", "OPENSSL_MODULES",
})  # fmt: skip
_DROPPED_FAMILIES: Final = ("PYTHON", "CONDA", "_CONDA", "_PYI_", "PIP_", "UV_", "PYENV_")

_LISTS_OF_FOLDERS: Final = frozenset({"PATH", "QT_PLUGIN_PATH", "QML2_IMPORT_PATH", "QML_IMPORT_PATH", "OPENSSL_MODULES", "TCL_LIBRARY", "TK_LIBRARY"})

_KEPT_PIP: Final = frozenset({
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONSTRAINT", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY",
    "PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES", "PIP_CONFIG_FILE", "PIP_KEYRING_PROVIDER",
})  # fmt: skip
_KEPT_UV: Final = frozenset({
    "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_HTTP_TIMEOUT", "UV_HTTP_CONNECT_TIMEOUT", "UV_HTTP_RETRIES",
    "UV_SYSTEM_CERTS", "UV_NATIVE_TLS", "UV_KEYRING_PROVIDER", "UV_PYTHON_INSTALL_MIRROR",
})  # fmt: skip

_SET: Final[Mapping[str, str]] = {
    "PYTHONNOUSERSITE": "1",
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUNBUFFERED": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "NO_COLOR": "1",
}


def child_environment(environment: Mapping[str, str], bundle: str | None = None, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The cleaned copy of `environment`.

    `bundle` is the folder a packaged program unpacked itself to (`sys._MEIPASS`), None when run from source.
    `extra` is set last and wins. Names are compared without regard to case, as Windows does.
    """
    cleaned = {name: value for name, value in without_own(environment, bundle).items() if _is_kept(name.upper())}
    for name, value in {**_SET, **(extra or {})}.items():
        for twin in [n for n in cleaned if n.upper() == name.upper()]:
            del cleaned[twin]
        cleaned[name] = value
    return cleaned


def without_own(environment: Mapping[str, str], bundle: str | None) -> dict[str, str]:
    """The person's own environment: without what a packaged program's start code added for itself, and with nothing else changed."""
    own = {name: value for name, value in environment.items() if not (name.upper().startswith("_PYI_") or name.upper() == "_MEIPASS2")}
    for name in [n for n in own if n.upper() in _LISTS_OF_FOLDERS]:
        own[name] = _without_bundle(own[name], bundle)
        if not own[name] and environment[name]:
            del own[name]
    # The start code keeps the person's value under another name while the program runs.
    original = own.pop("LD_LIBRARY_PATH_ORIG", None)
    if original is not None:
        own["LD_LIBRARY_PATH"] = original
    elif bundle:
        own.pop("LD_LIBRARY_PATH", None)
    return own


def _is_kept(name: str) -> bool:
    if name in _KEPT_PIP or name in _KEPT_UV:
        return True
    if name.startswith("UV_INDEX_") and name.endswith(("_USERNAME", "_PASSWORD")):
        return True
    return name not in _DROPPED and not name.startswith(_DROPPED_FAMILIES)


def _without_bundle(path: str, bundle: str | None) -> str:
    if not bundle:
        return path
    separator = ";" if "\\" in bundle or bundle[1:2] == ":" else os.pathsep
    root = _comparable(bundle)
    return separator.join(entry for entry in path.split(separator) if not (_comparable(entry) + "/").startswith(root + "/"))


def _comparable(path: str) -> str:
    windows = "\\" in path or path[1:2] == ":"
    return ntpath.normpath(path).lower().replace("\\", "/").rstrip("/") if windows else path.rstrip("/")
