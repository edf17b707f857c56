"""The log of an app is found without the person knowing where it lies."""

import os
from dataclasses import replace
from pathlib import Path

from app.model.facts import MachineFacts, OperatingSystem, Python
from app.qt.app_logs import app_logs

SYSTEM = OperatingSystem(family="windows", version="10.0.26100", arch="x86_64")


def write(path: Path, age_s: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("started\n", encoding="utf-8")
    os.utime(path, (1_700_000_000 - age_s, 1_700_000_000 - age_s))
    return path


def test_the_newest_log_of_every_app_comes_first(tmp_path: Path) -> None:
    one, two = tmp_path / "portable", tmp_path / "pinokio"
    old = write(one / "ComfyUI" / "user" / "comfyui.log", 90)
    port = write(one / "user" / "comfyui_8288.log", 60)
    new = write(two / "logs" / "latest.log", 10)
    write(one / "user" / "notes.txt", 0)
    pythons = tuple(Python(executable=str(root / "python.exe"), kind="venv", version="3.12.1", app_root=str(root)) for root in (one, two))
    facts = MachineFacts(schema="machine/1", os=SYSTEM, pythons=pythons)
    assert app_logs(facts) == (new, port, old)
    assert app_logs(facts, pythons[0].executable) == (port, old)
    assert app_logs(replace(facts, pythons=())) == ()
