"""What happens to the packages of one environment, as values: pins, and the work they add up to."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.model.findings import Finding
from app.model.plan import PackageChange
from app.model.text import Text
from app.tables.builds import TorchBuild

FAMILY: Final = ("torch", "torchvision", "torchaudio")


class Origin(enum.Enum):
    """Where a package comes from: PyTorch's own index, the package index, or one file named by its address."""

    TORCH_INDEX = "torch-index"
    INDEX = "index"
    FILE = "file"


class Pin(NamedTuple):
    """One exact package to install. `requirement` is what a resolver is given; sizes None where not known.

    `about_bytes`: the size of a file alike, where that of its own is not known.
    """

    name: str
    version: str
    requirement: str
    origin: Origin
    why: str
    download_bytes: int | None = None
    unpacked_bytes: int | None = None
    url: str = ""
    about_bytes: int | None = None

    @property
    def shown(self) -> str:
        """As a person gives it to pip."""
        return self.url or self.requirement


@dataclass(frozen=True, slots=True)
class Work:
    """`packages`: all that matter, with the version the plan leads to. `decision`: what the person must choose, if anything.

    `unknown` names the fact that is missing, so that nothing can be planned. `extra` are findings that depend on the choice.
    """

    packages: Mapping[str, str] = field(default_factory=dict)
    pins: tuple[Pin, ...] = ()
    removes: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    changes: tuple[PackageChange, ...] = ()
    torch: TorchBuild | None = None
    tag: str = ""
    python_minor: str = ""
    decision: str | None = None
    unknown: str | None = None
    impossible: str | None = None
    extra: tuple[Finding, ...] = ()
    stays_wrong: bool = False
    recheck: tuple[str, ...] = ()

    @property
    def replaces_torch(self) -> bool:
        return any(change.name == "torch" and change.before and change.after != change.before for change in self.changes)


@dataclass
class WorkDraft:
    """Collects the work while it is decided; turned into a frozen Work at the end."""

    python_minor: str
    packages: dict[str, str] = field(default_factory=dict)
    pins: list[Pin] = field(default_factory=list)
    removes: list[str] = field(default_factory=list)
    keeps: list[str] = field(default_factory=list)
    changes: list[PackageChange] = field(default_factory=list)
    extra: list[Finding] = field(default_factory=list)
    recheck: list[str] = field(default_factory=list)
    decision: str | None = None

    def keep(self, name: str, version: str, why: str = "kept") -> None:
        self.packages[name] = version
        self.keeps.append(name)
        self.changes.append(PackageChange(name, version, version, Text(f"plan.change-{why}")))

    def install(self, pin: Pin, before: str | None) -> None:
        self.packages[pin.name] = pin.version
        self.pins.append(pin)
        self.changes.append(PackageChange(pin.name, before, pin.version, Text(f"plan.change-{pin.why}")))

    def done(self, torch: TorchBuild | None, tag: str) -> Work:
        return Work(
            dict(self.packages),
            tuple(self.pins),
            tuple(self.removes),
            tuple(self.keeps),
            tuple(self.changes),
            torch,
            tag,
            self.python_minor,
            self.decision,
            extra=tuple(self.extra),
            recheck=tuple(self.recheck),
        )
