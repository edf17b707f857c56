"""What a project folder holds, told by names that only this project has together."""

from collections.abc import Callable
from typing import Final


def holds_comfyui(names: frozenset[str]) -> bool:
    """Names in lower case, folders with a trailing `/`."""
    return "main.py" in names and "comfy/" in names


def _holds_framepack(names: frozenset[str]) -> bool:
    return "diffusers_helper/" in names and any(name.startswith(("demo_gradio", "studio.py")) for name in names)


def _holds_musubi_tuner(names: frozenset[str]) -> bool:
    # Its code lies in `src` since mid 2025, with the old names kept beside it.
    return "musubi_tuner/" in names or any(name.endswith(("wan_train_network.py", "hv_train_network.py")) for name in names)


_PROJECTS: Final[tuple[tuple[str, Callable[[frozenset[str]], bool]], ...]] = (
    ("comfyui", holds_comfyui),
    ("reforge", lambda names: {"webui.py", "modules_forge/", "ldm_patched/"} <= names and "backend/" not in names),
    ("forge", lambda names: {"webui.py", "modules_forge/"} <= names),
    ("sdnext", lambda names: {"webui.py", "installer.py", "modules/"} <= names),
    ("a1111", lambda names: {"webui.py", "modules/"} <= names),
    ("wan2gp", lambda names: "wgp.py" in names),
    ("framepack", _holds_framepack),
    ("musubi-tuner", _holds_musubi_tuner),
    ("invokeai", lambda names: "invokeai.yaml" in names),
    ("fooocus", lambda names: "entry_with_update.py" in names and "fooocus_version.py" in names),
    ("kohya", lambda names: "kohya_gui.py" in names or {"sd_scripts/", "networks/"} <= names or {"train_network.py", "library/"} <= names),
    ("swarmui", lambda names: "swarmui.sln" in names),
)


def project_kind(names: frozenset[str]) -> str | None:
    """The application whose project folder has these names; None: none that is known."""
    return next((kind for kind, fits in _PROJECTS if fits(names)), None)
