"""Lists what the packaged program holds, as CycloneDX 1.5 JSON: sbom.py FOLDER [-o FILE]

FOLDER is the unpacked program (`dist/TritonSetup-folder`). Python packages come from `requirements/runtime.lock` with the hashes that
the lock allows; libraries are the files found in FOLDER, each with its own SHA-256. The same input gives the same bytes.
"""

import argparse
import hashlib
import json
import re
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = re.compile(r"\.(dll|pyd|exe)$|\.so(\.|$)", re.IGNORECASE)


def packages() -> list[dict]:
    """The locked packages that are installed on some system, by name."""
    text = (ROOT / "requirements" / "runtime.lock").read_text(encoding="utf-8")
    found = []
    for block in re.split(r"\n(?=[a-z0-9])", text):
        head = re.match(r"([a-z0-9][a-z0-9.-]*)==([^ ;\\]+)(?: ; ([^\\\n]+))?", block)
        if head is None:
            continue
        name, version, marker = head.groups()
        component = {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}", "bom-ref": f"pkg:pypi/{name}@{version}"}
        component["properties"] = [{"name": "locked-sha256", "value": digest} for digest in re.findall(r"--hash=sha256:([0-9a-f]{64})", block)]
        if marker:
            component["properties"].append({"name": "only-where", "value": marker.strip()})
        found.append(component)
    return found


def libraries(folder: Path) -> list[dict]:
    """Every program and library file, by its place in the folder."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and LIBRARY.search(path.name):
            place = path.relative_to(folder).as_posix()
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found.append({"type": "file", "name": place, "bom-ref": place, "hashes": [{"alg": "SHA-256", "content": digest}]})
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder}: no such folder; build first: python3 dev.py build")
    sys.path.insert(0, str(ROOT))
    from app import __version__

    program = {"type": "application", "name": "triton-setup", "version": __version__, "licenses": [{"license": {"id": "MIT"}}]}
    components = [*packages(), *libraries(options.folder)]
    # Attestations take no bill without a number; this one follows from what is listed.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([program, components], sort_keys=True))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": number.urn,
        "version": 1,
        "metadata": {"component": program},
        "components": components,
    }
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
