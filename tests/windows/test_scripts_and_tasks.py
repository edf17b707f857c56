"""What only a Windows runs: a plan's batch file by cmd, and the commands of its Task Scheduler. Under Wine it is Wine's own of both."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import PySide6
import pytest

from app.host.elevation import signature
from app.model.plan import Plan, RouteKind, Step, Verdict
from app.planning import plan_script
from app.running.vllm.logon import TASK, create_command, delete_command, task_document
from tests.running.worlds import TITLE, plan_of

pytestmark = pytest.mark.windows
NASTY = '@echo off\r\ncd /d "%~dp0"\r\necho a & b | c > d < e ^ f (g) 100%% "h & i" %*\r\n\r\nrem end 1\r\n'


def script_plan(folder: Path) -> tuple[Plan, Path]:
    """A check, a start file, an exchange after which pytest must be what it was, a test: all with this very Python."""
    launcher = folder / "a & b" / "start (1).cmd"
    here, free = sys.executable, folder / "free" / "python.exe"
    free.parent.mkdir()
    shutil.copyfile(here, free)
    exchange = (here, "-c", "print('first & second')", "&&", here, "-c", 'print("%PATH%")')
    steps = (
        Step("check", "check-free", TITLE, arguments={"python": str(free)}),
        Step("launcher", "write-launcher", TITLE, arguments={"path": str(launcher), "content": NASTY}),
        Step("swap", "swap", TITLE, exchange, arguments={"python": here, "keeps": (f"pytest=={pytest.__version__}",)}),
        Step("test", "smoke-test", TITLE, (here, "-s", "-c", "import sys; assert sys.platform == 'win32'")),
    )
    return replace(plan_of(None, steps), route=RouteKind.NATIVE, verdict=Verdict.READY), launcher


def run(plan: Plan, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "plan.cmd"
    script.write_bytes(plan_script(plan, ".cmd").encode())
    return subprocess.run(["cmd.exe", "/d", "/c", str(script)], capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=120, check=False)


def test_a_batch_file_does_the_same_and_ends_well(tmp_path: Path) -> None:
    plan, launcher = script_plan(tmp_path)
    done = run(plan, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert launcher.read_bytes() == NASTY.encode()
    assert "first & second" in done.stdout
    assert "%PATH%" in done.stdout


@pytest.mark.parametrize(("broken", "code"), [("gone", 3), ("in use", 3), ("swap", 1)])
def test_a_batch_file_stops_where_the_run_would(tmp_path: Path, broken: str, code: int) -> None:
    plan, launcher = script_plan(tmp_path)
    before = Path(sys.executable).read_bytes()
    changed = {
        "gone": lambda step: replace(step, arguments={"python": "C:\\nowhere\\python.exe"}),
        "in use": lambda step: replace(step, arguments={"python": sys.executable}),
        "swap": lambda step: replace(step, arguments={**step.arguments, "keeps": ("pytest==0.1",)}),
    }
    name = "swap" if broken == "swap" else "check"
    done = run(replace(plan, steps=tuple(changed[broken](step) if step.id == name else step for step in plan.steps)), tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert launcher.exists() is (broken == "swap")
    assert Path(sys.executable).read_bytes() == before


def test_the_task_scheduler_takes_the_logon_task_and_gives_it_up(tmp_path: Path) -> None:
    document = tmp_path / "logon task.xml"
    document.write_text(task_document(sys.executable, ("-m", "app", "vllm", "run")), encoding="utf-16")
    for command in (create_command(str(document)), create_command(str(document)), delete_command()):
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert subprocess.run(delete_command(), capture_output=True, timeout=60, check=False).returncode != 0, f"{TASK} is gone"


def test_only_a_whole_file_that_microsoft_signed_counts_as_its_own(tmp_path: Path) -> None:
    """Windows' own check of signatures: a library that Qt's maker signed is trusted, and still not Microsoft's."""
    signed = Path(PySide6.__file__).with_name("msvcp140.dll")
    assert signature._is_trusted(signed)
    assert not signature.is_signed_by_microsoft(signed)
    changed = tmp_path / "changed.dll"
    content = bytearray(signed.read_bytes())
    content[len(content) // 2] ^= 1
    changed.write_bytes(content)
    for untrusted in (changed, Path(sys.executable), tmp_path / "none.exe"):
        assert not signature._is_trusted(untrusted)
        assert not signature.is_signed_by_microsoft(untrusted)


def test_who_microsoft_is_is_read_from_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    signed = Path(PySide6.__file__).with_name("msvcp140.dll")
    monkeypatch.setattr(signature, "PUBLISHER", signature._signer(signed))
    assert signature.is_signed_by_microsoft(signed)
