"""Real readings of this machine: bounded, never an exception."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.host.live_readings import MAX_OUTPUT_BYTES, LiveReadings
from tests.machines.small_program import small_elf, small_kernel, small_pe

HOST = LiveReadings()
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")


def test_a_missing_program_is_an_answer() -> None:
    assert HOST.query(["no-such-program-here"]).failure == "not-found"


@posix
def test_a_program_that_cannot_start_is_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("no program")
    assert HOST.query([str(file)]).failure == "cannot-start"


@posix
def test_a_stalling_program_is_ended_with_its_children(tmp_path: Path) -> None:
    script = f"sleep 60 & echo $! > {tmp_path}/child; echo said; wait"
    begun = time.monotonic()
    answer = HOST.query(["/bin/sh", "-c", script], 0.5)
    assert answer.failure == "timed-out"
    assert answer.stdout == b"said\n"
    assert time.monotonic() - begun < 10
    child = int((tmp_path / "child").read_text())
    end = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and "zombie" not in Path(f"/proc/{child}/status").read_text() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists() or "zombie" in Path(f"/proc/{child}/status").read_text()


@posix
def test_a_grandchild_that_keeps_the_pipe_does_not_hold_up() -> None:
    begun = time.monotonic()
    answer = HOST.query(["/bin/sh", "-c", "sleep 20 & echo done"], 30.0)
    assert answer.exit_code == 0
    assert answer.stdout == b"done\n"
    assert time.monotonic() - begun < 10


@posix
def test_endless_output_is_cut_not_kept() -> None:
    answer = HOST.query(["/bin/sh", "-c", "head -c 5000000 /dev/zero; echo >&2 end"], 30.0)
    assert len(answer.stdout) == MAX_OUTPUT_BYTES
    assert answer.exit_code == 0


@posix
def test_a_child_gets_no_python_settings_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    monkeypatch.setenv("PIP_TARGET", "/nowhere")
    said = HOST.query(["env"], environment={"WSL_UTF8": "1"}).stdout.decode()
    assert "PYTHONHOME" not in said
    assert "PIP_TARGET" not in said
    assert "WSL_UTF8=1" in said


def test_names_by_pattern_and_kind(tmp_path: Path) -> None:
    (tmp_path / "Torch-2.8.0.dist-info").mkdir()
    (tmp_path / "~orch").mkdir()
    (tmp_path / "six.py").write_text("")
    assert HOST.list_names(str(tmp_path), ("*.dist-info", "~*")) == ("Torch-2.8.0.dist-info/", "~orch/")
    assert HOST.list_names(str(tmp_path)) == ("Torch-2.8.0.dist-info/", "six.py", "~orch/")
    assert HOST.list_names(str(tmp_path / "none")) is None
    assert HOST.list_names("bad\0path") is None


@pytest.mark.parametrize(
    ("content", "arch", "version"),
    [
        (small_pe("arm64", "14.44.35211.0"), "arm64", "14.44.35211.0"),
        (small_pe("x86"), "x86", None),
        (small_elf(183), "arm64", None),
        (small_kernel("5.10.16.3-microsoft-standard-WSL2"), None, "5.10.16.3-microsoft-standard-WSL2"),
        (b"", None, None),
        (b"MZ", None, None),
    ],
)
def test_programs_by_their_headers(content: bytes, arch: str | None, version: str | None, tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes(content)
    program = HOST.program_file(str(file))
    assert program is not None
    assert (program.arch, program.version, program.size_bytes) == (arch, version, len(content))


def test_texts_in_large_files(tmp_path: Path) -> None:
    file = tmp_path / "library"
    file.write_bytes(b"\0" * 5_000_000 + b"sm_75 sm_80 compute_90\0" + b"\xff" * 100)
    assert HOST.find_text(str(file), r"sm_\d+(?: \w+_\d+)+") == "sm_75 sm_80 compute_90"
    assert HOST.find_text(str(file), "nothing") == ""
    assert HOST.find_text(str(tmp_path / "none"), "x") is None
    (tmp_path / "empty").write_bytes(b"")
    assert HOST.find_text(str(tmp_path / "empty"), "x") == ""


def test_a_missing_program_file_is_none(tmp_path: Path) -> None:
    assert HOST.program_file(str(tmp_path / "none")) is None


@posix
def test_links_and_access(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "none")
    assert HOST.resolve(str(tmp_path / "link")) is None
    assert HOST.resolve(str(tmp_path)) == os.path.realpath(tmp_path)
    assert HOST.writable(str(tmp_path)) is True
    assert HOST.writable("/proc") is False or os.geteuid() == 0


def test_this_machine_has_values() -> None:
    values = HOST.system()
    assert values.version
    assert values.total_bytes
    assert any(drive.free_bytes for drive in HOST.drives())


def test_a_running_python_is_seen_with_its_script(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text("import time; time.sleep(30)")
    child = subprocess.Popen([sys.executable, str(script)])
    try:
        found = None
        end = time.monotonic() + 10
        while (found is None or found.script is None) and time.monotonic() < end:
            found = next((python for python in HOST.python_processes() or () if python.pid == child.pid), None)
        assert found is not None
        assert found.executable == sys.executable
        assert found.script is not None
        assert found.script.endswith("main.py")
    finally:
        child.kill()
        child.wait()


def test_nvml_answers_in_any_case() -> None:
    answer = HOST.nvml(20.0)
    assert answer.driver or answer.error is not None
