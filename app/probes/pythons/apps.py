"""Which AI application a Python belongs to, told by the files around it. Folder names alone never decide.

Layouts: ComfyUI's release workflow, the applications' own sources and public logs.
"""

import itertools
import json
import re
from dataclasses import dataclass
from typing import Final

from app.probes.look import Look
from app.probes.pythons.places import json_value
from app.probes.pythons.projects import holds_comfyui, project_kind

MAX_ANCESTORS: Final = 5
MAX_SCRIPTS: Final = 16
MAX_SIBLINGS: Final = 24
"""A folder with more subfolders than this is a collection; what lies beside an environment there says nothing about it."""

_VERSION: Final = re.compile(r"^\s*(?:__version__|version)\s*=\s*['\"]([0-9][^'\"\s]{0,40})['\"]", re.MULTILINE)
_ATTENTION: Final = re.compile(
    r"(?<![\w-])--(?:use-[a-z0-9-]*attention[a-z0-9-]*|sage(?:-attn|-attention)?|xformers|flash(?:-attn|-attention)?|attention(?=[ =]))\b"
)
_VENV_DIR: Final = re.compile(r"^\s*set\s+\"?VENV_DIR=([^\r\n]+)", re.IGNORECASE | re.MULTILINE)
START_SCRIPT: Final = "webui-user.bat"

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
        self._listed: dict[str, tuple[str, ...]] = {}
        self._lower: dict[str, frozenset[str]] = {}
        self._desktop_base: str | None = None

    def of(self, folder: str) -> frozenset[str]:
        """Names in lower case, folders with a trailing `/`."""
        key = self.look.same(folder)
        if key not in self._lower:
            self._listed[key] = self.look.names(folder) or ()
            self._lower[key] = frozenset(name.lower() for name in self._listed[key])
        return self._lower[key]

    def folders_in(self, folder: str) -> list[str]:
        """Names of its subfolders as they are written, hidden ones left out."""
        self.of(folder)
        return [name[:-1] for name in self._listed[self.look.same(folder)] if name.endswith("/") and not name.startswith((".", "$"))]

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

    def is_drive_root(self, folder: str) -> bool:
        """Whether everything on a drive lies beside what lies here."""
        return self.look.same(self.look.parent(folder)) == self.look.same(folder)

    def desktop_base(self) -> str | None:
        """The folder that the older Desktop's own settings name."""
        if self._desktop_base is None:
            roaming = self.look.variable("APPDATA") if self.look.on_windows else None
            text = self.look.text(self.look.join(roaming, "ComfyUI", "config.json"), 1 << 18) if roaming else None
            self._desktop_base = json_value(text or "", "basePath") or ""
        return self._desktop_base or None


def find_app(near: Neighbours, root: str) -> App | None:
    """The application around the Python whose prefix is `root`; None: it stands alone."""
    above = near.ancestors(root)
    for rule in (_stability_matrix, _pinokio, _swarm, _aki, _desktop, _portable, _one_click, _project):
        found = rule(near, root, above)
        if found is not None:
            return found
    return None


def _comfyui_code(near: Neighbours, folder: str) -> str | None:
    """The folder with ComfyUI's main.py: this one, or ComfyUI in it."""
    if holds_comfyui(near.of(folder)):
        return folder
    inner = near.look.join(folder, "ComfyUI")
    return inner if "comfyui/" in near.of(folder) and holds_comfyui(near.of(inner)) else None


def _stability_matrix(near: Neighbours, root: str, above: list[str]) -> App | None:
    for package, packages, library in zip([root, *above], above, above[1:], strict=False):
        if near.look.name(packages).lower() != "packages":
            continue
        names = near.of(library)
        marked = (names | near.of(near.look.parent(library))) & {".sm-portable", "stabilitymatrix.exe", "settings.json"}
        if (marked and names & {"assets/", "models/"}) or ("assets/" in names and _is_toolbox(near.of(near.look.join(library, "Assets")))):
            return App("stability-matrix", package, package)
    return None


def _is_toolbox(names: frozenset[str]) -> bool:
    """StabilityMatrix keeps the tools of all packages in one folder: uv, and Pythons of its own."""
    return "uv/" in names or any(name.startswith("python") for name in names)


def _pinokio(near: Neighbours, root: str, above: list[str]) -> App | None:
    for folder, home in itertools.pairwise(above):
        if near.look.name(folder).lower() != "api" or "bin/" not in near.of(home):
            continue
        if near.of(home) & {"cache/", "drive/"} or near.of(near.look.join(home, "bin")) & {"miniforge/", "miniconda/"}:
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
    if holds_comfyui(names):
        installs = len(above) > 2 and near.look.name(above[2]).lower() in ("comfyui-installs", "comfy-desktop")
        return App("comfyui-desktop", parent, parent) if installs or (len(above) > 1 and "standalone-env/" in near.of(above[1])) else None
    # The older Desktop keeps only the person's own files here; its program lies elsewhere.
    if near.look.name(root).lower() != ".venv":
        return None
    base = near.desktop_base()
    if {"custom_nodes/", "models/", "user/"} <= names or (base is not None and near.look.same(base) == near.look.same(parent)):
        return App("comfyui-desktop", parent, parent)
    return None


def _portable(near: Neighbours, root: str, above: list[str]) -> App | None:
    if not above or not _is_of_a_pack(near, root, above[0]):
        return None
    pack, names = above[0], near.of(above[0])
    code = _comfyui_code(near, pack)
    if code is not None:
        return App("comfyui-portable", pack, code, pack)
    if "fooocus/" in names and "entry_with_update.py" in near.of(near.look.join(pack, "Fooocus")):
        return App("fooocus", pack, near.look.join(pack, "Fooocus"), pack)
    return None


def _is_of_a_pack(near: Neighbours, root: str, pack: str) -> bool:
    """Whether a Python was unpacked with what lies beside it, rather than installed near it or made in it."""
    names, name = near.of(root), near.look.name(root).lower()
    if not name.startswith("python") or names & {"pyvenv.cfg", "conda-meta/"}:
        return False
    return any(file.endswith("._pth") for file in names) or (name in ("python", "python_embeded", "python_embedded") and not near.is_drive_root(pack))


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
    """A Python inside the project it serves, or one folder beside its code."""
    # pixi keeps environments in `<project>/.pixi/envs`.
    pixi = above[2:3] if len(above) > 1 and near.look.name(above[1]).lower() == ".pixi" else []
    for folder in (*above[:2], *pixi):
        kind = project_kind(near.of(folder))
        if kind is not None:
            return App(kind, folder, folder, folder)
    return (_beside(near, root, above[0]) or _by_starter(near, root, above[0])) if above else None


def _beside(near: Neighbours, root: str, folder: str) -> App | None:
    """The one project beside an environment, such as `<root>/venv` and `<root>/ComfyUI`, if it has no environment of its own."""
    names = near.of(root)
    serves_one = "pyvenv.cfg" in names or ("conda-meta/" in names and "condabin/" not in names) or any(name.endswith("._pth") for name in names)
    if not (serves_one or near.look.name(root).lower() == "python"):
        return None
    children = near.folders_in(folder)
    if len(children) > MAX_SIBLINGS:
        return None
    found = []
    for child in children:
        code = near.look.join(folder, child)
        kind = project_kind(near.of(code))
        if kind is not None and not near.of(code) & {"venv/", ".venv/", "env/", "python_embeded/"}:
            found.append((kind, code))
    if len(found) != 1:
        return None
    kind, code = found[0]
    around = code if near.is_drive_root(folder) else folder
    return App(kind, around, code, around)


def _by_starter(near: Neighbours, root: str, folder: str) -> App | None:
    """InvokeAI writes its settings at its first start only; before that the start program in the environment it made tells."""
    if near.look.name(root).lower() != ".venv":
        return None
    scripts = near.of(near.look.join(root, "Scripts" if near.look.on_windows else "bin"))
    return App("invokeai", folder, folder) if scripts & {"invokeai-web.exe", "invokeai-web"} else None


def app_by_start_script(near: Neighbours, folder: str) -> tuple[App, str] | None:
    """A WebUI whose `webui-user.bat` names an environment elsewhere: the application, and that environment's folder."""
    kind = project_kind(near.of(folder))
    venv = venv_of_script(near.look.text(near.look.join(folder, START_SCRIPT), 16384) or "")
    return (App(kind, folder, folder, folder), venv) if kind is not None and near.look.paths.isabs(venv) else None


def venv_of_script(text: str) -> str:
    """The folder that a start script sets as VENV_DIR, as it is written there; empty where it sets none."""
    found = _VENV_DIR.search(text)
    return found[1].strip().strip('"') if found else ""


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
