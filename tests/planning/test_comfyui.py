"""ComfyUI and its relatives: switched on by a start file of ours or by the app's own setting, never by editing what an update owns."""

from typing import Any

import pytest

from app.model.facts import Python
from app.model.plan import Attention, Goal, Plan, RouteKind, Verdict
from tests.planning.build import kinds, machine, plan, portable, python, with_os

COMFY = (Goal.TRITON, Goal.SAGEATTENTION, Goal.COMFYUI)


def launcher(made: Plan) -> dict[str, Any]:
    return dict(next(step.arguments for step in made.steps if step.kind == "write-launcher"))


def notes(made: Plan) -> set[str]:
    return {one.code for verdict in made.routes if verdict.route is RouteKind.NATIVE for one in verdict.reasons}


def comfy(app: str = "comfyui", root: str = "E:\\git\\ComfyUI", **changes: Any) -> Python:
    return python("2.13.0+cu130", f"{root}\\venv\\Scripts\\python.exe", app=app, app_root=root, **changes)


def test_the_portable_gets_a_start_file_beside_its_own() -> None:
    made = plan(machine(portable()), *COMFY)
    file = launcher(made)
    assert file["path"] == "D:\\ComfyUI_windows_portable\\run_nvidia_gpu_sage.bat"
    assert '"python_embeded\\python.exe" -s "ComfyUI\\main.py" --windows-standalone-build --use-sage-attention %*' in file["content"]
    assert file["content"].isascii()
    assert file["content"].count("\n") == file["content"].count("\r\n")
    assert {"wire-launcher", "wire-models"} <= notes(made)


def test_a_faster_comfyui_alone_brings_triton_and_sage() -> None:
    made = plan(machine(portable()), Goal.COMFYUI)
    assert {"triton-windows", "sageattention"} <= set(made.packages)
    assert "write-launcher" in kinds(made)


@pytest.mark.parametrize(
    ("one", "folder", "line"),
    [
        (comfy(), "E:\\git\\ComfyUI", '"venv\\Scripts\\python.exe" -s "main.py" --use-sage-attention'),
        (
            python("2.13.0+cu130", "E:\\绘图\\pack\\python\\python.exe", app="aki", app_root="E:\\绘图\\pack\\ComfyUI", kind="system"),
            "E:\\绘图\\pack",
            '"python\\python.exe" -s "ComfyUI\\main.py" --use-sage-attention',
        ),
        (
            python("2.13.0+cu130", "C:\\pinokio\\api\\comfy\\app\\env\\Scripts\\python.exe", app="pinokio", app_root="C:\\pinokio\\api\\comfy\\app"),
            "C:\\pinokio\\api\\comfy\\app",
            '"env\\Scripts\\python.exe" -s "main.py" --use-sage-attention',
        ),
    ],
)
def test_a_start_file_names_everything_from_its_own_folder(one: Python, folder: str, line: str) -> None:
    file = launcher(plan(machine(one), *COMFY))
    assert file["path"] == f"{folder}\\run_comfyui_sage.bat"
    assert line in file["content"]
    assert file["content"].isascii()


def test_a_start_file_keeps_caches_in_plain_letters_where_the_profile_has_others() -> None:
    facts = with_os(machine(portable()), user_profile="C:\\Users\\王小明", temp="C:\\Users\\王小明\\Temp")
    content = launcher(plan(facts, *COMFY))["content"]
    assert 'set "TRITON_CACHE_DIR=%SystemDrive%\\TritonSetup\\triton"' in content
    assert "TRITON_CACHE_DIR" not in launcher(plan(machine(portable()), *COMFY))["content"]


@pytest.mark.parametrize("app", ["comfyui-desktop", "stability-matrix", "swarmui", "forge", "wan2gp"])
def test_apps_with_a_setting_are_told_where_it_is(app: str) -> None:
    made = plan(machine(comfy(app)), *COMFY)
    assert "write-launcher" not in kinds(made)
    assert f"wire-{app}" in notes(made)
    assert "sageattention" in made.packages


@pytest.mark.parametrize(("app", "note"), [("framepack", "wire-itself"), ("fooocus", "wire-none"), ("unheard-of", "wire-unknown"), (None, "wire-unknown")])
def test_what_cannot_be_wired_is_said(app: str | None, note: str) -> None:
    made = plan(machine(comfy(app or "", app=app) if app is None else comfy(app)), *COMFY) if app else plan(machine(python("2.13.0+cu130")), *COMFY)
    assert note in notes(made)
    assert "write-launcher" not in kinds(made)


def test_what_is_switched_on_already_is_left_alone() -> None:
    packages = {"triton-windows": "3.7.1.post27", "sageattention": "2.2.0+cu130torch2.10.0andhigher.post6"}
    made = plan(machine(comfy(packages=packages, attention_flags=("--use-sage-attention",))), *COMFY)
    assert made.verdict is Verdict.READY
    assert made.steps == ()
    assert "wire-already" in notes(made)
    only_wired = plan(machine(comfy(packages=packages)), *COMFY)
    assert kinds(only_wired) == ["write-launcher", "write-launcher"]


def test_comfyuis_own_attention_is_named_and_can_be_chosen_where_it_serves_as_well() -> None:
    facts = machine(portable(packages={"comfy-kitchen": "0.2.31"}))
    made = plan(facts, Goal.COMFYUI)
    assert "wire-int8" in notes(made)
    option = next(one for one in made.options if one.code == "comfy-kitchen")
    chosen = plan(facts, *option.choice.goals, attention=option.choice.attention)
    assert option.choice.attention is Attention.INT8
    assert "sageattention" not in chosen.packages
    assert "--use-ck-attention" in launcher(chosen)["content"]


@pytest.mark.parametrize(
    "facts",
    [
        machine(portable()),
        machine(portable("2.10.0+cu128", packages={"comfy-kitchen": "0.2.31"})),
        machine(portable(packages={"comfy-kitchen": "0.2.31"}, version="3.11.9")),
        machine(portable(packages={"comfy-kitchen": "0.2.31"}), driver_version="566.36"),
    ],
)
def test_comfyuis_own_attention_is_not_named_where_it_cannot_run(facts: Any) -> None:
    assert "wire-int8" not in notes(plan(facts, Goal.COMFYUI))


def test_nothing_is_said_of_a_start_file_that_is_not_made() -> None:
    made = plan(machine(portable("2.4.1+cu124", version="3.11.9")), *COMFY)
    assert "write-launcher" not in kinds(made)
    assert not notes(made) & {"wire-launcher", "wire-count", "wire-models"}
    (missing,) = [finding for finding in made.findings if finding.code == "sage-missing"]
    assert missing.remedy is None, "no SageAttention fits that torch"


@pytest.mark.parametrize("capability", ["7.0", "8.9"])
@pytest.mark.parametrize("torch", ["2.4.1+cu124", "2.6.0+cu126", "2.7.1+cu118", "2.9.0.dev20250701+cu128", "2.13.0+cu130"])
@pytest.mark.parametrize("packages", [{}, {"sageattention": "2.2.0+cu128torch2.8.0.post3"}])
def test_the_switch_is_advised_only_where_sageattention_comes_or_is(capability: str, torch: str, packages: dict[str, str]) -> None:
    facts = machine(python(torch, packages=packages), capability=capability, wsl=None)
    for route in (RouteKind.NATIVE, RouteKind.WSL2):
        made = plan(facts, *COMFY, route=route)
        told = [text for one in made.routes if one.route is route for reason in one.reasons for text in reason.text.params.values()]
        starts = [word for step in made.steps for word in (*step.argv, str(step.arguments.get("content")))]
        has_sage = any(change.name == "sageattention" and change.after for change in made.changes)
        assert has_sage or not any("--use-sage-attention" in str(text) for text in (*told, *starts))
        assert made.summary is not None
        assert has_sage != made.summary.code.endswith(("-partly", "-decide"))
