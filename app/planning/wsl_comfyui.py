"""ComfyUI inside WSL: its sources, its packages, the models of Windows, a start file on Windows, and a first start that Windows reaches.

kind             arguments
wsl-copy-models  distro, source (folder on Windows), from_folder (the same, as Linux sees it), folder, room_folder
wsl-serve-once   distro, command, port, path
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace

from app.model.facts import Python
from app.model.plan import Attention, Goal, ModelFolders, Option, Reason, Step, Where
from app.model.unknown import known
from app.planning import options
from app.planning.comfyui import flag_for, layout_of
from app.planning.draft import reason
from app.planning.situation import Situation
from app.planning.steps import title, undo
from app.planning.target import COMFYUI_APPS
from app.tables.builds import minor_of
from app.tables.fits import torch_row, vision_for
from app.tables.machine import own_pythons, path

Command = Callable[..., Step]
"""Makes a step that runs a command in the distro: id, key of its title, command, and what `_Inside.command` takes besides."""

_DRIVE = re.compile(r"([A-Za-z]):\\")
_WRITE = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2], encoding='utf-8')"
_MADE_BY_PEOPLE = "output input models custom_nodes user/default/workflows"
_REMOVE = (
    'cd "$0" 2>/dev/null || exit 0; '
    f"made=$(git status --porcelain --ignored --untracked-files=all -- {_MADE_BY_PEOPLE} | grep -v -e __pycache__ | head -n 1); "
    'cd /; if [ -z "$made" ]; then rm -rf "$0"; else mv "$0" "$0.undone-$(date +%Y%m%d-%H%M%S)"; fi'
)
"""Takes ComfyUI away again. Where somebody has made or put something in it, it is set aside instead."""

LAUNCHER = "run_comfyui_wsl.cmd"


def is_wanted(case: Situation) -> bool:
    return Goal.COMFYUI in case.choice.goals


def torch_pins(case: Situation, torch: str) -> list[str]:
    """What ComfyUI needs beside torch that only fits one torch."""
    row = torch_row(case.tables, minor_of(torch))
    return [f"torchvision=={vision_for(row, torch)}"] if row else []


def models_of(case: Situation) -> str | None:
    """The folder of models of the ComfyUI on Windows: of the chosen one, else of the first. None where Linux could not reach it."""
    apps = [python for _, python in own_pythons(case.facts) if known(python.app, None) in COMFYUI_APPS and known(python.app_root, None)]
    chosen = [python for python in apps if case.choice.comfyui and known(python.app_root, None) == case.choice.comfyui]
    roots = [*(_main_folder(case, python) for python in chosen or apps), *([case.choice.comfyui] if case.choice.comfyui else [])]
    folder = f"{roots[0]}\\models" if roots else None
    return folder if folder and _DRIVE.match(folder) else None


def _main_folder(case: Situation, python: Python) -> str:
    """Where main.py lies: models are beside it."""
    root, layout = known(python.app_root, None) or "", layout_of(case, python)
    inside = layout.main.rpartition("\\")[0] if layout else ""
    return path(case.facts, root) / inside if inside else root.rstrip("\\")


def linux_path(windows: str) -> str:
    """A folder of a drive as a distro sees it (learn.microsoft.com/windows/wsl/filesystems)."""
    return f"/mnt/{windows[0].lower()}/{windows[3:].replace(chr(92), '/')}"


def comfyui_steps(case: Situation, distro: str, folder: str, pins: list[str], command: Command) -> list[Step]:
    """The steps after torch and Triton are there. `folder` is the environment's; ComfyUI lies beside it."""
    rules, python = case.tables.comfyui, f"{folder}/bin/python"
    home = f"{folder.rpartition('/')[0]}/ComfyUI"
    clone = ("git", "clone", "--depth", "1", "--branch", f"v{rules.version}", rules.repository, home)
    pip = (python, "-m", "pip", "install", "--progress-bar", "raw", "-r", f"{home}/requirements.txt", *pins)
    start = _start(case, python, home, has_sage=any(pin.startswith("sageattention==") for pin in pins))
    serve: dict[str, str | int | tuple[str, ...]] = {"distro": distro, "command": start, "port": rules.port, "path": "/system_stats"}
    fetch = command("wsl-comfyui", "wsl-comfyui", clone, size=None, taken_back=("sh", "-c", _REMOVE, home), makes=f"{home}/main.py", packages=rules.version)
    return [
        replace(fetch, undo=undo("wsl-comfyui")),
        command("wsl-comfyui-packages", "wsl-comfyui-packages", pip, size=None),
        *_models(case, distro, home, python, command),
        *_launcher(case, distro, home, start),
        Step(
            "wsl-comfyui-test",
            "wsl-serve-once",
            title("wsl-comfyui-test", port=rules.port),
            _inside(distro, start),
            Where.WSL,
            arguments=serve,
            weight=3.0,
        ),
    ]


def _inside(distro: str, command: tuple[str, ...]) -> tuple[str, ...]:
    return ("wsl.exe", "-d", distro, "-u", "root", "--cd", "~", "-e", *command)


def _start(case: Situation, python: str, home: str, *, has_sage: bool) -> tuple[str, ...]:
    """Listens on this PC only; WSL forwards localhost of Windows to it. ComfyUI ends at once where it is told to use what is not there."""
    models = ("--extra-model-paths-config", _paths_file(home)) if _is_linked(case) else ()
    attention = (flag_for(case),) if case.choice.attention is Attention.INT8 or has_sage else ()
    return (python, f"{home}/main.py", "--listen", "127.0.0.1", "--port", str(case.tables.comfyui.port), *models, *attention)


def _is_linked(case: Situation) -> bool:
    return models_of(case) is not None and case.choice.models is not ModelFolders.COPY


def _paths_file(home: str) -> str:
    return f"{home}/extra_model_paths.yaml"


def _models(case: Situation, distro: str, home: str, python: str, command: Command) -> list[Step]:
    models = models_of(case)
    if models is None:
        return []
    if _is_linked(case):
        folders = {name: name for name in case.tables.comfyui.model_folders}
        content = json.dumps({"windows": {"base_path": linux_path(models), **folders}}, ensure_ascii=False)
        return [command("wsl-models", "wsl-models-linked", (python, "-c", _WRITE, _paths_file(home), content))]
    arguments = {"distro": distro, "source": models, "from_folder": linux_path(models), "folder": f"{home}/models", "room_folder": _room_folder(case)}
    copy = _inside(distro, ("cp", "-r", "--no-clobber", f"{linux_path(models)}/.", f"{home}/models"))
    words = title("wsl-models-copied", folder=models)
    return [Step("wsl-models", "wsl-copy-models", words, copy, Where.WSL, undo=undo("wsl-comfyui"), arguments=arguments, weight=20.0)]


def _room_folder(case: Situation) -> str:
    """On the drive that the disks of distros lie on where nobody moved them: the system's."""
    return known(case.facts.os.user_profile, None) or "C:\\"


def _launcher(case: Situation, distro: str, home: str, start: tuple[str, ...]) -> list[Step]:
    profile = known(case.facts.os.user_profile, None)
    if not profile:
        return []
    program = '"%SystemRoot%\\System32\\wsl.exe"'
    name = distro if distro.replace("-", "").replace(".", "").isalnum() else '"' + distro.replace("%", "%%") + '"'
    line = f"{program} -d {name} -u root --cd {home} -e {' '.join(start)} %*"
    content = "\r\n".join(["@echo off", "rem Made by Triton Setup. It may be deleted at any time.", line, "pause", ""])
    file = path(case.facts, profile) / f"TritonSetup\\{LAUNCHER}"
    arguments = {"path": file, "content": content, "encoding": "ascii"}
    return [Step("launcher", "write-launcher", title("write-launcher", file=LAUNCHER), where=Where.FILE, undo=undo("file"), arguments=arguments, weight=0.1)]


def comfyui_notes(case: Situation) -> tuple[Reason, ...]:
    """What a link or a copy of the models costs, and where ComfyUI will be."""
    if not is_wanted(case):
        return ()
    where = reason("wsl-comfyui", port=case.tables.comfyui.port, file=f"%USERPROFILE%\\TritonSetup\\{LAUNCHER}")
    models = models_of(case)
    if models is None:
        return (where, reason("wsl-models-none"))
    return (where, reason("wsl-models-linked" if _is_linked(case) else "wsl-models-copied", folder=models))


def comfyui_options(case: Situation) -> tuple[Option, ...]:
    """The other way to the models."""
    models = models_of(case) if is_wanted(case) else None
    if models is None:
        return ()
    other = ModelFolders.COPY if _is_linked(case) else ModelFolders.LINK
    return (options.option(f"models-{other.value}", case, {"folder": models}, models=other),)
