"""Repairs of the person's .wslconfig: only keys whose value is wrong for what is wanted."""

from typing import Final

from app.model.facts import Wsl
from app.model.plan import Goal, Step, Where
from app.model.text import Text
from app.model.unknown import known
from app.planning.situation import Situation
from app.planning.steps import undo

GIB: Final = 1 << 30


def config_steps(case: Situation, wsl: Wsl | None) -> list[Step]:
    """The step that sets them, if any is wrong; its title names the first."""
    settings = known(wsl.wslconfig, None) if wsl and wsl.wslconfig is not None else None
    values = {key.lower(): value for key, value in settings.items()} if settings else {}
    repairs: dict[str, str] = {}
    memory = values.get("memory", "").strip()
    total = known(case.facts.memory, None)
    total_bytes = known(total.total_bytes, None) if total else None
    if memory and (memory.isdigit() or _is_small(memory)) and total_bytes:
        repairs["memory"] = memory_limit(total_bytes)
    if values.get("gpusupport", "").strip().lower() == "false":
        repairs["gpuSupport"] = "true"
    repairs |= _localhost_repairs(case, values)
    profile = known(case.facts.os.user_profile, None)
    if not repairs or not profile:
        return []
    key, value = next(iter(repairs.items()))
    arguments: dict[str, str | dict[str, str]] = {"path": f"{profile}\\.wslconfig", "values": repairs}
    words = Text("step.wsl-config", {"key": key, "value": value})
    return [Step("wsl-config", "wsl-config", words, where=Where.FILE, undo=undo("file"), arguments=arguments, weight=0.1)]


def memory_limit(total_bytes: int) -> str:
    """The `memory` value for a machine: two thirds of it, at least 8 GB where there are 12, always 4 GB left to Windows.

    WSL's own default is half of the machine (learn.microsoft.com/windows/wsl/wsl-config), too little to load large models.
    """
    total = total_bytes // GIB
    wanted = max(total * 2 // 3, min(8, total - 4))
    return f"{max(2, min(wanted, total - 4))}GB"


def _is_small(memory: str) -> bool:
    return memory[:-2].isdigit() and memory[-2:].upper() in {"KB", "MB", "GB"} and not (memory[-2:].upper() == "GB" and int(memory[:-2]) >= 6)


def _localhost_repairs(case: Situation, values: dict[str, str]) -> dict[str, str]:
    """Keys of .wslconfig, lower-cased, that keep the browser of Windows from a server in WSL; with mirrored networking none does."""
    serves = bool({Goal.COMFYUI, Goal.VLLM} & set(case.choice.goals))
    mirrored = values.get("networkingmode", "").strip().lower() == "mirrored"
    off = values.get("localhostforwarding", "").strip().lower() == "false"
    return {"localhostForwarding": "true"} if serves and off and not mirrored else {}
