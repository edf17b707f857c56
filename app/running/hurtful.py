"""Settings of this person or machine that would hurt what was installed, named once it is. None of them is changed.

Every step of ours runs without them, so nothing else would show them before the person's own programs meet them.
What each does: triton/knobs.py, torch/_dynamo/config.py and eval_frame.py, pip's configuration manual, Python's command line manual.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from app.host.credentials import without_credentials
from app.host.protocol import Readings
from app.model.problem import Cancelled, Problem
from app.model.text import Text
from app.resources import assets
from app.running.run import Run, list_argument
from app.running.settings import pip_settings
from app.running.target import Target

_ON: Final = frozenset({"1", "true", "yes", "on", "y"})
_SWITCHES: Final[Mapping[str, str]] = {
    "TRITON_INTERPRET": "run.hurts-interpreter",
    "TRITON_ALWAYS_COMPILE": "run.hurts-compiles-again",
    "TORCH_COMPILE_DISABLE": "run.hurts-no-compile",
    "TORCHDYNAMO_DISABLE": "run.hurts-no-compile",
    "CUDA_LAUNCH_BLOCKING": "run.hurts-waits",
}
_FILES: Final = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "TRITON_CUOBJDUMP_PATH", "TRITON_NVDISASM_PATH")
_FOLDERS: Final = ("CUDA_PATH", "CUDA_HOME", "TRITON_LIBCUDA_PATH")
_CACHES: Final = ("TRITON_HOME", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
_ELSEWHERE: Final = ("user", "target", "prefix", "root")
_LONGEST: Final = 200
_START_S: Final = 30.0


def find_hurtful(run: Run, target: Target) -> tuple[Text, ...]:
    """One text for each setting that gets in the way of the environment; empty where none does. Never raises."""
    found: list[Text] = []
    for look in (_variables, _pip, _foreign_modules):
        # What cannot be looked at is no reason to doubt a change that was tested.
        with contextlib.suppress(Problem, Cancelled, OSError, ValueError):
            found.extend(look(run, target))
    return tuple(found)


def _variables(run: Run, _: Target) -> Iterator[Text]:
    values = _upper(run.host)
    for name, code in _SWITCHES.items():
        if values.get(name, "").strip().lower() in _ON:
            yield _text(code, name, values[name])
    if values.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        yield _text("run.hurts-no-card", "CUDA_VISIBLE_DEVICES", values["CUDA_VISIBLE_DEVICES"])
    for name in (*_FILES, *_FOLDERS):
        if (value := _path_in(values, name)) and not (Path(value).is_file() if name in _FILES else Path(value).is_dir()):
            yield _text("run.hurts-leads-nowhere", name, value)
    if (compiler := _path_in(values, "CC")) and shutil.which(compiler) is None:
        yield _text("run.hurts-leads-nowhere", "CC", compiler)
    for name in _CACHES:
        if (value := _path_in(values, name)) and not _can_be_made(Path(value)):
            yield _text("run.hurts-no-cache", name, value)


def _path_in(values: Mapping[str, str], name: str) -> str:
    return values.get(name, "").strip().strip('"')


def _can_be_made(folder: Path) -> bool:
    """Whether the folder is there or could be, as far as rights and drives tell."""
    near = next((place for place in (folder, *folder.parents) if place.exists()), None)
    return near is not None and near.is_dir() and os.access(near, os.W_OK)


def _pip(run: Run, target: Target) -> Iterator[Text]:
    """What pip is told for every install: an app's own update would then go elsewhere, or fail."""
    for name, (value, place) in pip_settings(run.host, target.root).items():
        if name in _ELSEWHERE and value.strip().lower() not in ("", "0", "false", "no", "off"):
            yield _text("run.hurts-pip-elsewhere", f"{name} = {value}", place)
        elif name == "require-virtualenv" and value.strip().lower() in _ON and not target.is_virtual:
            yield _text("run.hurts-pip-refuses", f"{name} = {value}", place)


def _foreign_modules(run: Run, target: Target) -> Iterator[Text]:
    """Starts the Python as the person does, with their own variables, and looks where it would take the modules from."""
    values = _upper(run.host)
    own = {name: value for name, value in values.items() if name.startswith("PYTHON")}
    modules = dict.fromkeys(name.partition(".")[0] for step in run.plan.steps if step.kind == "smoke-test" for name in list_argument(step, "modules"))
    argv = [target.executable, "-B", str(assets() / "payloads" / "find_modules.py"), *modules]
    # An empty value counts as none for Python, and takes back what is set for every other child.
    answer = run.answer(lambda: run.host.query(argv, _START_S, {"PYTHONNOUSERSITE": "", "PYTHONUTF8": "1", **own}))
    if answer.exit_code != 0:
        if "PYTHONHOME" in own:
            yield _text("run.hurts-pythonhome", "PYTHONHOME", own["PYTHONHOME"])
        return
    said = json.loads(answer.stdout.decode(errors="replace").strip().splitlines()[-1])
    for module, place in said["modules"].items():
        if place is None or _is_below(place, str(target.root)) or _is_below(place, target.purelib) or _is_below(place, target.platlib):
            continue
        if _is_below(place, said["user_site"] or ""):
            yield Text("run.hurts-user-site", {"module": module, "value": _shown(place)})
        elif any(_is_below(place, entry) for entry in own.get("PYTHONPATH", "").split(os.pathsep)):
            yield Text("run.hurts-pythonpath", {"module": module, "value": _shown(place)})
        else:
            yield Text("run.hurts-foreign-module", {"module": module, "value": _shown(place)})


def _is_below(path: str, folder: str) -> bool:
    return bool(folder) and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _upper(host: Readings) -> dict[str, str]:
    return {name.upper(): value for name, value in host.environment().items()}


def _text(code: str, name: str, value: str) -> Text:
    return Text(code, {"name": _shown(name), "value": _shown(value)})


def _shown(value: str) -> str:
    return without_credentials(value)[:_LONGEST]
