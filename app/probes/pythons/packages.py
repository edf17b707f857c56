"""What is installed in a site-packages folder, by the names in it: no Python is started, few files are opened.

Name and version stand in the folder name `name-version.dist-info` (PyPA, "Recording installed projects"), local part included.
Legacy `.egg-info` names may lack the version: then the metadata is read.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.probes.look import Look

PATTERNS: Final = ("*.dist-info", "*.egg-info", "*.egg-link", "~*", "triton", "torch", "sageattention", "sageattn3", "xformers", "flash_attn", "pip")
OWNERS: Final[Mapping[str, tuple[str, ...]]] = {
    "triton": ("triton", "triton-windows", "pytorch-triton", "pytorch-triton-rocm", "pytorch-triton-xpu", "triton-nightly", "triton-xpu"),
    "torch": ("torch", "torch-nightly", "pytorch", "torch-cpu", "intel-torch"),
    "sageattention": ("sageattention",),
    "sageattn3": ("sageattn3", "sageattention3", "sageattn3-blackwell"),
    "xformers": ("xformers",),
    "flash_attn": ("flash-attn", "flash-attn-windows"),
    "pip": ("pip",),
}
"""Modules whose folder without one of these distributions is a leftover that hides or breaks a later install."""

_SEPARATORS: Final = re.compile(r"[-_.]+")
_DIST_INFO: Final = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.(?:dist-info|egg-info)", re.IGNORECASE)
_EGG_INFO: Final = re.compile(r"(?P<name>.+?)-(?P<version>\d[^-]*?)(?:-py\d[\d.]*)?(?:-[\w-]+)?\.egg-info", re.IGNORECASE)
_METADATA: Final = re.compile(r"^(Name|Version):[ \t]*(\S[^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_TORCH_VERSION: Final = re.compile(r"^__version__\s*(?::[^=\n]+)?=\s*['\"]([^'\"\n]{1,60})['\"]", re.MULTILINE)
_TORCH_BUILD: Final = re.compile(r"^(cuda|hip|xpu)\s*(?::[^=\n]+)?=\s*(None|['\"][^'\"\n]{0,20}['\"])", re.MULTILINE)
METADATA_BYTES: Final = 16384


@dataclass(frozen=True, slots=True)
class Installed:
    """`packages` maps normalised names to versions. `unread` are distributions whose version could not be read."""

    packages: Mapping[str, str] = field(default_factory=dict)
    leftovers: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def normalised(name: str) -> str:
    """PEP 503: lower case, runs of -, _ and . are one -."""
    return _SEPARATORS.sub("-", name).lower()


@functools.lru_cache(maxsize=65536)
def name_and_version(entry: str) -> tuple[str, str] | None:
    """Of a `.dist-info` or `.egg-info` name; None where the name does not tell both."""
    found = _EGG_INFO.fullmatch(entry) if entry.lower().endswith(".egg-info") else _DIST_INFO.fullmatch(entry)
    if found is None or found["name"].startswith("~"):
        return None
    # `_` stands for `-` in the version of legacy names; a local part keeps its +.
    return normalised(found["name"]), found["version"].replace("_", "-")


def metadata_name_and_version(text: str) -> tuple[str, str] | None:
    """Of METADATA or PKG-INFO; None where a field is missing."""
    fields: dict[str, str] = {}
    for match in _METADATA.finditer(text[:METADATA_BYTES]):
        fields.setdefault(match[1].lower(), match[2].strip())
    if "name" not in fields or "version" not in fields:
        return None
    return normalised(fields["name"]), fields["version"]


def read_installed(look: Look, site: str) -> Installed | None:
    """None: there is no such folder."""
    names = look.names(site, *PATTERNS)
    if names is None:
        return None
    packages: dict[str, str] = {}
    leftovers, unread, folders = [], [], []
    for listed in names:
        entry = listed.rstrip("/")
        if entry.startswith("~"):
            leftovers.append(entry)
        elif entry.lower().endswith((".dist-info", ".egg-info", ".egg-link")):
            told = _distribution(look, site, listed)
            if told is None:
                unread.append(entry)
            else:
                packages.setdefault(*told)
        elif listed.endswith("/"):
            folders.append(entry)
    leftovers += _orphans(folders, packages)
    if "torch" in packages:
        packages["torch"] = with_build(packages["torch"], look.read(look.join(site, "torch", "version.py"), 4096))
    return Installed(dict(sorted(packages.items())), tuple(sorted(leftovers)), tuple(unread))


def _distribution(look: Look, site: str, listed: str) -> tuple[str, str] | None:
    entry = listed.rstrip("/")
    if entry.lower().endswith(".egg-link"):
        return _linked_egg(look, site, entry)
    told = name_and_version(entry)
    if told is not None:
        return told
    if not listed.endswith("/"):
        text = look.text(look.join(site, entry), METADATA_BYTES)
    else:
        file = "PKG-INFO" if entry.lower().endswith(".egg-info") else "METADATA"
        text = look.text(look.join(site, entry, file), METADATA_BYTES)
    return metadata_name_and_version(text or "")


def _linked_egg(look: Look, site: str, entry: str) -> tuple[str, str] | None:
    source = (look.text(look.join(site, entry), 4096) or "").splitlines()
    if not source:
        return None
    name = entry[: -len(".egg-link")]
    text = look.text(look.join(source[0].strip(), f"{name.replace('-', '_')}.egg-info", "PKG-INFO"), METADATA_BYTES)
    return metadata_name_and_version(text or "")


def _orphans(folders: Sequence[str], packages: Mapping[str, str]) -> list[str]:
    return [folder for folder in folders if folder.lower() in OWNERS and not any(owner in packages for owner in OWNERS[folder.lower()])]


def with_build(version: str, version_file: bytes | None) -> str:
    """torch's version with its local part: the index's file names leave `+cu130` out, torch/version.py has it."""
    if "+" in version or version_file is None:
        return version
    text = version_file.decode("utf-8", "replace")
    told = _TORCH_VERSION.search(text)
    if told is not None and told[1].partition("+")[0] == version and "+" in told[1]:
        return told[1]
    builds = {match[1]: match[2].strip("'\"") for match in _TORCH_BUILD.finditer(text)}
    cuda = builds.get("cuda")
    if cuda not in (None, "None", ""):
        return f"{version}+cu{str(cuda).replace('.', '')}"
    hip = builds.get("hip")
    if hip not in (None, "None", ""):
        return f"{version}+rocm{'.'.join(str(hip).split('.')[:2])}"
    # Said to have no CUDA: the plain name on Windows and macOS.
    return f"{version}+cpu" if builds.get("cuda") == "None" and builds.get("xpu", "None") == "None" else version
