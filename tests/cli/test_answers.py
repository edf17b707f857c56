"""From a customer's report over a supporter's replay to an answer file, and back to the customer: shown, confirmed, planned anew."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.front import run
from app.cli.terminal import Terminal
from app.model import codec
from app.model.plan import Attention, Choice, Goal, TorchChange
from app.model.report import Report
from app.model.unknown import known
from app.report import Identity, save_report
from app.report.answers import describe_choice, save_answers
from app.session import Session
from app.texts import has, words
from tests.report import samples

USER = "Jöhn Dœ"


@pytest.fixture
def customer(tmp_path: Path) -> Path:
    """The facts of the customer's machine, nothing taken out of them."""
    path = tmp_path / "customer.json"
    path.write_text(codec.dumps(samples.machine_facts(USER)), encoding="utf-8")
    return path


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """What a supporter decided who has seen the customer's report and nothing else."""
    save_report(Report("2026-11-30T10:00:00+00:00", "1", samples.machine_facts(USER), Choice()), None, {}, Identity(users=(USER,)), tmp_path / "report.zip")
    replay = Session(str(tmp_path / "support"))
    facts = replay.open_machine(tmp_path / "report.zip")
    other = known(facts.pythons, ())[1].executable
    assert "Dœ" not in other
    before = replay.decide(replay.choice)
    after = replay.decide(Choice(goals=(Goal.TRITON,), python=other, torch_change=TorchChange.KEEP))
    assert after.python != before.python
    return save_answers(replay.choice, replay.report(), tmp_path / "answers.json")


def test_the_customer_sees_the_decisions_and_a_plan_of_this_machine(customer: Path, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["plan", "--machine", str(customer), "--answers", str(answers), "--json"])
    captured = capsys.readouterr()
    plan = json.loads(captured.out)
    own = f"C:\\Users\\{USER}\\AppData\\Local\\Programs\\Python\\Python313\\python.exe"
    assert plan["choice"]["python"] == own
    assert "Dœ" not in answers.read_text(encoding="utf-8")
    said = [line.strip() for line in captured.err.splitlines()]
    assert said[0].startswith("answers.json decides")
    assert {"Goal: Triton", "torch: stays as it is"} <= set(said)
    assert any("Python to use: C:\\Users\\USER 1" in line for line in said)


def test_an_option_named_on_the_command_line_wins(customer: Path, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["plan", "--machine", str(customer), "--answers", str(answers), "--new-env", "D:\\env", "--json"])
    choice = json.loads(capsys.readouterr().out)["choice"]
    assert choice["python"] is None
    assert choice["new_env"] == "D:\\env"
    assert choice["torch_change"] == "keep"


def test_the_terminal_walk_takes_answers_too(customer: Path, answers: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.cli.front.has_display", lambda environment: False)
    run(["--machine", str(customer), "--answers", str(answers)])
    said = capsys.readouterr().out
    assert "answers.json decides" in said
    assert f"C:\\Users\\{USER}\\AppData\\Local\\Programs\\Python\\Python313\\python.exe" in said


def test_the_machine_named_before_the_command_is_not_lost(customer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["--machine", str(customer), "plan", "--json"])
    assert json.loads(capsys.readouterr().out)["python"]["executable"] == samples.PORTABLE


@pytest.mark.parametrize("says_yes", [True, False])
def test_nothing_runs_on_answers_alone(answers: Path, says_yes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without answers a new environment of our own needs no consent; what came from outside always does."""
    from app.cli import installing

    made = Session(str(tmp_path / "home"))
    made.facts = samples.machine_facts(USER)
    plan = made.decide(Choice(new_env=str(made.places.environments / "triton")))
    assert plan.python
    plan = replace(plan, python=replace(plan.python, executable=str(made.places.environments / "triton" / "python"), is_new=True))
    options = installing.argparse.Namespace(yes=False, answers=None)
    assert installing.is_allowed(options, plan, made, Terminal("en"))
    options.answers = answers
    assert not installing.is_allowed(options, plan, made, Terminal("en"))
    monkeypatch.setattr(Terminal, "is_person_there", True)
    monkeypatch.setattr("builtins.input", lambda prompt: "y" if says_yes else "")
    assert installing.is_allowed(options, plan, made, Terminal("en")) is says_yes


@pytest.mark.parametrize(
    "change",
    [
        {"index_url": "http://evil.example/simple"},
        {"python": "\\\\evil.example\\share\\python.exe"},
        {"new_env": "venv"},
        {"wheelhouse": "../wheels"},
        {"argv": ["cmd"]},
        {"python": "E:\\PART-9\\python.exe"},
    ],
)
@pytest.mark.parametrize("command", [["plan"], ["install", "--dry-run"], ["bundle", "-o", "out"]], ids=lambda command: command[0])
def test_hostile_answers_stop_every_command(
    customer: Path, answers: Path, change: dict[str, object], command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(answers.read_text(encoding="utf-8"))
    document["choice"].update(change)
    answers.write_text(json.dumps(document), encoding="utf-8")
    assert run([*command, "--machine", str(customer), "--answers", str(answers)]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("triton-setup: ")


@pytest.mark.parametrize("arguments", [["plan", "--answers", "no-such.json"], ["plan", "--answers", "{customer}"]])
def test_what_is_no_answer_file_is_said(arguments: list[str], customer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = [argument.format(customer=customer) for argument in arguments]
    assert run([*named, "--machine", str(customer)]) == 2
    assert Path(named[-1]).name in capsys.readouterr().err


def test_every_decision_a_choice_can_hold_is_said() -> None:
    plain = [words(line) for line in describe_choice(Choice())]
    whole = Choice(
        route=None,
        python="C:\\p.exe",
        new_env="C:\\e",
        comfyui="C:\\c",
        torch_change=TorchChange.KEEP,
        distro="U",
        index_url="https://i.example/simple",
        wheelhouse="C:\\w",
        model="m",
        attention=Attention.INT8,
    )
    for name in Choice.__dataclass_fields__:
        value = getattr(whole, name)
        if value not in (None, getattr(Choice(), name)):
            assert [words(line) for line in describe_choice(replace(Choice(), **{name: value}))] != plain, name
    for enum, area in ((Goal, "goal"), (TorchChange, "torch"), (Attention, "attention")):
        assert all(has(f"report.answers.{area}.{member.value}") for member in enum)
