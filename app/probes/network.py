"""Network as far as settings tell it: proxy and package index. Nothing is sent; reachability is asked only on demand."""

import re
from typing import Final
from urllib.parse import urlsplit

from app.host.credentials import without_credentials
from app.probes.ini import settings_of
from app.probes.look import Look
from app.probes.scanning import Probe

INTERNET_SETTINGS: Final = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings"
WINHTTP_KEY: Final = r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings\Connections"
_TOML_INDEX: Final = re.compile(r"^\s*(?:index-url|url)\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)


def look_at_network(look: Look) -> None:
    look.put("network.proxy", _proxy(look))
    look.put("network.index_url", _index_url(look))
    # No packet leaves the machine for a scan: these are for the person to ask for.
    for fact in ("online", "reachable", "tls_inspected", "clock_skew_seconds"):
        look.gap(f"network.{fact}", "not-asked")


def _proxy(look: Look) -> str | None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"):
        if value := look.variable(name):
            return without_credentials(value)
    return _windows_proxy(look) if look.on_windows else None


def _windows_proxy(look: Look) -> str | None:
    """The person's own setting first, then the machine's."""
    own = look.registry(INTERNET_SETTINGS, "ProxyEnable", "ProxyServer", "AutoConfigURL")
    values = {} if own is None else own.values
    if values.get("ProxyEnable") == 1 and isinstance(server := values.get("ProxyServer"), str) and server:
        return proxy_server(server)
    if isinstance(script := values.get("AutoConfigURL"), str) and script:
        return f"pac:{without_credentials(script)}"
    machine = look.value(WINHTTP_KEY, "WinHttpSettings")
    found = winhttp_proxy(machine) if isinstance(machine, bytes) else None
    return proxy_server(found) if found else None


def proxy_server(setting: str) -> str:
    """WinINET's `host:port` or `http=a:1;https=b:2` as one URL, the one for https where it is named."""
    parts = dict(part.split("=", 1) for part in setting.split(";") if "=" in part)
    server = parts.get("https") or parts.get("http") or next(iter(parts.values()), "") or setting.split(";", maxsplit=1)[0]
    scheme = "socks5://" if "https" not in parts and "http" not in parts and "socks" in parts else "http://"
    return without_credentials(server if "://" in server else f"{scheme}{server}")


def winhttp_proxy(settings: bytes) -> str | None:
    """The machine's proxy in WinHTTP's block: flags at byte 8 (2: a proxy is named), then its length and ASCII text."""
    if len(settings) < 16 or not settings[8] & 2:
        return None
    length = int.from_bytes(settings[12:16], "little")
    server = settings[16 : 16 + length]
    return server.decode("ascii", "replace") if 0 < length <= 2048 and len(server) == length else None


def _index_url(look: Look) -> str | None:
    """The index pip uses, else uv's: variable first, then the files pip reads, the later of which win."""
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        if value := look.variable(name):
            return without_credentials(value)
    found = None
    for file in _pip_files(look):
        found = pip_index_url(look.text(file, 1 << 16) or "") or found
    return found or uv_index_url(look.text(_uv_file(look), 1 << 16) or "")


def _pip_files(look: Look) -> tuple[str, ...]:
    named = look.variable("PIP_CONFIG_FILE")
    if look.on_windows:
        folders = [(look.variable("ProgramData"), "pip"), (look.variable("USERPROFILE"), "pip"), (look.variable("APPDATA"), "pip")]
        files = [look.join(folder, name, "pip.ini") for folder, name in folders if folder]
    else:
        home = look.variable("HOME") or ""
        own = look.variable("XDG_CONFIG_HOME") or look.join(home, ".config")
        files = ["/etc/xdg/pip/pip.conf", "/etc/pip.conf", look.join(home, ".pip", "pip.conf"), look.join(own, "pip", "pip.conf")]
    return (*files, *((named,) if named else ()))


def _uv_file(look: Look) -> str:
    if look.on_windows:
        return look.join(look.variable("APPDATA") or "", "uv", "uv.toml")
    return look.join(look.variable("XDG_CONFIG_HOME") or look.join(look.variable("HOME") or "", ".config"), "uv", "uv.toml")


def pip_index_url(text: str) -> str | None:
    """`index-url` of pip's file: section `install` before `global`."""
    found = {section: value for section, key, value in settings_of(text) if key.replace("_", "-") == "index-url" and _is_url(value)}
    url = found.get("install") or found.get("global")
    return None if url is None else without_credentials(url)


def uv_index_url(text: str) -> str | None:
    """The first index named in uv.toml."""
    found = _TOML_INDEX.search(text)
    return without_credentials(found[1]) if found and _is_url(found[1]) else None


def _is_url(value: str) -> bool:
    try:
        return urlsplit(value).scheme in ("http", "https", "file")
    except ValueError:
        return False


NETWORK: Final = Probe(
    "network",
    tuple(f"network.{name}" for name in ("proxy", "index_url", "online", "reachable", "tls_inspected", "clock_skew_seconds")),
    look_at_network,
)
