"""Shows what the package index and the release lists have that the tables do not: python3 dev.py tables [options]

The maintainer's look before a new row: one line a cell that differs, nothing is written. Release lists are read from GitHub, or from
--releases FILE (its JSON form, once for each list); one that does not answer is said and left out. Exit code 1 where something differs.

--pack FILE.zip makes of the tables the package that `triton-setup tables --take` accepts, and prints its SHA-256.
"""

import argparse
import hashlib
import json
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import truststore
from pip._internal.models.index import PyPI  # its own default is the one that everybody means

from app.resources import assets
from app.tables import Tables, load_tables
from app.tables.check import FILES
from app.tables.fresh import date_of, pack
from app.tables.freshness import Difference, compare_with_index, compare_with_releases, release_lists

ACCEPT = "application/vnd.pypi.simple.v1+json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py tables", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", default=os.environ.get("PIP_INDEX_URL") or PyPI.simple_url, metavar="URL", help="a simple index that answers in JSON")
    parser.add_argument("--releases", type=Path, action="append", metavar="FILE", help="a saved release list instead of the network")
    parser.add_argument("--pack", type=Path, metavar="FILE.zip", help="make a package of these tables; nothing is compared")
    options = parser.parse_args()
    tables = load_tables()
    if options.pack:
        return write_package(tables, options.pack)
    truststore.inject_into_ssl()
    with httpx.Client(headers={"Accept": ACCEPT}, follow_redirects=True, timeout=60) as client:

        def fetch(project: str) -> Mapping[str, Any]:
            page: Mapping[str, Any] = client.get(f"{options.index.rstrip('/')}/{project}/").raise_for_status().json()
            return page

        try:
            differences: list[Difference] = list(compare_with_index(tables, fetch))
        except (httpx.HTTPError, ValueError) as error:
            print(f"dev.py tables: the index did not answer: {error}", file=sys.stderr)
            return 2
        for releases in saved(options.releases) if options.releases else fetched(tables, client):
            differences += compare_with_releases(tables, releases)
    for difference in differences:
        print(f"{difference.table:<10} {difference.row:<18} {difference.column:<12} {difference.shipped or '-'}  ->  {difference.found or '-'}")
    print(f"{len(differences)} cells differ", file=sys.stderr)
    return 1 if differences else 0


def saved(files: list[Path]) -> Iterator[Any]:
    return (json.loads(file.read_text(encoding="utf-8")) for file in files)


def fetched(tables: Tables, client: httpx.Client) -> Iterator[Any]:
    """The release lists, as far as they answer."""
    for url in release_lists(tables):
        try:
            yield client.get(url, headers={"Accept": "application/json"}, timeout=15).raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            print(f"dev.py tables: left out, it did not answer: {url} ({error})", file=sys.stderr)


def write_package(tables: Tables, target: Path) -> int:
    """Equal tables make equal bytes."""
    files = {f"{name}.toml": (assets() / "tables" / f"{name}.toml").read_bytes() for name in FILES}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in sorted(pack(files, date_of(tables)).items()):
            package.writestr(zipfile.ZipInfo(name), content)
    print(f"{hashlib.sha256(target.read_bytes()).hexdigest()}  {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
