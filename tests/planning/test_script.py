"""A plan as a script: what it holds, and where it refuses."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from app.model.facts import Toolkit
from app.model.plan import Goal, Plan, RouteKind
from app.model.problem import ExitCode, Problem
from app.planning import plan_script
from app.planning.script_batch import BESIDE, FAILED, PERSON, _live
from app.planning.script_words import commands
from app.texts import words
from tests.planning.build import linux, machine, plan, portable, python, wsl
from tests.planning.test_shown import CASES


def lines(made: Plan, suffix: str) -> list[str]:
    return plan_script(made, suffix).split("\n" if suffix == ".sh" else "\r\n")


def made(name: str) -> Plan:
    facts, goals, choice = CASES[name]
    return plan(facts, *goals, **choice)


@pytest.mark.parametrize("name", CASES)
def test_every_step_has_its_place_in_a_script(name: str) -> None:
    one = made(name)
    suffix = ".sh" if one.route is RouteKind.LINUX else ".cmd"
    written = lines(one, suffix)
    titles = [line for line in written if re.match(r"echo(\.| ')== ", line)]
    assert len(titles) == len(one.steps)
    assert ("exit /b 3" if suffix == ".cmd" else "exit 3") in written or one.verdict.value == "ready"
    for step in one.steps:
        if step.kind == "wsl-command":
            for command in commands(step.argv):
                place = next(place for place, line in enumerate(written) if line.startswith("wsl.exe") and command[-1] in line)
                assert written[place + 1] == FAILED


def test_a_plan_that_is_not_ready_stops_before_anything() -> None:
    waiting = plan(machine(python("2.3.1+cu121")), Goal.TRITON)
    written = lines(waiting, ".cmd")
    assert written.index("exit /b 3") < next((place for place, line in enumerate(written) if line.startswith("echo.== ")), len(written))


def test_a_script_of_the_wrong_kind_is_refused_in_one_line() -> None:
    for one, suffix, code in ((plan(linux()), ".cmd", "plan.script-linux"), (plan(machine(python())), ".sh", "plan.script-windows")):
        with pytest.raises(Problem) as problem:
            plan_script(one, suffix)
        assert (problem.value.text.code, problem.value.exit_code) == (code, ExitCode.BAD_INPUT)


def test_what_only_the_program_can_do_is_said_before_anything_is_done() -> None:
    one = plan(machine(wsl=wsl(wslconfig={"gpuSupport": "false"})), route=RouteKind.WSL2)
    written = lines(one, ".cmd")
    assert written.index("exit /b 3") < next(place for place, line in enumerate(written) if line.startswith("echo.== "))


def test_the_linux_half_of_a_wsl_plan_runs_in_the_distro() -> None:
    written = lines(plan(machine(), route=RouteKind.WSL2), ".sh")
    assert not any(line.startswith("wsl.exe") for line in written)
    assert "python3 -m venv /opt/triton-setup/triton || exit 1" in written
    assert "test -e /dev/dxg || exit 1" in written


def test_downloads_are_checked_and_rights_and_restarts_asked_for() -> None:
    text = plan_script(plan(machine(), route=RouteKind.WSL2), ".cmd")
    assert re.search(r"certutil.exe -hashfile .* SHA256 \| findstr.exe /i /x [0-9a-f]{64}", text)
    assert f"net session >nul 2>&1\r\n{PERSON}" in text
    assert 'InstallStatus" >nul 2>&1\r\nif "%errorlevel%"=="0" exit /b 3' in text
    built = plan_script(plan(machine(python("2.9.1+cu130")), route=RouteKind.SOURCE), ".cmd")
    assert "Get-AuthenticodeSignature" in built
    assert 'set "TRITON_BUILD_PROTON=0"' in built


def test_what_stays_is_checked_after_the_exchange() -> None:
    text = plan_script(plan(machine(portable()), Goal.TRITON, Goal.SAGEATTENTION), ".cmd")
    assert "[('torch', '2.13.0+cu130')]" in text


def test_a_build_sees_the_packages_of_another_python(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run([python, "-c", BESIDE, sys.executable], check=True)
    assert subprocess.run([python, "-c", "import hypothesis"], check=False).returncode == 0


def test_foreign_names_stay_one_word() -> None:
    odd = python(executable="D:\\a & b\\100% !x!\\venv\\Scripts\\python.exe")
    line = next(one for one in lines(plan(machine(odd)), ".cmd") if one.startswith('"D:') and "-m pip" in one)
    assert line.startswith('"D:\\a & b\\100%% !x!\\venv\\Scripts\\python.exe" -s -m pip')
    posix = python(None, "/home/o'neil/$HOME/bin/python", kind="system", version="3.12.1")
    assert "'\"'\"'" in plan_script(plan(linux(posix)), ".sh")


@pytest.mark.parametrize("sign", ["\ncalc.exe\nrem ", "\r", "\x1a", "\x85", "\u2028", '" calc.exe "'])
def test_a_name_that_would_act_in_a_script_is_refused_in_one_line(sign: str) -> None:
    with pytest.raises(Problem) as problem:
        plan_script(plan(machine(python(executable=f"D:\\x{sign}\\Scripts\\python.exe"))), ".cmd")
    assert problem.value.exit_code is ExitCode.BAD_INPUT
    assert len(words(problem.value.text).splitlines()) == 1
    if '"' not in sign:
        with pytest.raises(Problem):
            plan_script(plan(linux(), new_env=f"/home/u/x{sign}y"), ".sh")


def test_what_a_variable_and_a_start_file_hold_means_itself() -> None:
    toolkit = Toolkit("13.0", root="D:\\100% & more\\CUDA", missing_parts=())
    one = plan(machine(python("2.4.1+cu124"), toolkits=(replace(toolkit, version="12.4"),)), Goal.SAGEATTENTION, route=RouteKind.SOURCE)
    assert 'set "CUDA_HOME=D:\\100%% & more\\CUDA"' in lines(one, ".cmd")
    app = python("2.13.0+cu130", "E:\\ComfyUI\\50%\\Scripts\\python.exe", app="comfyui", app_root="E:\\ComfyUI")
    made = plan(machine(app), Goal.COMFYUI)
    assert '"50%%\\Scripts\\python.exe" -s "main.py"' in next(str(step.arguments["content"]) for step in made.steps if step.kind == "write-launcher")


@limits(max_examples=200, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=40))
def test_no_sign_is_live_in_a_batch_file(text: str) -> None:
    """Read as cmd reads it, the text is itself again, and no sign outside quotes could join or end a command."""
    read, is_quoted, place, made = "", False, 0, _live(text)
    while place < len(made):
        sign = made[place]
        if sign == "%":
            assert made[place + 1] == "%"
            place += 1
        elif sign == "^" and not is_quoted:
            place += 1
            sign = made[place]
        else:
            assert is_quoted or sign not in "&|<>()"
        is_quoted ^= sign == '"'
        read, place = read + sign, place + 1
    assert read == text
