"""Which AI application a Python belongs to, told by the files around it. Folder names alone never decide.

Layouts: ComfyUI's release workflow, the applications' own sources and public logs.
"""

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.probes.look import Look

MAX_ANCESTORS: Final = 5
MAX_SCRIPTS: Final = 16

_VERSION: Final = re.compile(r"^\s*(?:__version__|version)\s*=\s*['\"]([0-9][^'\"\s]{0,40})['\"]", re.MULTILINE)
_ATTENTION: Final = re.compile(
    r"(?<![\w-])--(?:use-[a-z0-9-]*attention[a-z0-9-]*|sage(?:-attn|-attention)?|xformers|flash(?:-attn|-attention)?|attention(?=[ =]))\b"
)
_STARTS_PYTHON: Final = re.compile(r"(main\.py|webui|launch\.py|demo_gradio|wgp\.py|COMMANDLINE_ARGS)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class App:
    """`root` is the folder a person knows as the application, `code` the one its program lies in."""

    code_name: str
    root: str
    code: str
    scripts: str | None = None


class Neighbours:
    """Names in folders, each listed once: many Pythons share their ancestors."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._listed: dict[str, frozenset[str]] = {}

    def of(self, folder: str) -> frozenset[str]:
        """Names in lower case, folders with a trailing `/`."""
        key = self.look.same(folder)
        if key not in self._listed:
            self._listed[key] = frozenset(name.lower() for name in self.look.names(folder) or ())
        return self._listed[key]

    def ancestors(self, folder: str) -> list[str]:
        """The folders above, nearest first, the drive's root included."""
        above = []
        for _ in range(MAX_ANCESTORS):
            parent = self.look.parent(folder)
            if not parent or self.look.same(parent) == self.look.same(folder):
                break
            above.append(parent)
            folder = parent
        return above


def find_app(near: Neighbours, root: str) -> App | None:
    """The application around the Python whose prefix is `root`; None: it stands alone."""
    above = near.ancestors(root)
    for rule in (_stability_matrix, _pinokio, _swarm, _aki, _desktop, _portable, _one_click, _project):
        found = rule(near, root, above)
        if found is not None:
            return found
    return None


def _holds_comfyui(names: frozenset[str]) -> bool:
    return "main.py" in names and "comfy/" in names


def _comfyui_code(near: Neighbours, folder: str) -> str | None:
    """The folder with ComfyUI's main.py: this one, or ComfyUI in it."""
    if _holds_comfyui(near.of(folder)):
        return folder
    inner = near.look.join(folder, "ComfyUI")
    return inner if "comfyui/" in near.of(folder) and _holds_comfyui(near.of(inner)) else None


def _stability_matrix(near: Neighbours, root: str, above: list[str]) -> App | None:
    for package, packages, library in zip([root, *above], above, above[1:], strict=False):
        if near.look.name(packages).lower() != "packages":
            continue
        around = near.of(library) | near.of(near.look.parent(library))
        if around & {".sm-portable", "stabilitymatrix.exe", "settings.json"} and near.of(library) & {"assets/", "models/"}:
            return App("stability-matrix", package, package)
    return None


def _pinokio(near: Neighbours, root: str, above: list[str]) -> App | None:
    for folder, home in itertools.pairwise(above):
        if near.look.name(folder).lower() == "api" and "bin/" in near.of(home) and near.of(home) & {"cache/", "drive/"}:
            return App("pinokio", above[0], above[0])
    return None


def _swarm(near: Neighbours, root: str, above: list[str]) -> App | None:
    for folder, backends, swarm in zip(above, above[1:], above[2:], strict=False):
        if near.look.name(backends).lower() == "dlbackend" and near.of(swarm) & {"swarmui.sln", "swarmui.exe", "launch-windows.bat", "launch-linux.sh", "src/"}:
            code = _comfyui_code(near, folder)
            return App("swarmui", folder, code or folder)
    return None


def _aki(near: Neighbours, root: str, above: list[str]) -> App | None:
    pack = above[0] if above else ""
    if pack and any(name.endswith(".exe") and "绘世启动器" in name for name in near.of(pack)):
        code = _comfyui_code(near, pack) or pack
        return App("aki", code, code, pack)
    return None


def _desktop(near: Neighbours, root: str, above: list[str]) -> App | None:
    if not above:
        return None
    parent, names = above[0], near.of(above[0])
    if near.look.name(root).lower() == "standalone-env":
        code = _comfyui_code(near, parent)
        return App("comfyui-desktop", code, code) if code else None
    if _holds_comfyui(names):
        installs = len(above) > 2 and near.look.name(above[2]).lower() in ("comfyui-installs", "comfy-desktop")
        return App("comfyui-desktop", parent, parent) if installs or (len(above) > 1 and "standalone-env/" in near.of(above[1])) else None
    # The older Desktop keeps only the person's own files here; its program lies elsewhere.
    if near.look.name(root).lower() == ".venv" and {"custom_nodes/", "models/", "user/"} <= names:
        return App("comfyui-desktop", parent, parent)
    return None


def _portable(near: Neighbours, root: str, above: list[str]) -> App | None:
    if not above or not near.look.name(root).lower().startswith("python"):
        return None
    pack, names = above[0], near.of(above[0])
    code = _comfyui_code(near, pack)
    if code is not None:
        return App("comfyui-portable", pack, code, pack)
    if "fooocus/" in names and "entry_with_update.py" in near.of(near.look.join(pack, "Fooocus")):
        return App("fooocus", pack, near.look.join(pack, "Fooocus"), pack)
    return None


def _one_click(near: Neighbours, root: str, above: list[str]) -> App | None:
    """`system\\python` with `webui` beside `system`: the packages of Forge and FramePack."""
    if len(above) < 2 or near.look.name(above[0]).lower() != "system" or "webui/" not in near.of(above[1]):
        return None
    code = near.look.join(above[1], "webui")
    kind = project_kind(near.of(code))
    if kind is None:
        return None
    return App(kind, above[1] if kind == "framepack" else code, code, above[1])


def _project(near: Neighbours, root: str, above: list[str]) -> App | None:
    """A venv inside the project it serves, or one folder beside its code."""
    for folder in above[:2]:
        kind = project_kind(near.of(folder))
        if kind is not None:
            return App(kind, folder, folder, folder)
        # A repository that keeps its code one folder deeper, such as `<root>/venv` and `<root>/app`.
        for inner in ("app", "webui", "ComfyUI", "src"):
            if f"{inner.lower()}/" in near.of(folder) and folder == above[0]:
                code = near.look.join(folder, inner)
                kind = project_kind(near.of(code))
                if kind is not None:
                    return App(kind, folder, code, folder)
    return None


_PROJECTS: Final[tuple[tuple[str, Callable[[frozenset[str]], bool]], ...]] = (
    ("comfyui", _holds_comfyui),
    ("reforge", lambda names: {"webui.py", "modules_forge/", "ldm_patched/"} <= names and "backend/" not in names),
    ("forge", lambda names: {"webui.py", "modules_forge/"} <= names),
    ("sdnext", lambda names: {"webui.py", "installer.py", "modules/"} <= names),
    ("a1111", lambda names: {"webui.py", "modules/"} <= names),
    ("wan2gp", lambda names: "wgp.py" in names),
    ("framepack", lambda names: "diffusers_helper/" in names and any(name.startswith("demo_gradio") for name in names)),
    ("musubi-tuner", lambda names: any(name.endswith(("wan_train_network.py", "hv_train_network.py")) for name in names) or "musubi_tuner/" in names),
    ("invokeai", lambda names: "invokeai.yaml" in names),
    ("fooocus", lambda names: "entry_with_update.py" in names and "fooocus_version.py" in names),
    ("kohya", lambda names: "kohya_gui.py" in names or {"sd_scripts/", "networks/"} <= names or {"train_network.py", "library/"} <= names),
    ("swarmui", lambda names: "swarmui.sln" in names),
)


def project_kind(names: frozenset[str]) -> str | None:
    """What a project folder holds, by names that only this project has together."""
    return next((kind for kind, fits in _PROJECTS if fits(names)), None)


def app_version(near: Neighbours, app: App) -> str | None:
    """As the application's own files say it."""
    names = near.of(app.code)
    for file in ("comfyui_version.py", "fooocus_version.py", "pyproject.toml"):
        if file in names:
            found = _VERSION.search(near.look.text(near.look.join(app.code, file), 8192) or "")
            if found:
                return found[1]
    return None


def attention_flags(near: Neighbours, app: App) -> tuple[str, ...]:
    """Attention options in its start scripts and settings."""
    look, flags = near.look, set()
    for folder in dict.fromkeys(filter(None, (app.scripts, app.root, app.code))):
        scripts = sorted(name for name in near.of(folder) if name.endswith((".bat", ".cmd", ".ps1", ".sh")))
        for name in scripts[:MAX_SCRIPTS]:
            flags.update(flags_of_script(look.text(look.join(folder, name), 16384) or ""))
    if app.code_name == "comfyui-desktop":
        flags.update(flags_of_settings(look.text(look.join(app.root, "user", "default", "comfy.settings.json"), 1 << 18) or ""))
    return tuple(sorted(flags))


def flags_of_script(text: str) -> set[str]:
    """Of the lines that start the program; comments do not count."""
    flags = set()
    for line in text.splitlines():
        plain = line.strip()
        if plain.lower().startswith(("rem ", "::", "#", "@rem ")) or not _STARTS_PYTHON.search(plain):
            continue
        flags.update(_ATTENTION.findall(plain))
    return flags


def flags_of_settings(text: str) -> set[str]:
    """Of the older Desktop's settings: an object of option names without their dashes."""
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        return set()
    arguments = settings.get("Comfy.Server.LaunchArgs") if isinstance(settings, dict) else None
    names = (f"--{name}" for name in arguments) if isinstance(arguments, dict) else ()
    return {name for name in names if _ATTENTION.fullmatch(name)}
