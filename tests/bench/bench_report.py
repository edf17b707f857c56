"""The report: how long it takes to write, open, show and compare one, and how large it is.

One thread computes and waits for nothing, so time is counted in this process alone: other load on the machine does not count.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from app.report import collect_identity, load_report, preview_report, render_html, save_preview
from app.report.code import explain_code, support_code
from app.report.compact import qr_svg
from app.report.compare import compare
from tests.report import samples

USER = "anneliese"
LINES = [
    f'  File "C:\\Users\\{USER}\\ComfyUI\\custom_nodes\\node_{index % 40}\\nodes.py", line {index}, in run_step_{index}'
    if index % 3
    else f"Downloading wheel {index} of 2000 (41.2 MB) at 31.5 MB/s"
    for index in range(2000)
]


def median_ms(work: Callable[[], object], times: int = 5) -> float:
    spent = []
    for _ in range(times):
        begun = time.process_time()
        work()
        spent.append((time.process_time() - begun) * 1000)
    return statistics.median(spent)


def bench() -> list[dict]:
    report = samples.failed_report(USER, LINES)
    logs = {"run.log": "".join(f"2026-11-29T14:03:41+00:00 test stdout: {line}\n" for line in LINES).encode()}
    recording = samples.recording(USER)
    identity = collect_identity({"USERNAME": USER, "COMPUTERNAME": "KESTREL-QX7Z"})
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "report.zip"

        def save() -> object:
            return save_preview(preview_report(report, recording, logs, identity), target)

        rows = [{"name": "report: redact and save, log of 2,000 lines", "value": median_ms(save), "unit": "ms", "limit": 1000}]
        rows.append({"name": "report: size of the zip", "value": target.stat().st_size / 1e6, "unit": "MB", "limit": 1.0})
        loaded = load_report(target)
        rows.append({"name": "report: open", "value": median_ms(lambda: load_report(target)), "unit": "ms", "limit": 500})
        rows.append({"name": "report: page", "value": median_ms(lambda: render_html(loaded.report)), "unit": "ms", "limit": 500})
    rows.append({"name": "report: compare two", "value": median_ms(lambda: compare(report, samples.good_report())), "unit": "ms", "limit": 100})
    rows.append(
        {
            "name": "support code: make and explain",
            "value": median_ms(lambda: explain_code(support_code("failed", report.facts, report.plan))),
            "unit": "ms",
            "limit": 10,
        }
    )
    rows.append({"name": "QR picture", "value": median_ms(lambda: qr_svg(report)), "unit": "ms", "limit": 200})
    return rows
