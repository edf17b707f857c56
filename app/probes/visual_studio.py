"""Visual Studio and Build Tools with their toolsets and Windows SDKs: vswhere lists products, files tell what works.

vswhere names Build Tools only with `-products *`. Its keys are English everywhere, its texts are not.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from app.model.facts import Compiler
from app.model.unknown import UNKNOWN
from app.probes.decoding import decode
from app.probes.look import Look

_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
_PRODUCT: Final = re.compile(r"Microsoft\.VisualStudio\.Product\.(\w+)")
_PRODUCTS: Final = {"BuildTools": "Build Tools", "Community": "Community", "Professional": "Professional", "Enterprise": "Enterprise"}
_LINES: Final = {"15": "2017", "16": "2019", "17": "2022", "18": "2026"}
"""Product lines by major version, where vswhere does not say."""


@dataclass(frozen=True, slots=True)
class Product:
    """One installed product of Visual Studio."""

    folder: str
    name: str
    version: str | None
    complete: bool = True


def visual_studios(look: Look) -> Iterator[Compiler]:
    """One entry a product that has a C++ toolset, with its newest toolset and the newest Windows SDK that has all parts."""
    sdk = windows_sdk(look)
    for product in _products(look):
        toolset = newest_toolset(look, product.folder)
        if toolset is None:
            continue
        yield Compiler(
            kind="msvc",
            product=product.name,
            version=product.version or UNKNOWN,
            toolset=toolset,
            windows_sdk=sdk,
            root=product.folder,
        )


def _products(look: Look) -> tuple[Product, ...]:
    program = look.join(look.variable("ProgramFiles(x86)") or r"C:\Program Files (x86)", r"Microsoft Visual Studio\Installer\vswhere.exe")
    if look.exists(program):
        answer = look.query(program, "-products", "*", "-prerelease", "-format", "json", "-utf8", timeout_s=8.0)
        found = parse_products(answer.stdout) if answer.exit_code == 0 else None
        if found is not None:
            return found
        look.gap("compilers.msvc", answer.failure or "not-understood", f"vswhere: exit code {answer.exit_code}")
    return tuple(_products_on_disk(look))


def parse_products(answer: bytes) -> tuple[Product, ...] | None:
    """What `vswhere -format json` lists; None: this is no such list (cut off, another program's words)."""
    try:
        rows = json.loads(decode(answer))
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list):
        return None
    return tuple(product for row in rows if (product := _product(row)) is not None)


def _product(row: Any) -> Product | None:
    if not isinstance(row, dict) or not isinstance(row.get("installationPath"), str):
        return None
    catalog = row.get("catalog")
    catalog = catalog if isinstance(catalog, dict) else {}
    found = _PRODUCT.match(str(row.get("productId") or ""))
    version, shown = _version_text(row.get("installationVersion")), _version_text(catalog.get("productDisplayVersion"))
    name = product_name(found[1] if found else "", catalog.get("productLineVersion"), version)
    return Product(row["installationPath"], name, shown or version, row.get("isComplete") is not False)


def _version_text(value: object) -> str | None:
    found = _VERSION.match(value) if isinstance(value, str) else None
    return found[0] if found else None


def product_name(edition: str, line: object, version: str | None) -> str:
    """Such as `Visual Studio Build Tools 2022`: the localized display name is not used."""
    year = line if isinstance(line, str) and line.isdecimal() and len(line) == 4 else _LINES.get((version or "").split(".")[0], "")
    return " ".join(filter(None, ("Visual Studio", _PRODUCTS.get(edition, edition), year)))


def _products_on_disk(look: Look) -> Iterator[Product]:
    """Without vswhere: the folders where the installer puts products, `<root>/<year or major>/<edition>`."""
    for variable in ("ProgramFiles", "ProgramFiles(x86)"):
        root = look.join(look.variable(variable) or "", "Microsoft Visual Studio")
        for line in look.names(root) or ():
            for edition in look.names(look.join(root, line[:-1])) or () if line.endswith("/") and line[:-1].isdecimal() else ():
                if edition.endswith("/") and edition[:-1] in _PRODUCTS:
                    name = product_name(edition[:-1], line[:-1], None if len(line) == 5 else f"{line[:-1]}.0")
                    yield Product(look.join(root, line[:-1], edition[:-1]), name, None)


def newest_toolset(look: Look, folder: str) -> str | None:
    """The newest toolset whose 64-bit compiler, headers and libraries are all there."""
    root = look.join(folder, "VC", "Tools", "MSVC")
    versions = sorted((name[:-1] for name in look.names(root) or () if name.endswith("/")), key=version_key, reverse=True)
    for version in versions:
        place = look.join(root, version)
        compilers = (("bin", "Hostx64", "x64", "cl.exe"), ("bin", "Hostarm64", "arm64", "cl.exe"))
        libraries = (("lib", "x64", "vcruntime.lib"), ("lib", "arm64", "vcruntime.lib"))
        works = any(
            look.exists(look.join(place, *compiler)) and look.exists(look.join(place, *library)) for compiler, library in zip(compilers, libraries, strict=True)
        )
        if works and look.exists(look.join(place, "include", "vcruntime.h")):
            return version
    return None


def windows_sdk(look: Look) -> str | None:
    """The newest Windows SDK with headers and libraries; None: there is none."""
    for view in (32, 64):
        folder = look.value(r"HKLM\SOFTWARE\Microsoft\Microsoft SDKs\Windows\v10.0", "InstallationFolder", 32 if view == 32 else 64)
        if not isinstance(folder, str) or not folder:
            continue
        versions = sorted((name[:-1] for name in look.names(look.join(folder, "Include"), "10.*") or () if name.endswith("/")), key=version_key, reverse=True)
        for version in versions:
            header, library = look.join(folder, "Include", version, "um", "windows.h"), look.join(folder, "Lib", version, "um")
            if look.exists(header) and look.names(library):
                return version
    return None


def version_key(version: str) -> list[int]:
    """Numbers of a version, for sorting; what is no number counts as 0."""
    return [int(part) if part.isdecimal() else 0 for part in version.split(".")]
