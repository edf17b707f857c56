"""The packaged program answers as the source does."""

import json
import struct
import zipfile
from pathlib import Path

import pytest

from app.report.compact import write_compact
from tests.cli.test_explaining import REPORT, photo
from tests.frozen.conftest import Program

pytestmark = [pytest.mark.frozen, pytest.mark.timeout(600)]

LOG = b"""Traceback (most recent call last):
  File "run.py", line 3, in <module>
    import triton
ModuleNotFoundError: No module named 'triton'
"""


def shape(png: Path) -> tuple[int, int]:
    head = png.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n", png
    return struct.unpack(">II", head[16:24])


@pytest.fixture
def machine(source: Program, tmp_path: Path) -> Path:
    """A facts document: this very machine's, read from source."""
    facts = tmp_path / "facts.json"
    done = source("scan", "-o", facts)
    assert done.returncode == 0, done.stderr.decode()
    return facts


def test_scan(program: Program) -> None:
    done = program("scan", "--json")
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    facts = json.loads(done.stdout)
    assert facts["schema"] == "machine/1"
    assert facts["os"]["family"] == ("windows" if program.argv[-1].endswith(".exe") else "linux")


def test_plan_is_the_same_byte_for_byte(program: Program, source: Program, machine: Path) -> None:
    for language in ("en", "zh_CN"):
        packaged, plain = (start("plan", "--machine", machine, "--json", "--lang", language) for start in (program, source))
        assert packaged.stdout == plain.stdout, packaged.stderr.decode(errors="replace")
        assert packaged.returncode == plain.returncode
        assert json.loads(packaged.stdout)["schema"] == "plan/1"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_diagnosis_is_the_same(program: Program, source: Program, language: str) -> None:
    packaged, plain = (start("diagnose", "-", "--json", "--lang", language, stdin=LOG) for start in (program, source))
    assert json.loads(packaged.stdout) == json.loads(plain.stdout)
    assert json.loads(packaged.stdout)["findings"][0]["code"] == "triton-missing"


def test_report_is_written_and_read_again(program: Program, tmp_path: Path) -> None:
    target = tmp_path / "report.zip"
    written = program("report", "-o", target, "--json")
    assert written.returncode == 0, written.stderr.decode(errors="replace")
    assert {"report.json", "recording.json", "report.html"} <= set(zipfile.ZipFile(target).namelist())
    planned = program("plan", "--machine", target, "--json")
    assert json.loads(planned.stdout)["schema"] == "plan/1"


@pytest.mark.parametrize("name", ["photo.png", "photo.jpg", "photo.webp"])
def test_a_photo_of_a_code_is_read(program: Program, source: Program, tmp_path: Path, name: str) -> None:
    seen = program("code", "--image", photo(tmp_path / name, turn=7), "--json")
    assert seen.returncode == 0, seen.stderr.decode(errors="replace")
    assert json.loads(seen.stdout) == json.loads(source("code", write_compact(REPORT), "--json").stdout)


def test_tour_paints_every_page(program: Program, source: Program, machine: Path, tmp_path: Path) -> None:
    pictures = []
    for name, start in (("packaged", program), ("plain", source)):
        done = start("tour", "--machine", machine, "-o", tmp_path / name, "--lang", "zh_CN", "--theme", "dark")
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        pictures.append({png.name: shape(png) for png in sorted((tmp_path / name).glob("*.png"))})
    assert pictures[0] == pictures[1]
    assert len(pictures[0]) >= 7, "a replay shows every page up to the plan, and the end"


def test_bad_input_is_one_line(program: Program, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[1, 2")
    done = program("plan", "--machine", wrong, "--json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert len(done.stderr.decode(errors="replace").strip().splitlines()) == 1


def test_nothing_is_left_in_the_temporary_folder(program: Program) -> None:
    before = program.unpacked()
    assert program("--version").returncode == 0
    assert program.unpacked() == before


def test_windows_resources(program: Program) -> None:
    exe = Path(program.argv[-1])
    if exe.suffix != ".exe":
        pytest.skip("an ELF program has none")
    content = exe.read_bytes()
    start = struct.unpack_from("<I", content, 0x3C)[0]
    assert content[start : start + 4] == b"PE\0\0"
    assert struct.unpack_from("<H", content, start + 4 + 20 + 68)[0] == 2, "not of the window subsystem"
    for said in (b'level="asInvoker"', b"PerMonitorV2", b"longPathAware", b"activeCodePage", "Triton Setup".encode("utf-16-le")):
        assert said in content


def test_the_download_stays_small(program: Program) -> None:
    assert Path(program.argv[-1]).stat().st_size <= 45_000_000
