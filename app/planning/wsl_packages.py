"""What goes into a distro of WSL2, in exact versions, and where it comes from."""

from dataclasses import dataclass

from app.model.facts import Distro
from app.model.unknown import UNKNOWN, known
from app.planning.situation import Situation
from app.planning.vllm import is_vllm_alone
from app.planning.work import Origin, Pin, Work
from app.tables.builds import minor_of
from app.tables.fits import Wish, code_for_gpu, pick_torch
from app.tables.machine import driver_version, main_capability


@dataclass(frozen=True, slots=True)
class LinuxPackages:
    """Exact versions for the environment inside the distro, and the build to ask PyTorch's own index for ("": torch of the usual index)."""

    packages: dict[str, str]
    tag: str = ""

    @property
    def work(self) -> Work:
        """The same as pins, to ask where they come from."""
        own = {"torch"} if self.tag else set()
        pins = (
            Pin(name, version, f"{name}=={version}", Origin.TORCH_INDEX if name in own else Origin.INDEX, "torch-chosen")
            for name, version in self.packages.items()
        )
        return Work(pins=tuple(pins), tag=self.tag)


def usual_index(case: Situation) -> tuple[str, ...]:
    """pip's option for the chosen index, else for the one that Windows' own pip uses: Linux does not know its settings."""
    network = known(case.facts.network, None)
    url = case.choice.index_url or (known(network.index_url, None) if network else None)
    return ("--index-url", url) if url else ()


def linux_packages(case: Situation, distro: Distro | None) -> LinuxPackages | None:
    """torch and Triton for Linux on this card and driver, for the Python of the distro. None: not known or none fits.

    The driver is that of Windows, and so are its numbers.
    """
    if is_vllm_alone(case):
        row = case.tables.vllm_linux
        return LinuxPackages({"vllm": row.version, "torch": row.torch, "triton": row.triton})
    capability, driver = main_capability(case.facts), driver_version(case.facts)
    if capability is UNKNOWN or capability is None or driver is UNKNOWN:
        return None
    python = minor_of(known(distro.python, None) or "" if distro else "") or case.tables.wsl.python
    picked = pick_torch(case.tables, Wish(capability, driver, "x86_64", (python,), windows=False, windows_driver=True, only=case.choice.torch_version or ""))
    if picked is None:
        return None
    pick, _ = picked
    usual = pick.row.linux[0] == pick.tag
    patch = pick.version.partition("+")[0]
    packages = {"torch": patch if usual else pick.version, "triton": pick.row.triton[patch]}
    if case.choice.wants_sage:
        packages |= portable_sage(case, capability)
    return LinuxPackages(packages, "" if usual else pick.tag)


def portable_sage(case: Situation, capability: tuple[int, int]) -> dict[str, str]:
    """SageAttention for Linux: version 1, where it has code for the card."""
    row = case.tables.sage_portable
    return {"sageattention": row.version} if code_for_gpu(row.gpus, capability) else {}
