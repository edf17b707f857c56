"""What goes beside the packaged program: bill of materials, winget manifest, icon, manifest."""

import hashlib
import json
import re
import struct
import subprocess
import sys
import uuid
import xml.etree.ElementTree
from pathlib import Path

from app import __version__
from app.host.releases import read_release

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "assets" / "packaging"


def start(name: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, PACKAGING / name, *arguments], capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)


def test_bill_of_materials_names_every_locked_package_and_library(tmp_path: Path) -> None:
    (tmp_path / "a.dll").write_bytes(b"library")
    (tmp_path / "notes.txt").write_text("no library")
    done = start("sbom.py", str(tmp_path))
    document = json.loads(done.stdout)
    assert document["bomFormat"] == "CycloneDX"
    assert uuid.UUID(document["serialNumber"]).urn == document["serialNumber"], "no attestation without it"
    assert start("sbom.py", str(tmp_path)).stdout == done.stdout
    (tmp_path / "a.dll").write_bytes(b"another library")
    assert json.loads(start("sbom.py", str(tmp_path)).stdout)["serialNumber"] != document["serialNumber"]
    names = {component["name"]: component for component in document["components"]}
    locked = [line.split("==")[0] for line in (ROOT / "requirements" / "runtime.lock").read_text().splitlines() if "==" in line and line[0].isalpha()]
    assert set(locked) < set(names)
    assert names["a.dll"]["hashes"][0]["content"] == hashlib.sha256(b"library").hexdigest()
    assert "notes.txt" not in names
    assert all(component.get("properties") for component in document["components"] if component["type"] == "library")


NEEDED = {
    "version": {"PackageIdentifier", "PackageVersion", "DefaultLocale"},
    "installer": {"PackageIdentifier", "PackageVersion", "Installers"},
    "defaultLocale": {"PackageIdentifier", "PackageVersion", "PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"},
    "locale": {"PackageIdentifier", "PackageVersion", "PackageLocale"},
}
"""What winget's schema 1.12.0 requires of each file, by its type."""


def test_winget_manifest_has_the_hash_of_the_exe_and_what_its_schema_requires(tmp_path: Path) -> None:
    exe = tmp_path / "TritonSetup.exe"
    exe.write_bytes(b"MZ")
    done = start("winget.py", str(exe), "--url", "https://example.org/TritonSetup.exe", "-o", str(tmp_path / "winget"))
    assert done.returncode == 0, done.stderr
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "winget").iterdir()}
    assert hashlib.sha256(b"MZ").hexdigest().upper() in files["TritonSetup.TritonSetup.installer.yaml"]
    kinds = set()
    for text in files.values():
        fields = dict(re.findall(r"^(\w+): ?(.*)$", text, re.MULTILINE))
        kinds.add(fields["ManifestType"])
        assert NEEDED[fields["ManifestType"]] <= fields.keys()
        assert fields["ManifestVersion"] == "1.12.0"
        assert f"winget-manifest.{fields['ManifestType']}.1.12.0.schema.json" in text
        assert len(fields.get("ShortDescription", "")) <= 256
    assert kinds == NEEDED.keys()
    assert start("winget.py", str(exe), "--url", "http://example.org/a.exe", "-o", str(tmp_path)).returncode == 2


def test_announcement_is_what_the_program_reads(tmp_path: Path) -> None:
    packed = subprocess.run(
        [sys.executable, "-m", "tests.upkeep.compare_tables", "--pack", tmp_path / "tables.zip"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert packed.returncode == 0, packed.stderr
    target = tmp_path / "release.json"
    wanted = ("--page", "https://example.org/v1", "--tables", str(tmp_path / "tables.zip"), "--tables-url", "https://example.org/tables.zip")
    done = start("release.py", *wanted, "-o", str(target))
    assert done.returncode == 0, done.stderr
    release = read_release(target.read_text(encoding="utf-8"), "release.json")
    assert release.version == __version__
    assert release.tables_sha256 == hashlib.sha256((tmp_path / "tables.zip").read_bytes()).hexdigest()
    assert start("release.py", "--page", "http://example.org/v1", "-o", str(target)).returncode != 0


def test_icon_has_every_size(tmp_path: Path) -> None:
    target = tmp_path / "app.ico"
    done = start("icon.py", str(target))
    assert done.returncode == 0, done.stderr
    content = target.read_bytes()
    count = struct.unpack_from("<HHH", content)[2]
    entries = [struct.unpack_from("<BBBBHHII", content, 6 + 16 * number) for number in range(count)]
    assert [entry[0] or 256 for entry in entries] == [16, 20, 24, 32, 40, 48, 64, 128, 256]
    for _, _, _, _, _, _, size, offset in entries:
        assert content[offset : offset + 8] == b"\x89PNG\r\n\x1a\n"
        assert offset + size <= len(content)


def test_manifest_asks_for_no_rights() -> None:
    root = xml.etree.ElementTree.parse(PACKAGING / "app.manifest").getroot()
    values = {element.tag.split("}")[1]: (element.text or "", element.attrib) for element in root.iter()}
    assert values["requestedExecutionLevel"][1]["level"] == "asInvoker"
    assert values["dpiAwareness"][0].startswith("PerMonitorV2")
    assert (values["longPathAware"][0], values["activeCodePage"][0]) == ("true", "UTF-8")
