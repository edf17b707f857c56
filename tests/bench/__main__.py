"""Runs the benchmarks and prints one table: python3 dev.py bench [NAME...] [--json FILE].

Exit code 1 when a value is beyond its limit. Values of two machines are not comparable; those of one run are.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def is_beyond(row: dict) -> bool:
    if row.get("limit") is None:
        return False
    return row["value"] < row["limit"] if row.get("higher_is_better") else row["value"] > row["limit"]


def shown(row: dict) -> str:
    limit = "" if row.get("limit") is None else f"{'≥' if row.get('higher_is_better') else '≤'} {row['limit']:g}"
    mark = "BEYOND" if is_beyond(row) else ""
    return f"{row['name']:<58} {row['value']:>12,.3f} {row['unit']:<8} {limit:<12} {mark:<7} {row.get('reference') or ''}".rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("names", nargs="*", help="run only benchmarks whose file name holds one of these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows there")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    files = [file for file in sorted(HERE.glob("bench_*.py")) if not options.names or any(name in file.stem for name in options.names)]
    if not files:
        parser.error("no such benchmark")
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    rows = []
    for file in files:
        begun = time.perf_counter()
        found = importlib.import_module(f"tests.bench.{file.stem}").bench()
        print(f"\n{file.stem} ({time.perf_counter() - begun:.1f} s)")
        for row in found:
            print("  " + shown(row))
        rows += found
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if any(is_beyond(row) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
