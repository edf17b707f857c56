"""Questions to the tables: what belongs to what, what runs on what. Answers are rows or plain values; None means nothing fits."""

from typing import TYPE_CHECKING, NamedTuple

from app.tables.builds import SageBuild, TorchBuild, at_least, minor_of, numbers, sage_build, version
from app.tables.load import Tables
from app.tables.machine import Capability, capability_of
from app.tables.rows import CudaRow, GenerationRow, HeadersRow, SageRow, TorchRow, TritonRow, VcPackageRow

if TYPE_CHECKING:
    from app.tables.goal_rows import CompanionRow


def torch_row(tables: Tables, minor: str) -> TorchRow | None:
    return next((row for row in tables.torch if row.minor == minor), None)


def triton_row(tables: Tables, minor: str) -> TritonRow | None:
    return next((row for row in tables.triton_windows if row.minor == minor), None)


def triton_for_torch(tables: Tables, torch_minor: str) -> TritonRow | None:
    """The triton-windows that belongs to a torch; None: there is none."""
    return next((row for row in tables.triton_windows if torch_minor in row.torch), None)


def cuda_row(tables: Tables, tag: str | None) -> CudaRow | None:
    return next((row for row in tables.cuda if row.tag == tag), None)


def generation_of(tables: Tables, capability: Capability | None) -> GenerationRow | None:
    """The generation of a compute capability; None for one that no row knows."""
    return next((row for row in tables.generations if capability and capability in map(capability_of, row.capabilities)), None)


def oldest_capability(tables: Tables) -> Capability:
    """The lowest compute capability that any Triton runs on."""
    return min(found for row in tables.generations for text in row.capabilities if (found := capability_of(text)))


def triton_minor_of(tables: Tables, torch: TorchBuild) -> str | None:
    """The triton-windows minor that belongs to a torch; None: there is none.

    A nightly older than the release before it was made with that release's Triton.
    """
    row = torch_row(tables, torch.minor)
    if torch.nightly:
        place = next((i for i, known in enumerate(tables.torch) if known.minor == torch.minor), None)
        before = tables.torch[place - 1] if place else None
        if before and torch.nightly < before.released:
            row = before
    paired = triton_for_torch(tables, row.minor) if row else None
    return paired.minor if paired else None


def triton_minors_near(tables: Tables, torch: TorchBuild) -> frozenset[str]:
    """The triton-windows minors that a nightly may have been made with: its own release's and the one before."""
    place = next((i for i, row in enumerate(tables.torch) if row.minor == torch.minor), None)
    if place is None:
        return frozenset()
    rows = tables.torch[max(0, place - 1) : place + 1]
    return frozenset(paired.minor for row in rows if (paired := triton_for_torch(tables, row.minor)))


def triton_runs_on(row: TritonRow, capability: Capability) -> bool:
    """Whether kernels compile for the card at all."""
    return (capability_of(row.gpu_oldest) or (0, 0)) <= capability <= (capability_of(row.gpu_newest) or (0, 0))


def triton_is_full_on(row: TritonRow, capability: Capability) -> bool:
    """Whether tensor cores are used there."""
    return capability >= (capability_of(row.gpu_oldest_full) or (0, 0))


def triton_pythons(row: TritonRow, arch: str) -> tuple[str, ...]:
    return row.pythons_arm if arch == "arm64" else row.pythons


def python_is_served(tables: Tables, python_minor: str, arch: str) -> bool:
    """Whether any triton-windows has a wheel for that Python."""
    return any(python_minor in triton_pythons(row, arch) for row in tables.triton_windows)


def triton_is_right(row: TritonRow, installed: str) -> bool:
    """Whether an installed triton-windows belongs to the row and needs no newer post release."""
    found, floor = version(installed), version(row.floor)
    return bool(found and floor and f"{found.major}.{found.minor}" == row.minor and found >= floor)


def code_for_gpu(gpus: tuple[str, ...], capability: Capability) -> bool:
    """Whether code for one of the compute capabilities runs on the card: same major, same or lower minor."""
    return any(made and made[0] == capability[0] and made[1] <= capability[1] for made in map(capability_of, gpus))


def arch_list_covers(arch_list: tuple[str, ...], capability: Capability) -> bool:
    """The same for torch's own list: sm_86 runs on 8.9; compute_80 (PTX) runs on everything newer."""
    for entry in arch_list:
        kind, _, digits = entry.partition("_")
        digits = digits.rstrip("abcdefghijklmnopqrstuvwxyz")
        if not digits.isdigit() or len(digits) < 2:
            continue
        made = (int(digits[:-1]), int(digits[-1]))
        if (kind == "sm" and made[0] == capability[0] and made[1] <= capability[1]) or (kind == "compute" and made <= capability):
            return True
    return False


class DriverFit(NamedTuple):
    """`runs`: the driver can run the build at all. `full`: it is as new as the toolkit's own."""

    runs: bool
    full: bool
    floor: str
    wanted: str


def driver_fit(row: CudaRow, driver: str, windows: bool) -> DriverFit:
    floor, wanted = (row.driver_floor, row.driver) if windows else (row.driver_floor_linux, row.driver_linux)
    return DriverFit(at_least(driver, floor), at_least(driver, wanted), floor, wanted)


class TorchPick(NamedTuple):
    """A torch to install: exact version with its build, and the row of its Triton (None on Linux)."""

    version: str
    tag: str
    row: TorchRow
    triton: TritonRow | None


class Wish(NamedTuple):
    """What a torch is picked for. `driver` None: no driver limit applies. `sage`: a SageAttention wheel must exist.

    `windows_driver`: Linux inside Windows, where the driver is numbered as on Windows. `only`: the version that the person asks for.
    """

    capability: Capability
    driver: str | None
    arch: str
    pythons: tuple[str, ...]
    sage: bool = False
    windows: bool = True
    windows_driver: bool = False
    only: str = ""


def pick_torch(tables: Tables, wish: Wish) -> tuple[TorchPick, str] | None:
    """The torch to choose when it is chosen anew, and the Python minor for it; None if nothing fits.

    Newest first, except where the card's generation is served better by an older one, and no newer than a SageAttention
    wheel was reported to work with when one is wanted. Of its builds, the first by rank that driver and card allow.
    PyTorch's own builds for Windows are for x64; those for Arm are NVIDIA's and not in the tables.
    """
    if wish.windows and wish.arch != "x86_64":
        return None
    minor, tag = minor_of(wish.only), wish.only.partition("+")[2]
    for row in _by_preference(tables, wish):
        patch = _patch(row, wish.only)
        if patch is None or (wish.only and row.minor != minor):
            continue
        triton = triton_for_torch(tables, row.minor) if wish.windows else None
        if wish.windows and (triton is None or not triton_runs_on(triton, wish.capability)):
            continue
        for python in wish.pythons:
            if python not in row.pythons or (triton and python not in triton_pythons(triton, wish.arch)):
                continue
            for cuda in _builds(tables, row, wish):
                if tag and cuda.tag != tag:
                    continue
                build = TorchBuild(f"{patch}+{cuda.tag}", row.minor, numbers(patch), cuda.tag)
                if wish.sage and wish.windows and pick_sage(tables, build, python, wish.capability, wish.arch) is None:
                    continue
                return TorchPick(build.text, cuda.tag, row, triton), python
    return None


def _patch(row: TorchRow, only: str) -> str | None:
    """The patch release to take: the newest, or the one that is asked for; None where the row has no such."""
    asked = only.partition("+")[0]
    return row.newest if asked.count(".") < 2 else asked if asked in row.patches else None


def _by_preference(tables: Tables, wish: Wish) -> list[TorchRow]:
    newest_first = list(reversed(tables.torch))
    generation = generation_of(tables, wish.capability)
    wanted = generation.torch if generation else ""
    tested = max((numbers(row.tested) for row in tables.sage), default=(0,)) if wish.sage and wish.windows else None
    return sorted(newest_first, key=lambda row: (bool(wanted) and row.minor != wanted, tested is not None and numbers(row.minor) > tested))


def _builds(tables: Tables, row: TorchRow, wish: Wish) -> list[CudaRow]:
    tags = row.windows if wish.windows else row.linux
    fitting = [cuda for cuda in tables.cuda if cuda.tag in tags and code_for_gpu(cuda.gpus, wish.capability)]
    usual = tags[0] if tags and not wish.windows else None
    if wish.driver is not None:
        fits = {cuda.tag: driver_fit(cuda, wish.driver, wish.windows or wish.windows_driver) for cuda in fitting}
        fitting = [cuda for cuda in fitting if fits[cuda.tag].runs]
        return sorted(fitting, key=lambda cuda: (not fits[cuda.tag].full, cuda.tag != usual, cuda.rank))
    return sorted(fitting, key=lambda cuda: (cuda.tag != usual, cuda.rank))


def pick_sage(tables: Tables, torch: TorchBuild, python_minor: str, capability: Capability, arch: str) -> SageRow | None:
    """The SageAttention 2 wheel for a torch, a Python and a card; None if there is none."""
    generation = generation_of(tables, capability)
    if arch != "x86_64" or torch.cuda_major is None or torch.nightly or generation is None or generation.sage not in {"2", "triton"}:
        return None
    fitting = [
        row
        for row in tables.sage
        if row.cuda_major == torch.cuda_major
        and not row.avoid
        and sage_fits_torch(SageBuild(row.cuda_major, row.torch, row.higher, 0), torch)
        and at_least(python_minor, row.python_min)
        and (not row.python_max or at_least(row.python_max, python_minor))
        and (generation.sage == "triton" or code_for_gpu(row.gpus, capability))
    ]
    return max(fitting, key=lambda row: (row.torch == torch.patch, sage_post(row.version)), default=None)


def sage_post(text: str) -> tuple[tuple[int, ...], int]:
    found = sage_build(text)
    return numbers(text.partition("+")[0]), found.post if found else 0


def sage_fits_torch(made_for: SageBuild, torch: TorchBuild) -> bool:
    """Whether a wheel loads with a torch: same CUDA major, and the same minor or (stable ABI) any later one."""
    if made_for.cuda_major != torch.cuda_major:
        return False
    base = numbers(made_for.torch)
    return torch.release >= base if made_for.higher else torch.release[:2] == base[:2]


def companion_for(tables: Tables, name: str, torch: TorchBuild, python_minor: str) -> "CompanionRow | None":
    """The known ready-made file of a compiled companion for a torch and a Python on Windows x64."""
    return next(
        (
            row
            for row in tables.companions
            if row.name == name
            and sage_fits_torch(SageBuild(row.cuda_major, row.torch, row.higher, 0), torch)
            and at_least(python_minor, row.python_min)
            and (not row.python_max or at_least(row.python_max, python_minor))
        ),
        None,
    )


def headers_for(tables: Tables, python_minor: str) -> HeadersRow | None:
    return next((row for row in tables.headers if row.python == python_minor), None)


def vc_package_for(tables: Tables, python_minor: str) -> VcPackageRow | None:
    return next((row for row in tables.vc_packages if row.python == python_minor), None)


def vision_for(row: TorchRow, torch_version: str) -> str:
    """The torchvision of a torch version: its minor from the row, its patch and build from torch."""
    public, _, local = torch_version.partition("+")
    return f"{row.vision}.{public.split('.')[2]}" + (f"+{local}" if local else "")


def audio_for(row: TorchRow, torch_version: str) -> str | None:
    """The torchaudio of a torch version; None where none is published with it."""
    return torch_version if row.audio == "same" else row.audio or None


def torch_download(tables: Tables, version: str) -> int | None:
    """About how large torch's Windows wheel is: that of the nearest version of the same build; None for a build that no row has."""
    public, _, tag = version.partition("+")
    order = [patch for row in tables.torch for patch in row.patches]
    wanted = order.index(public) if public in order else len(order)
    rows = [row for row in tables.torch_downloads if row.tag == tag and row.torch in order]
    nearest = min(rows, key=lambda row: (abs(order.index(row.torch) - wanted), -order.index(row.torch)), default=None)
    return nearest.bytes if nearest else None
