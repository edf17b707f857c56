"""How plans and offers are shown: the document, the script, the environment page. Golden plans keep the bytes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.model import codec
from app.model.facts import Distro, MachineFacts, Python
from app.model.plan import Choice, Goal, RouteKind
from app.model.unknown import UNKNOWN
from app.planning import Fit, offer_environments, plan_document
from app.texts import LANGUAGES, words
from tests.planning.build import TABLES, linux, machine, plan, portable, python, with_os, wsl

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SAGE = (Goal.TRITON, Goal.SAGEATTENTION)
CASES: dict[str, tuple[MachineFacts, tuple[Goal, ...], dict[str, Any]]] = {
    "plain-venv": (machine(), SAGE, {}),
    "portable-comfyui": (machine(portable(packages={"comfy-kitchen": "0.2.31"})), (*SAGE, Goal.COMFYUI), {}),
    "torch-cpu": (machine(python("2.10.0+cpu")), SAGE, {}),
    "new-environment": (machine(pythons=()), SAGE, {}),
    "linux-without-card": (linux(), (Goal.TRITON,), {}),
    "wsl-from-nothing": (machine(), (Goal.TRITON,), {"route": RouteKind.WSL2}),
    "source": (machine(python("2.9.1+cu130")), (Goal.TRITON,), {"route": RouteKind.SOURCE}),
    "vllm": (machine(wsl=wsl()), (Goal.VLLM,), {"model": "Qwen/Qwen3-4B"}),
    "no-card": (machine(gpus=(), driver=None), SAGE, {}),
    "conflict": (machine(python("2.7.1+cu128", packages={"triton": "3.1.0", "triton-windows": "3.3.1.post21"})), SAGE, {}),
}


def golden(name: str, language: str) -> str:
    facts, goals, choice = CASES[name]
    return json.dumps(plan_document(plan(facts, *goals, **choice), language), ensure_ascii=False, indent=1) + "\n"


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_is_the_golden_one(name: str, language: str) -> None:
    """Rewrite the files with `python -m tests.planning.test_shown` and read the difference before you commit it."""
    assert (GOLDEN / f"{name}.{language}.json").read_text(encoding="utf-8") == golden(name, language)


@pytest.mark.parametrize("name", CASES)
def test_a_document_holds_no_unfilled_sentence(name: str) -> None:
    for language in LANGUAGES:
        document = json.loads(golden(name, language))
        document.pop("choice")
        texts = [step["title"] for step in document["steps"]] + [f["text"] for f in document["findings"]] + [document["summary"]]
        texts += [one["text"] for route in document["routes"] for one in route["reasons"]] + [o["text"] for o in document["options"]]
        assert all(text and "{" not in text and "@" not in text for text in texts)


def test_the_choice_of_a_document_makes_the_same_plan_again() -> None:
    facts = machine(python("2.3.1+cu121"))
    made = plan(facts, *SAGE)
    again = codec.load(plan_document(made)["choice"], Choice, "choice")
    assert again == made.choice


# --- the environment page ------------------------------------------------------------------------------------------------


def offers(facts: MachineFacts, **choice: Any) -> Any:
    return offer_environments(facts, Choice(**{"goals": SAGE} | choice), TABLES)


def test_the_recommendation_comes_first_and_is_what_the_plan_takes() -> None:
    facts = machine(python(None, "C:\\Python312\\python.exe", kind="system"), python("2.3.1+cu121", "E:\\old\\Scripts\\python.exe"), portable())
    listed = offers(facts)
    assert [one.fit for one in listed] == [Fit.RECOMMENDED, Fit.FITS, Fit.FITS, Fit.FITS_WITH_CHANGES]
    made = plan(facts, *SAGE)
    assert made.python is not None
    assert listed[0].python is not None
    assert listed[0].python.executable == made.python.executable
    assert listed[0].reasons
    for one in listed:
        assert words(one.changes, "zh_CN")
        again = plan(facts, *SAGE, python=one.choice.python, new_env=one.choice.new_env)
        assert again.python is not None
        assert again.python.executable == (one.python.executable if one.python else again.python.executable)


def test_what_cannot_be_used_stays_listed_with_its_reason() -> None:
    unusable = [python(kind="uv"), python(bits=32, arch="x86"), Python("C:\\WindowsApps\\python.exe", "store-alias", "")]
    listed = offers(machine(*unusable))
    assert listed[0].python is None
    assert listed[0].fit is Fit.RECOMMENDED
    assert [one.fit for one in listed[1:]] == [Fit.IMPOSSIBLE] * 3
    assert all(one.reasons for one in listed)


def test_cautions_are_told() -> None:
    one = python(writable=False, in_use_by=("ComfyUI (pid 7)",), has_headers=False)
    listed = offers(with_os(machine(one), cloud_roots=("D:\\work",)))
    taken = next(offer for offer in listed if offer.python)
    assert {reason.code for reason in taken.reasons} >= {"not-writable", "in-use", "lies-badly", "headers"}


def test_for_wsl2_distros_are_offered_and_for_vllm_only_a_new_environment() -> None:
    listed = offers(machine(wsl=wsl()), route=RouteKind.WSL2)
    assert [one.distro.name if one.distro else None for one in listed] == ["Ubuntu-24.04", None]
    for_vllm = offers(machine(), goals=(Goal.VLLM,))
    assert for_vllm[0].python is None
    assert for_vllm[1].fit is Fit.IMPOSSIBLE


def test_every_trouble_of_a_distro_has_its_reason() -> None:
    distros = (
        Distro("One", wsl_version=1),
        Distro("Driver", wsl_version=2, driver_in_distro=True, gpu_visible=False),
        Distro("Blind", wsl_version=2, gpu_visible=False, python="3.12.3"),
        Distro("Old", wsl_version=2, gpu_visible=True, python="3.8.10"),
    )
    listed = offers(machine(wsl=wsl(distros=distros)), route=RouteKind.WSL2)
    assert listed[0].distro is None
    told = {one.distro.name: {reason.code for reason in one.reasons} for one in listed[1:]}
    assert told["One"] >= {"distro-version-1"}
    assert told["Driver"] == {"distro-driver"}
    assert told["Blind"] == {"distro-no-gpu"}
    assert told["Old"] == {"distro-python"}


def test_offers_say_what_is_not_known_or_cannot_be() -> None:
    unread = replace(python(), packages=UNKNOWN)
    listed = offers(machine(unread))
    assert {one.changes.code for one in listed} >= {"environment.changes-unknown"}
    without_card = offers(machine(python(None), gpus=UNKNOWN))
    assert {one.changes.code for one in without_card} == {"environment.changes-later"}
    on_arm = offers(with_os(machine(pythons=()), arch="arm64"))
    assert [one.fit for one in on_arm] == [Fit.IMPOSSIBLE]
    no_sage = offers(machine(python("2.7.1+cu118")))
    assert {reason.code for one in no_sage for reason in one.reasons} >= {"no-sage"}


def test_hundreds_of_environments_are_offered() -> None:
    many = tuple(python("2.10.0+cu128", f"D:\\e{n}\\Scripts\\python.exe") for n in range(300))
    listed = offers(machine(*many))
    assert len(listed) == 301
    assert sum(one.fit is Fit.RECOMMENDED for one in listed) == 1


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case in CASES:
        for tongue in LANGUAGES:
            (GOLDEN / f"{case}.{tongue}.json").write_text(golden(case, tongue), encoding="utf-8")
