"""This machine with the registry of a Windows that the stand-in for wsl.exe keeps: what the WSL steps read there, and nothing else."""

from pathlib import Path
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from app.host.answers import RegistryKey
from app.host.live import LiveHost
from app.model.facts import Family
from app.running.wsl.own import LXSS
from tests.standins.wsl import StandIn


class WindowsLike(LiveHost):
    def __init__(self, standin: StandIn) -> None:
        super().__init__()
        self._standin = standin

    @property
    def family(self) -> Family:
        return "windows"

    def registry(self, key: str, view: Literal[32, 64] = 64, names: tuple[str, ...] | None = None) -> RegistryKey | None:
        state = self._standin.read()
        distros = {f"{{{uuid5(NAMESPACE_URL, name + where['location'])}}}": (name, where["location"]) for name, where in state["distros"].items()}
        if key == LXSS:
            return RegistryKey({}, tuple(distros))
        if key == f"{LXSS}\\InstallStatus":
            return RegistryKey({}, ()) if state["restart_due"] else None
        if key.startswith(f"{LXSS}\\{{"):
            name, location = distros[key.rpartition("\\")[2]]
            return RegistryKey({"DistributionName": name, "BasePath": f"\\\\?\\{Path(location)}"}, ())
        return RegistryKey({}, ()) if key.endswith("Lxss\\MSI") and state["kind"] == "package" else None
