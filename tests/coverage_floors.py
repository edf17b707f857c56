"""The coverage ratchet: python -m tests.coverage_floors COVERAGE.json

Compares each package's covered share (lines and branches together) with its floor in `coverage_floors.toml`. Exit code 1 below
a floor. Where a package stands more than two points above, it says so: raise the floor in the same change.
"""

import json
import sys
import tomllib
from pathlib import Path

FLOORS = Path(__file__).with_name("coverage_floors.toml")
SLACK = 2.0


def shares(document: dict, packages: list[str]) -> dict[str, float]:
    """Percent covered of each package, from coverage.py's JSON."""
    totals: dict[str, list[int]] = {package: [0, 0] for package in packages}
    for name, file in document["files"].items():
        path = Path(name).as_posix()
        for package in packages:
            if path.startswith(package + "/"):
                summary = file["summary"]
                totals[package][0] += summary["covered_lines"] + summary.get("covered_branches", 0)
                totals[package][1] += summary["num_statements"] + summary.get("num_branches", 0)
    return {package: 100 * covered / wanted if wanted else 100.0 for package, (covered, wanted) in totals.items()}


def main(report: Path) -> int:
    floors: dict[str, float] = tomllib.loads(FLOORS.read_text(encoding="utf-8"))["floors"]
    reached = shares(json.loads(report.read_text(encoding="utf-8")), list(floors))
    below = []
    for package, floor in floors.items():
        share = reached[package]
        remark = ""
        if share < floor:
            remark = "BELOW ITS FLOOR"
            below.append(package)
        elif share > floor + SLACK:
            remark = "above: raise the floor"
        print(f"{package:<24} {share:6.1f} %  floor {floor:5.1f} %  {remark}".rstrip())
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
