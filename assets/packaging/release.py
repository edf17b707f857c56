"""Writes the announcement of a release that programs already out can ask for: release.py --page URL [--tables FILE.zip --tables-url URL] -o FILE

Form `release/1`, read by `app.host.releases`. The date is today's, or that of SOURCE_DATE_EPOCH.
"""

import argparse
import hashlib
import json
import os
import sys
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from app import __version__  # noqa: E402  the project is found from here


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", required=True, help="where a person gets the release")
    parser.add_argument("--tables", type=Path, help="the package of tables that is published with it")
    parser.add_argument("--tables-url", help="where that package will lie")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))
    document: dict = {"schema": "release/1", "version": __version__, "date": date, "page": options.page}
    if options.tables:
        with zipfile.ZipFile(options.tables) as package:
            tables_date = json.loads(package.read("manifest.json"))["date"]
        sha256 = hashlib.sha256(options.tables.read_bytes()).hexdigest()
        document["tables"] = {"date": tables_date, "url": options.tables_url, "sha256": sha256}
    text = json.dumps(document, indent=1) + "\n"
    from app.host.releases import read_release

    read_release(text, str(options.output))
    options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
