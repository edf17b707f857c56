"""A choice, and the plan that facts, choice and tables lead to. A plan is shown before anything changes."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.model.findings import Finding
from app.model.text import Text

PLAN_SCHEMA: Final = "plan/1"


class Goal(enum.Enum):
    TRITON = "triton"
    SAGEATTENTION = "sageattention"
    COMFYUI = "comfyui"
    VLLM = "vllm"


class RouteKind(enum.Enum):
    NATIVE = "native"
    WSL2 = "wsl2"
    SOURCE = "source"
    LINUX = "linux"


class RouteStatus(enum.Enum):
    READY = "ready"
    NEEDS_ACTION = "needs-action"
    IMPOSSIBLE = "impossible"


class Verdict(enum.Enum):
    READY = "ready"
    NEEDS_ACTION = "needs-action"
    BLOCKED = "blocked"


class Where(enum.Enum):
    """Where a step acts. `windows` stands for this machine's own system, Linux included."""

    WINDOWS = "windows"
    WSL = "wsl"
    DOWNLOAD = "download"
    FILE = "file"


class TorchChange(enum.Enum):
    """What the person allows for a torch that is there and cannot stay as it is."""

    ASK = "ask"
    KEEP = "keep"
    REPLACE = "replace"


class Attention(enum.Enum):
    """What makes attention faster in ComfyUI: SageAttention, or ComfyUI's own INT8 kernels."""

    SAGE = "sage"
    INT8 = "int8"


class ModelFolders(enum.Enum):
    """How a ComfyUI inside WSL gets at models on a Windows drive: read where they are, or copied into Linux."""

    LINK = "link"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person decided. None means: let the planner recommend.

    `python` is an executable of the facts, `new_env` a folder for a new environment, `comfyui` a ComfyUI folder.
    `torch_version` is the torch to take where one is taken anew: 2.10, 2.10.0 or 2.10.0+cu128.
    `index_url` and `wheelhouse` replace the package index (wheelhouse: a folder made by `bundle`).
    """

    goals: tuple[Goal, ...] = (Goal.TRITON,)
    route: RouteKind | None = None
    python: str | None = None
    new_env: str | None = None
    comfyui: str | None = None
    torch_change: TorchChange = TorchChange.ASK
    distro: str | None = None
    index_url: str | None = None
    wheelhouse: str | None = None
    model: str | None = None
    attention: Attention | None = None
    models: ModelFolders | None = None
    torch_version: str | None = None

    @property
    def wants_sage(self) -> bool:
        """A faster ComfyUI means SageAttention too, unless its own attention was chosen."""
        return Goal.SAGEATTENTION in self.goals or (Goal.COMFYUI in self.goals and self.attention is not Attention.INT8)

    @property
    def wants_triton(self) -> bool:
        """Everything needs Triton but ComfyUI's own attention."""
        return self.wants_sage or set(self.goals) != {Goal.COMFYUI}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a route has its status. `is_note`: worth knowing, neither forbids nor waits for anything."""

    code: str
    text: Text
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class RouteVerdict:
    route: RouteKind
    status: RouteStatus
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedPython:
    """The Python the plan works on. `is_new`: the plan creates it; `base`: the Python it is created from (None: fetched)."""

    executable: str
    kind: str
    version: str
    is_new: bool = False
    base: str | None = None


@dataclass(frozen=True, slots=True)
class PackageChange:
    """One row of the version table. `before` None: not there yet. `after` None: removed."""

    name: str
    before: str | None
    after: str | None
    reason: Text


@dataclass(frozen=True, slots=True)
class Option:
    """A decision that the plan needs or offers: the choice that would be made, and what it means."""

    code: str
    text: Text
    choice: Choice


@dataclass(frozen=True, slots=True)
class Download:
    """How much is downloaded, as far as it can be told. `is_estimate`: some of it by files alike; `is_whole`: nothing is left out."""

    bytes: int = 0
    is_estimate: bool = False
    is_whole: bool = True

    @property
    def wording(self) -> str:
        """How it is said: exact, about, at-least, at-least-about or unknown."""
        if self.is_whole:
            return "about" if self.is_estimate else "exact"
        return "unknown" if not self.bytes else "at-least-about" if self.is_estimate else "at-least"


@dataclass(frozen=True, slots=True)
class Step:
    """One act of a plan. `kind` names the executor in `app.running`; `arguments` are its typed inputs.

    `argv` is the command as a person would type it, for show and for kind `command`. `download_bytes` None: not known.
    `expected` is what can be told then.
    `undo` says in words how the step is taken back; None: it needs none.
    """

    id: str
    kind: str
    title: Text
    argv: tuple[str, ...] = ()
    where: Where = Where.WINDOWS
    needs_admin: bool = False
    needs_restart: bool = False
    download_bytes: int | None = 0
    undo: Text | None = None
    arguments: Mapping[str, str | int | bool | tuple[str, ...] | Mapping[str, str]] = field(default_factory=dict)
    weight: float = 1.0
    expected: Download | None = None

    @property
    def download(self) -> Download:
        """What is known or estimated of the download."""
        return Download(self.download_bytes) if self.download_bytes is not None else self.expected or Download(is_whole=False)


@dataclass(frozen=True, slots=True)
class Plan:
    verdict: Verdict
    route: RouteKind | None
    routes: tuple[RouteVerdict, ...]
    python: PlannedPython | None
    findings: tuple[Finding, ...]
    packages: Mapping[str, str]
    steps: tuple[Step, ...]
    download_bytes: int
    disk_bytes: int
    keeps: tuple[str, ...]
    choice: Choice
    changes: tuple[PackageChange, ...] = ()
    options: tuple[Option, ...] = ()
    summary: Text | None = None
    schema: str = PLAN_SCHEMA

    @property
    def download(self) -> Download:
        """What is known or estimated of all downloads together."""
        parts = [step.download for step in self.steps]
        return Download(sum(part.bytes for part in parts), any(part.is_estimate for part in parts), all(part.is_whole for part in parts))

    @property
    def is_partial(self) -> bool:
        """Whether it comes only to a part of its goals."""
        return self.summary is not None and self.summary.code.endswith("-partly")
