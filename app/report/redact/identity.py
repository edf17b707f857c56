"""What is private on a machine: collected from its own answers, kept in memory only, never written anywhere."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Final

from app.host.protocol import Readings
from app.report.redact.patterns import SECRET_NAME

_WINDOWS_KEYS: Final = (
    (r"HKLM\SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName", {"ComputerName": "hosts"}),
    (
        r"HKLM\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters",
        {"Hostname": "hosts", "NV Hostname": "hosts", "Domain": "domains", "NV Domain": "domains", "SearchList": "domains"},
    ),
    (
        r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion",
        {"RegisteredOwner": "people", "RegisteredOrganization": "organisations", "ProductId": "identifiers"},
    ),
    (r"HKLM\SOFTWARE\Microsoft\Cryptography", {"MachineGuid": "identifiers"}),
)
_PROFILES: Final = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList"
_VARIABLES: Final = {
    "users": ("USERNAME", "USER", "LOGNAME", "SUDO_USER"),
    "hosts": ("COMPUTERNAME", "HOSTNAME", "LOGONSERVER", "NAME"),
    "domains": ("USERDOMAIN", "USERDNSDOMAIN", "USERDOMAIN_ROAMINGPROFILE"),
    "homes": ("USERPROFILE", "HOME", "HOMEPATH"),
    "people": ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"),
    "emails": ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL", "EMAIL"),
}
_CLOUD: Final = re.compile(r"(?i)(?:onedrive|sharepoint) - ([^\\/]+)")
_LOGIN: Final = re.compile(r"://([^\s/@:]*):?([^\s/@]*)@")
_WORDLESS: Final = re.compile(r"^(?:\d{1,5}|true|false|yes|no|[A-Za-z]:?[\\/].*|/.*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identity:
    """Names and values that must not leave the machine. `homes` are folders, `secrets` are replaced wherever they stand."""

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    def __or__(self, other: "Identity") -> "Identity":
        """Both, without doubles."""
        return Identity(**{f.name: _once([*getattr(self, f.name), *getattr(other, f.name)]) for f in fields(self)})


def collect_identity(environment: Mapping[str, str], *, host_name: str | None = None, secrets: Iterable[str] = ()) -> Identity:
    """What the environment variables of this machine tell about its person. Values of variables named like secrets are secrets."""
    upper = {name.upper(): value.strip() for name, value in environment.items() if value.strip()}
    found = {kind: [upper[name].lstrip("\\") for name in names if name in upper] for kind, names in _VARIABLES.items()}
    found["users"] += [last for home in found["homes"] if (last := _last_name(home))]
    if host_name:
        found["hosts"] += [host_name, host_name.partition(".")[0]]
    hidden = [*secrets]
    organisations = []
    for name, value in upper.items():
        if SECRET_NAME.search(name) and len(value) >= 6 and not _WORDLESS.match(value):
            hidden.append(value)
        for login in _LOGIN.finditer(value):
            hidden += [part for part in login.groups() if len(part) >= 6]
        organisations += _CLOUD.findall(value)
    found["hosts"] = [host for host in found["hosts"] if not re.match(r"(?i)^(?:localhost|windows_nt)$", host)]
    return Identity(**{kind: _once(values) for kind, values in found.items()}, organisations=_once(organisations), secrets=_once(hidden))


def identify(host: Readings) -> Identity:
    """What this machine itself tells about its person and its name. Every answer may be missing."""
    identity = collect_identity(host.environment())
    return identity | (_of_windows(host) if host.family == "windows" else _of_linux(host)) | _of_git(host, identity)


def _of_windows(host: Readings) -> Identity:
    found: dict[str, list[str]] = {}
    for key, values in _WINDOWS_KEYS:
        answer = host.registry(key, names=tuple(values))
        for name, kind in values.items() if answer else ():
            value = answer.values.get(name) if answer else None
            if isinstance(value, str):
                found.setdefault(kind, []).extend(re.split(r"[,\s]+", value) if kind == "domains" else [value])
    profiles = host.registry(_PROFILES, names=())
    for sid in profiles.subkeys if profiles else ():
        answer = host.registry(rf"{_PROFILES}\{sid}", names=("ProfileImagePath",))
        folder = answer.values.get("ProfileImagePath") if answer else None
        if sid.startswith("S-1-5-21") or sid.startswith("S-1-12"):
            found.setdefault("identifiers", []).append(sid)
            if isinstance(folder, str):
                found.setdefault("users", []).append(_last_name(folder))
    return Identity(**{kind: _once(values) for kind, values in found.items()})


def _of_linux(host: Readings) -> Identity:
    def text(path: str) -> str:
        return (host.read_bytes(path, 1 << 18) or b"").decode("utf-8", "replace").strip()

    users, people, homes = [], [], []
    for line in text("/etc/passwd").splitlines():
        parts = line.split(":")
        if len(parts) >= 7 and parts[2].isdigit() and 1000 <= int(parts[2]) < 65000:
            users.append(parts[0])
            people += [parts[4].split(",")[0]]
            homes.append(parts[5])
    hosts = [name for name in (text("/etc/hostname"), text("/proc/sys/kernel/hostname")) if name and name != "localhost"]
    return Identity(users=_once(users), people=_once(people), homes=_once(homes), hosts=_once(hosts), identifiers=_once([text("/etc/machine-id")]))


def _of_git(host: Readings, identity: Identity) -> Identity:
    people, emails = [], []
    for home in identity.homes:
        separator = "\\" if "\\" in home else "/"
        content = (host.read_bytes(f"{home.rstrip(separator)}{separator}.gitconfig", 1 << 16) or b"").decode("utf-8", "replace")
        people += re.findall(r"(?m)^\s*name\s*=\s*(.+?)\s*$", content)
        emails += re.findall(r"(?m)^\s*email\s*=\s*(\S+@\S+)\s*$", content)
    return Identity(people=_once(people), emails=_once(emails))


def _last_name(folder: str) -> str:
    return re.split(r"[\\/]", folder.rstrip("\\/"))[-1]


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
