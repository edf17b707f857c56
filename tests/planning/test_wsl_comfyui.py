"""ComfyUI inside WSL: what is planned, what the models cost, how Windows reaches it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.model.facts import Memory
from app.model.plan import Goal, ModelFolders, Plan, RouteKind
from app.planning.wsl_comfyui import linux_path
from app.planning.wsl_config import GIB, memory_limit
from tests.planning.build import TABLES, kinds, machine, plan, portable, python, wsl

COMFYUI = (Goal.TRITON, Goal.COMFYUI)


def planned(*pythons: object, **choice: object) -> Plan:
    return plan(machine(*pythons, wsl=wsl()), *COMFYUI, route=RouteKind.WSL2, **choice)


def argv(made: Plan, name: str) -> tuple[str, ...]:
    return next(step.argv for step in made.steps if step.id == name)


def reasons(made: Plan) -> dict[str, object]:
    return {one.code: one.text.params for verdict in made.routes if verdict.route is RouteKind.WSL2 for one in verdict.reasons}


def test_models_are_read_where_they_are_unless_a_copy_is_chosen() -> None:
    linked = planned(portable())
    written = json.loads(argv(linked, "wsl-models")[-1])
    assert written["windows"]["base_path"] == "/mnt/d/ComfyUI_windows_portable/ComfyUI/models"
    assert set(TABLES.comfyui.model_folders) < set(written["windows"])
    assert "--extra-model-paths-config" in argv(linked, "wsl-comfyui-test")
    assert reasons(linked)["wsl-models-linked"] == {"folder": "D:\\ComfyUI_windows_portable\\ComfyUI\\models"}
    (option,) = linked.options
    assert option.choice.models is ModelFolders.COPY
    copied = planned(portable(), models=option.choice.models)
    assert "wsl-copy-models" in kinds(copied)
    assert "--extra-model-paths-config" not in argv(copied, "wsl-comfyui-test")
    assert "wsl-models-copied" in reasons(copied)
    assert [one.choice.models for one in copied.options] == [ModelFolders.LINK]


def test_without_a_comfyui_on_windows_or_where_linux_cannot_reach_it_nothing_is_linked() -> None:
    network = portable(app_root="\\\\nas\\share\\ComfyUI_windows_portable")
    for made in (planned(python()), planned(network)):
        assert "wsl-models" not in {step.id for step in made.steps}
        assert "wsl-models-none" in reasons(made)
        assert made.options == ()


def test_the_chosen_comfyui_is_the_one_whose_models_count() -> None:
    other = python(executable="E:\\Comfy\\venv\\Scripts\\python.exe", app="comfyui", app_root="E:\\Comfy")
    made = planned(portable(), other, comfyui="E:\\Comfy")
    assert reasons(made)["wsl-models-linked"] == {"folder": "E:\\Comfy\\models"}


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("git"), reason="sh and git, as in the distro")
@pytest.mark.parametrize(
    ("made", "is_kept"), [(None, False), ("output/picture.png", True), ("models/loras/own.safetensors", True), ("user/comfyui.log", False)]
)
def test_taking_comfyui_away_keeps_what_a_person_made(tmp_path: Path, made: str | None, is_kept: bool) -> None:
    home = tmp_path / "ComfyUI"
    (home / "output").mkdir(parents=True)
    (home / "output/_output_images_will_be_put_here").touch()
    (home / ".gitignore").write_text("__pycache__/\n/output/\n/models/\n/user/\n!/output/_output_images_will_be_put_here\n")
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-C", str(home))
    for command in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-q", "-m", "x")):
        subprocess.run([*git, *command], check=True)
    (home / "custom_nodes/__pycache__").mkdir(parents=True)
    (home / "custom_nodes/__pycache__/node.pyc").touch()
    if made:
        (home / made).parent.mkdir(parents=True, exist_ok=True)
        (home / made).write_text("mine")
    step = next(step for step in planned(portable()).steps if step.id == "wsl-comfyui")
    *take_away, _ = step.arguments["undo"]
    for _ in range(2):
        subprocess.run([*take_away, str(home)], check=True)
    assert not home.exists()
    kept = list(tmp_path.glob("ComfyUI.undone-*"))
    assert len(kept) == is_kept
    assert all((folder / str(made)).read_text() == "mine" for folder in kept)


def test_it_listens_on_this_pc_only_and_starts_from_windows() -> None:
    made = planned(portable())
    start = argv(made, "wsl-comfyui-test")
    assert start[start.index("--listen") + 1] == "127.0.0.1"
    assert "--use-sage-attention" in start
    launcher = next(step for step in made.steps if step.kind == "write-launcher")
    content = str(launcher.arguments["content"])
    assert "wsl.exe" in content
    assert "--listen 127.0.0.1 --port 8188" in content
    assert launcher.arguments["path"] == "C:\\Users\\user\\TritonSetup\\run_comfyui_wsl.cmd"


def test_torch_and_what_fits_only_it_are_pinned_together() -> None:
    made = planned(portable())
    torch = made.packages["torch"]
    (vision,) = [pin for pin in argv(made, "wsl-torch") if pin.startswith("torchvision==")]
    minor, _, patch = vision.removeprefix("torchvision==").rpartition(".")
    assert minor == next(row.vision for row in TABLES.torch if torch.startswith(row.minor))
    assert patch == torch.rpartition(".")[2], "patch and build are torch's own"
    assert f"torch=={torch}" in argv(made, "wsl-comfyui-packages")


@pytest.mark.parametrize(
    ("settings", "repaired"), [({"localhostForwarding": "false"}, True), ({"localhostForwarding": "false", "networkingMode": "Mirrored"}, False)]
)
def test_a_switched_off_way_from_the_browser_is_switched_on_where_it_counts(settings: dict[str, str], repaired: bool) -> None:
    facts = machine(portable(), wsl=wsl(wslconfig=settings))
    assert ("wsl-config" in kinds(plan(facts, *COMFYUI, route=RouteKind.WSL2))) is repaired
    assert "wsl-config" not in kinds(plan(facts, Goal.TRITON, route=RouteKind.WSL2))


@pytest.mark.parametrize(("windows", "linux"), [("D:\\a b\\c", "/mnt/d/a b/c"), ("c:\\x", "/mnt/c/x")])
def test_a_folder_of_a_drive_as_linux_sees_it(windows: str, linux: str) -> None:
    assert linux_path(windows) == linux


@pytest.mark.parametrize(("total", "limit"), [(64, "42GB"), (32, "21GB"), (16, "10GB"), (12, "8GB"), (8, "4GB"), (4, "2GB")])
def test_the_memory_limit_follows_the_machine_and_leaves_windows_room(total: int, limit: str) -> None:
    assert memory_limit(total * GIB) == limit
    facts = machine(wsl=wsl(wslconfig={"memory": "2GB"}), memory=Memory(total * GIB))
    made = plan(facts, route=RouteKind.WSL2)
    assert next(step for step in made.steps if step.kind == "wsl-config").arguments["values"] == {"memory": limit}
