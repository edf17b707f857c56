"""Shows what the package index has that the tables do not: python3 dev.py tables [--index URL] [--releases FILE]

The maintainer's look before a new row: one line a cell that differs, nothing is written. FILE is the release list of the
SageAttention wheels in GitHub's JSON form. Exit code 1 where something differs.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import truststore
from pip._internal.models.index import PyPI  # its own default is the one that everybody means

from app.tables import load_tables
from app.tables.freshness import Difference, compare_with_index, compare_with_releases

ACCEPT = "application/vnd.pypi.simple.v1+json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py tables", description=__doc__)
    parser.add_argument("--index", default=os.environ.get("PIP_INDEX_URL") or PyPI.simple_url, metavar="URL", help="a simple index that answers in JSON")
    parser.add_argument("--releases", type=Path, metavar="FILE")
    options = parser.parse_args()
    truststore.inject_into_ssl()
    tables = load_tables()
    with httpx.Client(headers={"Accept": ACCEPT}, follow_redirects=True, timeout=60) as client:

        def fetch(project: str) -> Mapping[str, Any]:
            answer = client.get(f"{options.index.rstrip('/')}/{project}/")
            answer.raise_for_status()
            return answer.json()

        try:
            differences: list[Difference] = list(compare_with_index(tables, fetch))
        except (httpx.HTTPError, ValueError) as error:
            print(f"dev.py tables: the index did not answer: {error}", file=sys.stderr)
            return 2
    if options.releases:
        differences += compare_with_releases(tables, json.loads(options.releases.read_text(encoding="utf-8")))
    for difference in differences:
        print(f"{difference.table:<8} {difference.row:<18} {difference.column:<12} {difference.shipped or '-'}  ->  {difference.found or '-'}")
    print(f"{len(differences)} cells differ", file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
