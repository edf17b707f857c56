"""The steps of the WSL route on a Windows: wsl.exe answers as the real one does, byte for byte, in UTF-16 and translated."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.host.continuation import ENTRY, RUN_ONCE, continuation_command, continue_after_restart, forget_continuation
from app.host.elevation import EnableLongPaths, ask_elevated
from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome, RunFinished
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.resources import assets
from app.running import run_plan
from tests.running.worlds import TITLE, plan_of
from tests.windows.probing import calls_of, needs_fakes, needs_wine, stand_in

pytestmark = [pytest.mark.windows, needs_fakes]
ROWS = tomllib.loads((assets() / "tables" / "wsl_errors.toml").read_text(encoding="utf-8"))["row"]
LABELS = ("Error code", "Fehlercode", "错误代码", "エラー コード")


class Moved(LiveHost):
    """This machine with Windows in another folder."""

    def __init__(self, windows: Path) -> None:
        super().__init__()
        self._windows = windows

    def environment(self) -> Mapping[str, str]:
        return {**super().environment(), "SYSTEMROOT": str(self._windows)}


def run(folder: Path, rules: str, *steps: Step, **files: bytes) -> tuple[RunFinished, list[Event]]:
    stand_in(folder / "System32", "wsl", rules, **files)
    events: list[Event] = []
    plan = plan_of(None, steps)
    return run_plan(plan, Moved(folder), events.append, Cancel(), places=places(str(folder / "home"))), events


def step(kind: str, **arguments: Any) -> Step:
    return Step(kind, kind, TITLE, arguments=arguments)


@pytest.mark.parametrize(("number", "row"), list(enumerate(ROWS))[::3], ids=[row["codes"][0] for row in ROWS][::3])
def test_a_row_of_the_error_table_is_played(tmp_path: Path, number: int, row: dict[str, Any]) -> None:
    """Every third row: the others are played on Linux, by a stand-in that keeps state."""
    code = row["codes"][-1]
    said = f"…\r\n{LABELS[number % len(LABELS)]}: Wsl/Service/CreateInstance/{code}\r\n".encode("utf-16-le")
    finished, events = run(tmp_path, "[*]\nstdout = said.bin\nexit = 0xFFFFFFFF\n", step("wsl-update"), said__bin=said)
    assert finished.outcome is Outcome.FAILED
    assert finished.problem == Text(f"wsl.act-{row['act']}", {"wsl_code": code}), [event.line for event in events if isinstance(event, LogLine)]


def test_a_linux_command_is_one_argument_list_and_its_output_comes_through(tmp_path: Path) -> None:
    command = ("sh", "-c", 'echo "a b" $HOME \\ %PATH% é')
    finished, events = run(tmp_path, "[*]\nstdout = out.txt\n", step("wsl-command", distro="Triton Setup", command=command), out__txt="fertig: ü\n".encode())
    assert finished.outcome is Outcome.DONE
    assert any(isinstance(event, LogLine) and event.line == "fertig: ü" for event in events)
    calls = calls_of(tmp_path / "System32", "wsl")
    assert '"Triton Setup"' in calls
    assert "%PATH%" in calls


@needs_wine
def test_windows_is_told_once_to_start_the_run_again() -> None:
    import winreg

    assert continue_after_restart("20261130-120000-abcdef")
    with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_ONCE) as key:
        assert winreg.QueryValueEx(key, ENTRY)[0] == continuation_command("20261130-120000-abcdef")
    forget_continuation()
    with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_ONCE) as key, pytest.raises(FileNotFoundError):
        winreg.QueryValueEx(key, ENTRY)
    forget_continuation()


@needs_wine
def test_an_operation_is_asked_for_and_done_by_the_elevated_side(tmp_path: Path) -> None:
    """The whole way: the request file, this program started with the verb runas, its exit code; Wine asks nobody."""
    import winreg

    where = r"SYSTEM\CurrentControlSet\Control\FileSystem"
    with winreg.CreateKeyEx(winreg.HKEY_LOCAL_MACHINE, where, 0, winreg.KEY_WRITE | winreg.KEY_WOW64_64KEY) as key:
        winreg.SetValueEx(key, "LongPathsEnabled", 0, winreg.REG_DWORD, 0)
    result = ask_elevated(EnableLongPaths("enable-long-paths"), tmp_path / "requests", Cancel())
    assert (result.is_done, result.restart_required) == (True, False)
    with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, where, 0, winreg.KEY_READ | winreg.KEY_WOW64_64KEY) as key:
        assert winreg.QueryValueEx(key, "LongPathsEnabled")[0] == 1
    assert list((tmp_path / "requests").iterdir()) == [], "the request does not outlive its answer"


@needs_wine
def test_the_elevated_side_refuses_what_is_not_on_its_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request is changed while it waits: what comes back is a refusal, and nothing was started."""
    from app.model import codec

    monkeypatch.setattr(codec, "dumps", lambda value: '{"schema": "elevated/1", "nonce": "x", "operation": {"type": "run-command", "argv": ["notepad.exe"]}}')
    with pytest.raises(Problem) as refused:
        ask_elevated(EnableLongPaths("enable-long-paths"), tmp_path, Cancel())
    assert refused.value.text.code == "elevation.refused"
