"""The ICU data that goes into the Linux program: smaller, and English and Chinese are sorted and named as before."""

import json
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import json, sys
from PySide6.QtCore import QCollator, QDateTime, QLocale, QTimeZone
answers = [next(line.split()[-1] for line in open("/proc/self/maps") if "libicudata" in line)]
for locale in ("en_US", "zh_CN", "zh_TW"):
    collator = QCollator(QLocale(locale))
    collator.setNumericMode(True)
    answers.append(sorted(["中", "一", "文", "a10", "a2", "B", "ä", "北京", "上海", "é", "Z"], key=collator.sortKey))
    answers.append(QLocale(locale).toUpper("straße"))
    for name in ("Asia/Shanghai", "America/New_York"):
        zone = QTimeZone(name.encode())
        answers.append(zone.displayName(QTimeZone.TimeType.StandardTime, QTimeZone.NameType.LongName, QLocale(locale)))
        answers.append(zone.offsetFromUtc(QDateTime.fromSecsSinceEpoch(1_700_000_000)))
print(json.dumps(answers))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Qt brings its own ICU on Linux only")
def test_the_slim_data_answers_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = (Path(PySide6.__file__).parent / "Qt" / "lib").glob("libicudata.so.*")
    slim = tmp_path / whole.name
    subprocess.run([sys.executable, ROOT / "assets" / "packaging" / "icu.py", whole, slim], check=True, timeout=60)
    assert slim.stat().st_size < whole.stat().st_size / 5

    def ask() -> list:
        return json.loads(subprocess.run([sys.executable, "-c", ASK], capture_output=True, check=True, timeout=60).stdout)

    before = ask()
    monkeypatch.setenv("LD_PRELOAD", str(slim))
    after = ask()
    assert (before[0], after[0]) == (str(whole), str(slim))
    assert after[1:] == before[1:]
