"""Scan of this machine, and of many environments laid out on disk, against `python -m pip list` in each."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from app.host.live_readings import LiveReadings
from app.model.cancel import Cancel
from app.probes import scan
from tests.machines.small_program import small_elf

PACKAGES = 200
COUNTS = (30, 100, 300)
TIMES = 3
PIP_SAMPLES = 3


def lay_out(root: Path, count: int) -> None:
    """`count` environments of PACKAGES packages, each with its folder of metadata, and torch; metadata files are hard links of one."""
    root.mkdir(parents=True)
    metadata = root / "METADATA"
    metadata.write_text("Metadata-Version: 2.1\nName: package\nVersion: 1.0\n")
    for number in range(count):
        environment = root / f"app{number:03}" / "venv"
        site = environment / "lib" / "python3.12" / "site-packages"
        (site / "torch").mkdir(parents=True)
        (environment / "bin").mkdir()
        (environment / "bin" / "python").write_bytes(small_elf())
        (environment / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.12.3\n")
        for index in range(PACKAGES - 1):
            info = site / f"package{index:03}-{index % 9}.{number % 10}.{index}.dist-info"
            info.mkdir()
            (info / "METADATA").hardlink_to(metadata)
        (site / "torch" / "version.py").write_text("__version__ = '2.13.0+cu130'\ncuda: Optional[str] = '13.0'\n")
        (site / "torch-2.13.0.dist-info").mkdir()


def timed(call) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def seconds_for(root: Path, count: int) -> float:
    def read() -> None:
        result = scan(LiveReadings(), lambda _: None, Cancel(), folders=(str(root),), only=frozenset({"pythons"}))
        found = [python for python in result.facts.pythons if python.executable.startswith(str(root))]
        assert len(found) == count, f"{len(found)} of {count} environments found"
        assert all(len(python.packages) == PACKAGES for python in found)

    return statistics.median(timed(read) for _ in range(TIMES))


def pip_list_seconds(folder: Path) -> float:
    """One `pip list` in a real environment with as many packages laid out in it."""
    environment = folder / "reference"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    site = next(environment.rglob("site-packages"))
    for index in range(PACKAGES):
        info = site / f"package{index:03}-1.0.{index}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: package{index:03}\nVersion: 1.0.{index}\n")
    argv = [python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]
    return statistics.median(timed(lambda: subprocess.run(argv, check=True, capture_output=True)) for _ in range(PIP_SAMPLES))


def bench() -> list[dict]:
    """Rows for dev.py bench."""
    whole = statistics.median(timed(lambda: scan(LiveReadings(), lambda _: None, Cancel())) for _ in range(TIMES))
    first = scan(LiveReadings(), lambda _: None, Cancel())
    again = statistics.median(timed(lambda: scan(LiveReadings(), lambda _: None, Cancel(), previous=first)) for _ in range(TIMES))
    rows = [
        {"name": "scan of this machine", "value": whole, "unit": "s", "limit": 2.0, "reference": None},
        {"name": "second scan of this machine", "value": again, "unit": "s", "limit": 2.0, "reference": "the first scan"},
    ]
    with tempfile.TemporaryDirectory() as folder:
        pip_s = pip_list_seconds(Path(folder))
        for count in COUNTS:
            root = Path(folder) / f"of{count}"
            lay_out(root, count)
            rows.append(
                {
                    "name": f"{count} environments of {PACKAGES} packages",
                    "value": seconds_for(root, count),
                    "unit": "s",
                    "limit": 1.5 if count == COUNTS[-1] else None,
                    "reference": f"pip list in each: {pip_s * count:.0f} s ({pip_s:.2f} s each)",
                }
            )
    return rows
