"""Where this person gets packages from: pip's and uv's own settings, read and passed on knowingly.

Only what names sources, certificates and limits is taken; settings that redirect an install (target, prefix, user) or switch
checks off (trusted-host) are not. Keys and places: pip's configuration manual, uv's configuration files reference.
"""

import configparser
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.host.protocol import Readings


@dataclass(frozen=True, slots=True)
class Settings:
    """`index` is the person's main index, None if they have not set one. Links are folders or pages of wheels."""

    index: str | None = None
    extra_indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    certificate: str | None = None
    proxy: str | None = None


def read_settings(host: Readings, prefix: Path | None) -> Settings:
    """Files first, variables over them, as pip does; uv's names count where pip's are not set."""
    values = {name: value for name, (value, _) in pip_settings(host, prefix).items()}
    uv = _uv_values(host, host.environment())
    return Settings(
        index=values.get("index-url") or uv.get("index"),
        extra_indexes=tuple(values.get("extra-index-url", "").split()) or tuple(uv.get("extra", ())),
        find_links=tuple(values.get("find-links", "").split()) or tuple(uv.get("links", ())),
        constraints=tuple(values.get("constraint", "").split()),
        certificate=values.get("cert"),
        proxy=values.get("proxy"),
    )


def pip_settings(host: Readings, prefix: Path | None) -> dict[str, tuple[str, str]]:
    """All that pip is told for every install, by the names of its long options, each with where it stands: a file or a variable."""
    environment = host.environment()
    found: dict[str, tuple[str, str]] = {}
    for path in _pip_files(environment, prefix):
        found |= {name: (value, path) for name, value in _pip_values(host.read_bytes(path)).items()}
    variables = ((name, value) for name, value in environment.items() if name.startswith("PIP_") and value)
    return found | {name.removeprefix("PIP_").lower().replace("_", "-"): (value, name) for name, value in variables}


def _pip_files(environment: Mapping[str, str], prefix: Path | None) -> Iterator[str]:
    named = environment.get("PIP_CONFIG_FILE")
    if named and Path(named).name.lower() in ("nul", "null"):
        return
    if sys.platform == "win32":
        yield str(Path(environment.get("PROGRAMDATA", "C:\\ProgramData")) / "pip" / "pip.ini")
        yield str(Path(environment.get("USERPROFILE", "~")).expanduser() / "pip" / "pip.ini")
        yield str(Path(environment.get("APPDATA", "~")).expanduser() / "pip" / "pip.ini")
        yield from [str(prefix / "pip.ini")] if prefix else []
    else:
        home = Path(environment.get("HOME", "~")).expanduser()
        yield "/etc/pip.conf"
        yield from (f"{folder}/pip/pip.conf" for folder in reversed(environment.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":")) if folder)
        yield str(home / ".pip" / "pip.conf")
        yield str(Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf")
        yield from [str(prefix / "pip.conf")] if prefix else []
    if named:
        yield named


def _pip_values(content: bytes | None) -> dict[str, str]:
    if content is None:
        return {}
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(content.decode("utf-8-sig", errors="replace"))
    except configparser.Error:
        return {}
    return {
        key.replace("_", "-"): value for section in ("global", "install", "download") if parser.has_section(section) for key, value in parser.items(section)
    }


def _uv_values(host: Readings, environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for path in _uv_files(environment):
        content = host.read_bytes(path)
        if content is None:
            continue
        try:
            document = tomllib.loads(content.decode("utf-8", errors="replace"))
        except tomllib.TOMLDecodeError:
            continue
        indexes = [index for index in document.get("index", []) if isinstance(index, dict) and isinstance(index.get("url"), str)]
        main = [index["url"] for index in indexes if index.get("default")]
        values["index"] = main[0] if main else document.get("index-url", values.get("index"))
        values["extra"] = [index["url"] for index in indexes if not index.get("default")] or document.get("extra-index-url", values.get("extra", []))
        values["links"] = document.get("find-links", values.get("links", []))
    if main_index := environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL"):
        values["index"] = main_index
    if extra := environment.get("UV_INDEX") or environment.get("UV_EXTRA_INDEX_URL"):
        values["extra"] = [entry.partition("=")[2] if "=" in entry.partition("://")[0] else entry for entry in extra.split()]
    if links := environment.get("UV_FIND_LINKS"):
        values["links"] = links.split(",")
    return values


def _uv_files(environment: Mapping[str, str]) -> Iterator[str]:
    if sys.platform == "win32":
        yield str(Path(environment.get("PROGRAMDATA", "C:\\ProgramData")) / "uv" / "uv.toml")
        yield str(Path(environment.get("APPDATA", "~")).expanduser() / "uv" / "uv.toml")
    else:
        yield "/etc/uv/uv.toml"
        yield str(Path(environment.get("XDG_CONFIG_HOME") or Path(environment.get("HOME", "~")).expanduser() / ".config") / "uv" / "uv.toml")
