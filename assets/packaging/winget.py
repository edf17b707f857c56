"""Writes the files of a winget manifest for one released exe: winget.py EXE --url URL -o FOLDER

Schema 1.12 of the winget community repository, which its new manifests have in 2026: version, installer (portable: nothing is
installed, a link is made) and the texts of both languages. The hash is that of EXE, so it is made after signing.
"""

import argparse
import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IDENTIFIER = "TritonSetup.TritonSetup"
SCHEMA = "1.12.0"
TEXTS = {
    "en-US": ("defaultLocale", "Sets up Triton on Windows, proves it on the graphics card, undoes what it did"),
    "zh-CN": ("locale", "在 Windows 上配置 Triton，在显卡上验证，并可撤销全部改动"),
}


def manifest(kind: str, version: str, lines: list[str]) -> str:
    head = [f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{SCHEMA}.schema.json", f"PackageIdentifier: {IDENTIFIER}"]
    return "\n".join([*head, f"PackageVersion: {version}", *lines, f"ManifestType: {kind}", f"ManifestVersion: {SCHEMA}", ""])


def manifests(version: str, url: str, sha256: str) -> dict[str, str]:
    """File names and their text."""
    installer = [
        "InstallerType: portable",
        "Commands:",
        "- triton-setup",
        "MinimumOSVersion: 10.0.17763.0",
        "Installers:",
        "- Architecture: x64",
        f"  InstallerUrl: {url}",
        f"  InstallerSha256: {sha256.upper()}",
    ]
    files = {
        f"{IDENTIFIER}.yaml": manifest("version", version, ["DefaultLocale: en-US"]),
        f"{IDENTIFIER}.installer.yaml": manifest("installer", version, installer),
    }
    for locale, (kind, description) in TEXTS.items():
        lines = [f"PackageLocale: {locale}", "Publisher: The Triton Setup contributors", "PackageName: Triton Setup", "License: MIT"]
        files[f"{IDENTIFIER}.locale.{locale}.yaml"] = manifest(kind, version, [*lines, f"ShortDescription: {description}"])
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exe", type=Path)
    parser.add_argument("--url", required=True, help="where the released exe will lie")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if not options.exe.is_file():
        parser.error(f"{options.exe}: no such file")
    if not options.url.startswith("https://"):
        parser.error("--url must begin with https://")
    sys.path.insert(0, str(ROOT))
    from app import __version__

    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in manifests(__version__, options.url, hashlib.sha256(options.exe.read_bytes()).hexdigest()).items():
        (options.output / name).write_text(text, encoding="utf-8")
        print(options.output / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
