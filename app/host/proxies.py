"""Proxies of the environment or the system, with the credentials that the credential store holds for them."""

import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from app.host.secrets_store import read_secret

if TYPE_CHECKING:
    import httpx


def secret_name(proxy: str) -> str:
    """Under which name the `user:password` of a proxy is kept."""
    parts = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    return f"proxy:{parts.hostname}:{parts.port or 8080}"


def with_credentials(proxy: str, secret_of: Callable[[str], str | None] = read_secret) -> str | None:
    """The proxy's address with kept credentials in it; None if it has some already or none are kept."""
    parts = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.username or not parts.hostname:
        return None
    user, colon, password = (secret_of(secret_name(proxy)) or "").partition(":")
    if not colon:
        return None
    credentials = f"{urllib.parse.quote(user, safe='')}:{urllib.parse.quote(password, safe='')}"
    return urllib.parse.urlunsplit((parts.scheme, f"{credentials}@{parts.netloc}", parts.path, parts.query, ""))


def proxy_variables(found: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment variables that give a child program the proxies which need kept credentials; empty if none does.

    `found` are proxies by scheme, those of the system if None.
    """
    proxies = urllib.request.getproxies() if found is None else found
    variables: dict[str, str] = {}
    for scheme in ("http", "https"):
        full = with_credentials(proxies[scheme]) if scheme in proxies else None
        if full:
            variables |= {f"{scheme.upper()}_PROXY": full, f"{scheme}_proxy": full}
    if variables and proxies.get("no"):
        variables |= {"NO_PROXY": proxies["no"], "no_proxy": proxies["no"]}
    return variables


def proxy_mounts(verify: object) -> "dict[str, httpx.BaseTransport | None]":
    """The same for httpx, which takes every other proxy from the environment or the system by itself."""
    import httpx

    variables = proxy_variables()
    mounts: dict[str, httpx.BaseTransport | None] = {
        f"{scheme}://": httpx.HTTPTransport(proxy=variables[f"{scheme}_proxy"], verify=verify)  # type: ignore[arg-type]  # any SSL context
        for scheme in ("http", "https")
        if f"{scheme}_proxy" in variables
    }
    for host in variables.get("no_proxy", "").split(","):
        if host.strip():
            mounts[f"all://*{host.strip().lstrip('*')}"] = None
    return mounts
