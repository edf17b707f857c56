"""Answer files: they carry a choice to the customer's machine, and nothing that could do harm there."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.model.plan import Choice, Goal, RouteKind, TorchChange
from app.model.problem import ExitCode, Problem
from app.report import Identity, preview_report
from app.report.answers import describe_choice, fit_choice, load_answers, read_answers, save_answers
from app.texts import LANGUAGES, words
from tests.report import samples

CHOICE = Choice(
    goals=(Goal.TRITON, Goal.SAGEATTENTION),
    route=RouteKind.NATIVE,
    python=samples.PORTABLE,
    torch_change=TorchChange.KEEP,
    index_url="https://mirrors.example.org/simple",
    distro="Ubuntu-24.04",
    model="Qwen/Qwen3-8B",
)


def test_a_choice_comes_back_as_it_was(tmp_path: Path) -> None:
    report = samples.failed_report()
    target = save_answers(CHOICE, report, tmp_path / "answers.json")
    assert load_answers(target) == CHOICE
    assert read_answers(target).made_for == report.created_at
    assert load_answers(save_answers(Choice(), None, tmp_path / "plain.json")) == Choice()


def test_what_is_taken_over_is_said_first() -> None:
    for language in LANGUAGES:
        said = [words(line, language) for line in describe_choice(replace(CHOICE, new_env="D:\\env", wheelhouse="D:\\wheels", comfyui="D:\\ComfyUI"))]
        for value in (samples.PORTABLE, "https://mirrors.example.org/simple", "Ubuntu-24.04", "Qwen/Qwen3-8B", "D:\\wheels"):
            assert any(value in line for line in said), value
    assert len(describe_choice(Choice())) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"python": "\\\\evil.example\\share\\python.exe"},
        {"python": "//evil.example/share/python"},
        {"wheelhouse": "\\\\?\\UNC\\evil.example\\x"},
        {"new_env": "..\\..\\Windows\\System32"},
        {"new_env": "-rf"},
        {"comfyui": "D:\\x\r\nbad"},
        {"python": "D:\\a|b.exe"},
        {"distro": "--unregister"},
        {"distro": "Ubuntu; rm"},
        {"model": "-x"},
        {"model": "$(id)"},
        {"index_url": "http://evil.example/simple"},
        {"index_url": "https://user:password@evil.example/simple"},
        {"index_url": "https://evil.example/simple --trusted"},
        {"index_url": "file:///etc"},
        {"goals": ["triton", "triton"]},
    ],
)
def test_values_that_could_do_harm_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = save_answers(CHOICE, None, tmp_path / "a.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["choice"].update(change)
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(Problem) as caught:
        load_answers(path)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    assert next(iter(change)) in words(caught.value.text)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"schema": "report/1"}',
        b'{"schema": "answers/2", "choice": {}}',
        b'{"schema": "answers/1"}',
        b'{"schema": "answers/1", "choice": {"argv": ["x"]}}',
        b'{"schema": "answers/1", "choice": {}, "run": "x"}',
        b"\xff" * 10,
        b" " * 70_000,
        b'{"schema": "answers/1", "choice": {"goals": "triton"}}',
        b'{"schema": "answers/1", "choice": {"torch_version": "--x"}}',
        b'{"schema": "answers/1", "choice": {"torch_version": "abc"}}',
        b'{"schema": "answers/1", "choice": {"python": "C:/a/python.exe", "new_env": "C:/b"}}',
    ],
)
def test_what_is_no_answer_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(Problem) as caught:
        load_answers(path)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    assert "\n" not in words(caught.value.text)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from([*Choice.__dataclass_fields__, "x"]),
        st.none() | st.integers() | st.text(max_size=30) | st.lists(st.text(max_size=9), max_size=3),
        max_size=6,
    )
)
def test_any_choice_is_taken_or_refused(tmp_path: Path, choice: dict[str, object]) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"schema": "answers/1", "choice": choice}), encoding="utf-8")
    try:
        taken = load_answers(path)
    except Problem as problem:
        if problem.exit_code is not ExitCode.BAD_INPUT:
            raise
    else:
        assert isinstance(taken, Choice)


IDENTITY = Identity(users=("Jöhn Dœ",))


def replayed_choice(user: str, choose: str) -> Choice:
    """What a supporter chooses on the redacted report of a machine."""
    facts = preview_report(samples.facts_report(user), None, {}, IDENTITY).report.facts
    pythons = facts.pythons
    assert isinstance(pythons, tuple)
    profile = facts.os.user_profile
    return Choice(python=pythons[1].executable) if choose == "python" else Choice(new_env=f"{profile}\\triton-env")


def test_the_customers_own_paths_stand_again_in_the_choice() -> None:
    redacted = replayed_choice("Jöhn Dœ", "python")
    assert redacted.python is not None
    assert "Dœ" not in redacted.python
    fitted = fit_choice(redacted, samples.machine_facts("Jöhn Dœ"), IDENTITY)
    assert fitted.python == "C:\\Users\\Jöhn Dœ\\AppData\\Local\\Programs\\Python\\Python313\\python.exe"
    fitted = fit_choice(replayed_choice("Jöhn Dœ", "folder"), samples.machine_facts("Jöhn Dœ"), IDENTITY)
    assert fitted.new_env == "C:\\Users\\Jöhn Dœ\\triton-env"


def test_a_choice_without_tokens_stays_as_it_is() -> None:
    assert fit_choice(CHOICE, samples.machine_facts(), IDENTITY) is CHOICE


def test_a_path_that_is_not_here_is_named() -> None:
    with pytest.raises(Problem) as caught:
        fit_choice(Choice(python="E:\\PART-7\\python.exe"), samples.machine_facts(), IDENTITY)
    assert "PART-7" in words(caught.value.text)
