"""The command line: what fits, and one line with exit code 2 for what does not."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.arguments import WIZARD, parse_arguments
from app.cli.front import run
from app.model.plan import Goal
from app.model.problem import Problem


def test_without_a_command_the_wizard_is_meant() -> None:
    assert parse_arguments([]).command == WIZARD
    assert parse_arguments(["--lang", "zh_CN"]).lang == "zh_CN"
    assert parse_arguments(["scan", "--lang", "zh_CN"]).lang == "zh_CN"
    assert parse_arguments(["scan"]).lang is None


def test_goals_keep_their_order_and_stand_once() -> None:
    assert parse_arguments(["plan", "--goal", "vllm, triton,vllm"]).goal == (Goal.VLLM, Goal.TRITON)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--no-such"], "--no-such"),
        (["no-such-command"], "no-such-command"),
        (["plan", "--goal", "speed"], "speed"),
        (["plan", "--goal", ","], "(none)"),
        (["plan", "--route", "magic"], "magic"),
        (["prove", "--level", "x"], "x"),
        (["diagnose"], "FILE"),
        (["bundle"], "--output"),
        (["plan", "--python", "a", "--new-env", "b", "--machine", "{machine}"], "--new-env"),
        (["plan", "--new-env", "b", "--machine", "{machine}"], "b is no full path"),
        (["plan", "--new-env", "/home/me/b", "--machine", "{machine}"], "/home/me/b"),
        (["plan", "--new-env", "D:\\", "--machine", "{machine}"], "D:\\"),
        (["plan", "--new-env", str(Path(__file__).parent)], str(Path(__file__).parent)),
        (["plan", "--new-env", Path(__file__).anchor], Path(__file__).anchor),
        (["plan", "--machine", "no-such-file.json"], "no-such-file.json"),
        (["diagnose", "no-such-file.log"], "no-such-file.log"),
        (["install", "--fail-step", "x"], "--dry-run"),
        (["undo", "--run", "no-such-run"], "no-such-run"),
        (["install", "--resume", "no-such-run"], "no-such-run"),
        (["install", "--yes", "--python", "/no/such/python"], "/no/such/python"),
        (["prove", "--python", "no-such-python"], "no-such-python"),
        (["plan", "--comfyui", "/no/such/folder"], "--comfyui"),
        (["plan", "--wheelhouse", "/no/such/folder"], "--wheelhouse"),
        (["scan", "--folder", "/no/such/folder"], "--folder"),
        (["plan", "--index-url", "file:///etc"], "file:///etc"),
        (["plan", "--index-url", "http://[broken"], "http://[broken"),
        (["report", "-o", "/proc/no/report.zip"], "/proc/no/report.zip"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str], machine_file: str) -> None:
    assert run([argument.format(machine=machine_file) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("triton-setup: ")
    assert captured.err.count("\n") == 1
    assert named in captured.err


def test_help_and_version_answer(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--help", "--version"):
        with pytest.raises(SystemExit) as ended:
            run([option])
        assert ended.value.code == 0
    assert "diagnose" in capsys.readouterr().out


def test_windows_continues_a_run_by_the_command_it_was_given() -> None:
    from app.host.continuation import continuation_command

    arguments = continuation_command("20261130-120000-abcdef").split(" -m app ")[1].split()
    assert parse_arguments(arguments).continue_run == "20261130-120000-abcdef"


@pytest.mark.parametrize("option", [["--lang", "zh_CN"], ["--lang=zh_CN"]])
def test_options_of_the_wizard_count_before_the_command_too(option: list[str]) -> None:
    for arguments in ([*option, "scan"], ["scan", *option]):
        assert parse_arguments(arguments).lang == "zh_CN"
    assert parse_arguments(["--theme", "dark", "tour"]).theme == "dark"
    assert parse_arguments(["tour", "--theme", "dark"]).theme == "dark"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["plan", "--goal", "speed"], "choice"),
        (["plan", "--route"], "no-value"),
        (["plan", "--json=1"], "no-value-wanted"),
        (["plan", "--no-such"], "unknown"),
        (["diagnose"], "required"),
        (["plan", "--mo", "x"], "ambiguous"),
    ],
)
def test_what_does_not_fit_is_said_in_the_language_that_was_asked_for(arguments: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Problem) as refused:
        parse_arguments(arguments)
    assert refused.value.text.code == f"cli.argument.{code}"
    assert run([*arguments, "--lang", "zh_CN"]) == run(["--lang", "zh_CN", *arguments]) == 2
    assert all("请参阅" in line or "参阅" in line for line in capsys.readouterr().err.splitlines())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_under_the_output_is_no_bug(machine_file: str, own_home: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "app", "plan", "--json", "--machine", machine_file], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "written" in ended.stderr
    assert not list(own_home.rglob("*crash*"))


def test_why_a_file_cannot_be_read_is_said_in_the_persons_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--lang", "zh_CN", "diagnose", str(tmp_path / "none.log")]) == 2
    assert "它不存在" in capsys.readouterr().err
    assert run(["diagnose", str(tmp_path)]) == 2
    assert "it is a folder" in capsys.readouterr().err


def test_tables_come_over_https_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tables", "--take", "http://example.org/tables.zip"]) == 2
    assert "https only" in capsys.readouterr().err
