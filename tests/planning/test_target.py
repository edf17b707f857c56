"""Which environment a plan works on: named, of an app, at hand, or new; and what is told of those not taken."""

from dataclasses import replace
from typing import Any

import pytest

from app.model.facts import Python
from app.model.plan import Goal, Plan, RouteKind, Verdict
from tests.planning.build import codes, kinds, machine, plan, portable, python, with_os

SAGE = (Goal.TRITON, Goal.SAGEATTENTION)
VENV = "D:\\work\\venv\\Scripts\\python.exe"


def step(made: Plan, kind: str) -> Any:
    return next(one for one in made.steps if one.kind == kind)


def test_the_app_comes_before_a_venv_and_a_venv_before_an_empty_one() -> None:
    app = portable("2.13.0+cu130")
    venv = python("2.13.0+cu130", packages={"triton-windows": "3.7.1.post27"})
    empty = python(None, "E:\\empty\\Scripts\\python.exe")
    assert plan(machine(empty, venv, app)).python.executable == app.executable
    assert plan(machine(empty, venv)).python.executable == venv.executable
    assert plan(machine(empty)).python.executable == empty.executable


def test_of_two_apps_the_one_that_needs_less_is_taken() -> None:
    costly = replace(portable("2.5.1+cu124"), executable="E:\\a\\python_embeded\\python.exe")
    cheap = replace(portable("2.13.0+cu130"), executable="E:\\b\\python_embeded\\python.exe")
    made = plan(machine(costly, cheap, capability="12.0"), *SAGE)
    assert made.python is not None
    assert made.python.executable == cheap.executable


def test_for_comfyui_a_comfyui_is_preferred() -> None:
    forge = python("2.10.0+cu128", "E:\\forge\\venv\\Scripts\\python.exe", app="forge", app_root="E:\\forge")
    comfy = python("2.10.0+cu128", "E:\\comfy\\venv\\Scripts\\python.exe", app="comfyui", app_root="E:\\comfy")
    assert plan(machine(forge, comfy), Goal.COMFYUI).python.executable == comfy.executable
    assert plan(machine(forge, comfy), Goal.TRITON).python.executable == forge.executable


@pytest.mark.parametrize(
    "unusable",
    [
        Python("C:\\WindowsApps\\python.exe", "store-alias", ""),
        python(kind="store"),
        python(kind="uv"),
        python(bits=32, arch="x86"),
        python(free_threaded=True),
        python(version="3.8.20"),
        python(base_ok=False),
        python(externally_managed=True),
    ],
)
def test_what_may_not_be_installed_into_is_never_chosen(unusable: Python) -> None:
    made = plan(machine(unusable))
    assert made.python is not None
    assert made.python.is_new
    assert unusable.executable not in " ".join(" ".join(one.argv) for one in made.steps if one.kind != "create-environment")
    named = plan(machine(unusable), python=unusable.executable)
    assert named.verdict is Verdict.NEEDS_ACTION
    assert named.python is not None
    assert named.python.is_new
    assert named.options


def test_a_new_environment_is_made_from_a_fitting_python_or_a_fetched_one() -> None:
    base = python(None, "C:\\Python313\\python.exe", kind="system", version="3.13.9")
    made = plan(machine(base), *SAGE)
    assert made.python is not None
    assert (made.python.is_new, made.python.base) == (True, base.executable)
    assert kinds(made)[0] == "create-environment"
    fetched = plan(machine(pythons=()), *SAGE)
    assert fetched.python is not None
    assert fetched.python.base is None
    assert kinds(fetched)[:2] == ["fetch-python", "create-environment"]
    assert fetched.python.version == "3.12"


def test_a_new_environment_goes_into_plain_letters_and_a_free_folder() -> None:
    facts = with_os(machine(pythons=()), user_profile="C:\\Users\\王小明")
    made = plan(facts)
    assert made.python is not None
    assert made.python.executable == "C:\\TritonSetup\\environments\\triton\\Scripts\\python.exe"
    broken = python(None, made.python.executable, base_ok=False)
    again = plan(replace(facts, pythons=(broken,)))
    assert again.python is not None
    assert again.python.executable == "C:\\TritonSetup\\environments\\triton-2\\Scripts\\python.exe"


def test_an_empty_venv_in_a_cloud_folder_is_not_taken_and_the_reason_is_told() -> None:
    facts = with_os(machine(python(None)), cloud_roots=("D:\\work",))
    made = plan(facts)
    assert made.python is not None
    assert made.python.is_new
    assert "onedrive-path" in codes(made)
    assert made.verdict is Verdict.READY


def test_a_deep_environment_that_was_named_gets_long_paths_switched_on() -> None:
    deep = python(executable="D:\\" + "deep\\" * 25 + "venv\\Scripts\\python.exe")
    made = plan(with_os(machine(deep), long_paths=False), python=deep.executable)
    assert "set-long-paths" in kinds(made)
    assert step(made, "set-long-paths").needs_admin


def test_a_python_that_is_not_known_is_asked_about() -> None:
    made = plan(machine(), python="Z:\\nowhere\\python.exe")
    assert made.verdict is Verdict.NEEDS_ACTION
    assert made.python is None
    assert made.steps == ()
    assert plan(machine(), Goal.COMFYUI, comfyui="Z:\\nowhere").verdict is Verdict.NEEDS_ACTION


def test_paths_compare_as_windows_compares_them() -> None:
    made = plan(machine(), python=VENV.upper().replace("\\", "/"))
    assert made.python is not None
    assert made.python.executable == VENV


def test_a_comfyui_folder_decides_even_from_inside_or_outside() -> None:
    first = portable("2.13.0+cu130")
    second = python("2.8.0+cu128", "E:\\git\\ComfyUI\\venv\\Scripts\\python.exe", app="comfyui", app_root="E:\\git\\ComfyUI")
    for folder in ("E:\\git\\ComfyUI", "e:\\git\\comfyui\\", "E:\\git\\ComfyUI\\custom_nodes"):
        made = plan(machine(first, second), Goal.COMFYUI, comfyui=folder)
        assert made.python is not None
        assert made.python.executable == second.executable


def test_vllm_beside_other_goals_is_left_to_a_plan_of_its_own() -> None:
    made = plan(machine(), Goal.TRITON, Goal.VLLM)
    assert "vllm" not in made.packages
    assert "vllm-apart" in {one.code for verdict in made.routes if verdict.route is RouteKind.NATIVE for one in verdict.reasons}


def test_comfyui_wanted_and_not_found_is_asked_for_and_the_plan_is_shown() -> None:
    made = plan(machine(pythons=()), Goal.COMFYUI)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert made.python is not None
    assert made.python.is_new
    assert made.options[0].choice.new_env is not None
    assert plan(machine(pythons=()), Goal.COMFYUI, new_env="D:\\mine").verdict is Verdict.READY


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (python(base_ok=False), "venv-broken"),
        (python(version="3.8.20", kind="conda"), "python-version-unsupported"),
        (python(bits=32, arch="x86", kind="system"), "wheel-unsupported"),
    ],
)
def test_why_a_python_at_hand_is_not_taken_is_told_and_does_not_stop_the_plan(broken: Python, code: str) -> None:
    made = plan(machine(broken))
    assert made.verdict is Verdict.READY
    assert code in codes(made)
    assert made.python is not None
    assert made.python.is_new


def test_a_folder_that_holds_an_environment_already_is_that_environment() -> None:
    made = plan(machine(), new_env="d:\\work\\venv\\")
    assert made.python is not None
    assert (made.python.executable, made.python.is_new) == (VENV, False)
