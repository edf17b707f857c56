"""A second scan reads only environments that changed, and a recording of it still gives all facts."""

import dataclasses
import json
from pathlib import Path

import pytest

from app.host.live_readings import LiveReadings
from app.host.recording import RecordedHost, Recorder, load_recording
from app.model.cancel import Cancel
from app.model.facts import Python
from app.model.scan import ScanResult
from app.probes import scan
from tests.machines.small_program import small_elf

RECORDINGS = Path(__file__).resolve().parents[1] / "machines" / "recordings"


class Counting(LiveReadings):
    """Notes which package folders are listed."""

    def __init__(self) -> None:
        self.listed: list[str] = []

    def list_names(self, folder, patterns=()):
        if patterns and folder.endswith("site-packages"):
            self.listed.append(folder)
        return super().list_names(folder, patterns)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("one", "two", "three"):
        make(tmp_path / name / "venv")
    return tmp_path


def make(environment: Path) -> None:
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").write_bytes(small_elf())
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.3\n")
    (environment / "lib" / "python3.12" / "site-packages" / "six-1.17.0.dist-info").mkdir(parents=True)


def read(host, root: Path, previous: ScanResult | None = None) -> tuple[ScanResult, dict[str, Python]]:
    result = scan(host, lambda _: None, Cancel(), folders=(str(root),), previous=previous, only=frozenset({"pythons"}))
    return result, {python.executable: python for python in result.facts.pythons if python.executable.startswith(str(root))}


def test_only_what_changed_is_read_again(root: Path) -> None:
    first, found = read(Counting(), root)
    assert len(found) == 3
    (root / "two" / "venv" / "lib" / "python3.12" / "site-packages" / "numpy-2.2.6.dist-info").mkdir()
    make(root / "four" / "venv")
    host = Counting()
    _, again = read(host, root, first)
    assert sorted({Path(folder).relative_to(root).parts[0] for folder in host.listed if folder.startswith(str(root))}) == ["four", "two"]
    assert again[str(root / "two" / "venv" / "bin" / "python")].packages == {"numpy": "2.2.6", "six": "1.17.0"}
    assert len(again) == 4


def test_an_environment_that_is_gone_is_no_longer_told(root: Path) -> None:
    first, _ = read(LiveReadings(), root)
    (root / "one").rename(root / "moved away")
    _, again = read(LiveReadings(), root, first)
    assert str(root / "one" / "venv" / "bin" / "python") not in again
    assert str(root / "moved away" / "venv" / "bin" / "python") in again


def test_recording_of_a_second_scan_gives_all_facts(root: Path) -> None:
    recorder = Recorder(LiveReadings())
    first, _ = read(recorder, root)
    for later in (Recorder(LiveReadings()), Recorder(LiveReadings(), recorder.recording())):
        _, again = read(later, root, first)
        _, replayed = read(RecordedHost(later.recording("2026-11-30T00:00:00Z")), root)
        assert replayed == again


@pytest.mark.parametrize("name", ["wsl-running-ready", "portable-running-sage106", "linux-h200", "hybrid-laptop-3050ti"])
@pytest.mark.parametrize("probe", ["gpus", "pythons", "disks"])
def test_one_probe_run_again_leaves_every_other_fact(name: str, probe: str) -> None:
    document = json.loads((RECORDINGS / f"{name}.json").read_text(encoding="utf-8"))
    host = RecordedHost(load_recording(document["recording"], name))
    whole = scan(host, lambda _: None, Cancel())
    part = scan(host, lambda _: None, Cancel(), previous=whole, only=frozenset({probe}))
    assert part.facts == dataclasses.replace(whole.facts, gaps=part.facts.gaps)
    assert sorted(map(repr, part.facts.gaps)) == sorted(map(repr, whole.facts.gaps))
    assert {run.probe: run.facts for run in part.probes} == {run.probe: run.facts for run in whole.probes}
