"""What machine facts say in the terms of the tables: cards, driver, Pythons, paths. Pure; unknown stays unknown."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from app.model.facts import Disk, Gpu, MachineFacts, Python
from app.model.unknown import UNKNOWN, Maybe, known
from app.tables.builds import TorchBuild, numbers, torch_build

_NOT_WORKING = ("disabled", "no-driver", "error")

_OTHER_HARDWARE = ("cpu", "rocm", "xpu", "hip")
"""How the local part of a torch begins that is made for something else than an NVIDIA card."""

Capability = tuple[int, int]


def is_windows(facts: MachineFacts) -> bool:
    """Whether the rules of native Windows apply; WSL counts as Linux."""
    return facts.os.family == "windows"


def nvidia_gpus(facts: MachineFacts) -> tuple[tuple[int, Gpu], ...]:
    """NVIDIA cards with their place in `facts.gpus`."""
    return tuple((place, gpu) for place, gpu in enumerate(known(facts.gpus, ())) if gpu.vendor == "nvidia")


def is_usable(gpu: Gpu) -> bool:
    """False for a card that is switched off or has no working driver; true where nothing is known against it."""
    status = known(gpu.status, None)
    return not (status and status.lower().startswith(_NOT_WORKING))


def capability(gpu: Gpu) -> Maybe[Capability | None]:
    """The compute capability as numbers."""
    if gpu.compute_capability is UNKNOWN or gpu.compute_capability is None:
        return gpu.compute_capability
    return capability_of(gpu.compute_capability)


@lru_cache(maxsize=256)
def capability_of(text: str) -> Capability | None:
    """ "12.0" gives (12, 0); None for text that is no capability."""
    parts = numbers(text)
    return (parts[0], parts[1]) if len(parts) == 2 else None


def main_gpu(facts: MachineFacts) -> tuple[int, Gpu] | None:
    """The NVIDIA card that decides: a usable one, the newest generation first, then the most memory. Names decide nothing."""
    cards = nvidia_gpus(facts)
    usable = [card for card in cards if is_usable(card[1])] or list(cards)
    return max(usable, key=lambda card: (known(capability(card[1]), None) or (0, 0), known(card[1].memory_bytes, None) or 0, -card[0]), default=None)


def main_capability(facts: MachineFacts) -> Maybe[Capability | None]:
    """The compute capability that the plan is made for; None where there is no NVIDIA card or it has none."""
    if facts.gpus is UNKNOWN:
        return UNKNOWN
    card = main_gpu(facts)
    return capability(card[1]) if card else None


def driver_version(facts: MachineFacts) -> Maybe[str | None]:
    """The version of the NVIDIA driver; None where there is none."""
    if facts.driver is UNKNOWN or facts.driver is None:
        return facts.driver
    return facts.driver.version


def can_start_hypervisor(facts: MachineFacts) -> bool:
    """Whether the firmware allows a hypervisor and only Windows does not start it."""
    cpu, wsl = known(facts.cpu, None), known(facts.wsl, None)
    return bool(cpu and cpu.virtualization is True and wsl and wsl.hypervisor_running is False)


def wsl_hides_gpus(facts: MachineFacts) -> bool:
    """Whether .wslconfig keeps graphics cards out of every distro."""
    wsl = known(facts.wsl, None)
    settings = known(wsl.wslconfig, None) if wsl else None
    return any(key.lower() == "gpusupport" and value.strip().lower() == "false" for key, value in (settings or {}).items())


def installed_torch(python: Python) -> Maybe[TorchBuild | None]:
    """The torch of a Python, taken apart; None where there is none, UNKNOWN where its packages or its version are."""
    if python.packages is UNKNOWN:
        return UNKNOWN
    text = python.packages.get("torch")
    return torch_build(text) or UNKNOWN if text is not None else None


def torch_has_cuda(facts: MachineFacts, python: Python, torch: TorchBuild) -> Maybe[bool]:
    """Whether an installed torch can use an NVIDIA card at all, whatever card is there.

    A version without a local part is a CUDA build on Linux and a CPU build on Windows, because the package index has no other
    there; a conda build does not say, nor does one that somebody made himself (`+git1a2b3c4`).
    """
    if torch.cuda:
        return True
    if torch.flavour.startswith(_OTHER_HARDWARE):
        return False
    if known(python.torch_cuda_available, None) or known(python.torch_arch_list, ()):
        return True
    if python.torch_arch_list == ():
        return False
    if python.kind == "conda" or torch.flavour:
        return UNKNOWN
    return not is_windows(facts)


class PathParts(NamedTuple):
    """A path cut up without touching the disk, Windows or POSIX by its own look."""

    text: str
    windows: bool

    @property
    def key(self) -> str:
        """For comparing: Windows paths ignore case and the direction of slashes."""
        return self.text.replace("/", "\\").rstrip("\\").lower() if self.windows else self.text.rstrip("/") or "/"

    @property
    def folder(self) -> str:
        cut = max(self.text.rfind("\\"), self.text.rfind("/")) if self.windows else self.text.rfind("/")
        return self.text[:cut] if cut > 0 else self.text[: cut + 1]

    def __truediv__(self, name: str) -> str:
        separator = "\\" if self.windows else "/"
        return self.text.rstrip("\\/" if self.windows else "/") + separator + name

    def is_in(self, folder: str) -> bool:
        """Whether this is `folder` or lies below it."""
        outer = PathParts(folder, self.windows).key
        return self.key == outer or self.key.startswith(outer.rstrip("\\/") + ("\\" if self.windows else "/"))


def path(facts: MachineFacts, text: str) -> PathParts:
    """A path of that machine."""
    return PathParts(text, is_windows(facts))


def environment_folder(facts: MachineFacts, python: Python) -> str:
    """The folder that belongs to a Python: of a venv its root, else the folder of its executable."""
    return folder_of_executable(facts, python.executable)


def folder_of_executable(facts: MachineFacts, executable: str) -> str:
    """The environment's root: above Scripts or bin, else the folder of the executable."""
    folder = path(facts, executable).folder
    parent = path(facts, folder)
    name = parent.text[len(parent.folder) :].strip("\\/").lower()
    return parent.folder if name in {"scripts", "bin"} else folder


def site_packages(facts: MachineFacts, python: Python) -> str:
    """Where packages go on Windows."""
    return path(facts, environment_folder(facts, python)) / "Lib\\site-packages"


def disk_of(facts: MachineFacts, text: str) -> Maybe[Disk | None]:
    """The disk that holds a path: the one with the longest root."""
    if facts.disks is UNKNOWN:
        return UNKNOWN
    place = path(facts, text)
    fitting = [disk for disk in facts.disks if disk.root == "/" or place.is_in(disk.root)]
    return max(fitting, key=lambda disk: len(disk.root), default=None)


def own_pythons(facts: MachineFacts) -> Iterator[tuple[int, Python]]:
    """The Pythons of this machine's own system (not those inside a WSL distro), with their place in the facts."""
    return ((place, python) for place, python in enumerate(known(facts.pythons, ())) if not known(python.in_wsl, None))
