"""Draws the pictures of the documents anew: python -m tools.doc_pictures

A machine made by hand (that of the page tests) is walked by `tour` in both languages; what a document shows is copied to docs/images.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from app.model import codec
from tests.pages.samples import FACTS

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"


def wanted() -> set[str]:
    """The names that README and the documents link to."""
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return {name for document in documents for name in re.findall(r"images/([\w-]+\.png)", document.read_text(encoding="utf-8"))}


def main() -> int:
    lacking = wanted()
    with tempfile.TemporaryDirectory() as folder:
        machine = Path(folder) / "machine.json"
        machine.write_text(codec.dumps(FACTS), encoding="utf-8")
        for language in ("en", "zh_CN"):
            tour = [sys.executable, "-m", "app", "tour", "--machine", str(machine), "--lang", language, "-o", folder]
            subprocess.run(tour, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        for picture in Path(folder).glob("*.png"):
            name = re.sub(r"^\d+-", "", picture.name)
            if name in lacking:
                lacking.discard(name)
                (IMAGES / name).write_bytes(picture.read_bytes())
    if lacking:
        print("no page is called " + ", ".join(sorted(lacking)), file=sys.stderr)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
