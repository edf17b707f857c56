"""nvidia-smi as second source: its CSV answer, its failures, and the header of the table for the CUDA version."""

import csv
import re
from dataclasses import dataclass
from typing import Final

from app.probes.decoding import decode
from app.probes.look import Look

FIELDS: Final = ("index", "name", "pci.bus_id", "driver_version", "memory.total", "compute_cap", "driver_model.current", "display_active")
TIMEOUT_S: Final = 6.0

_BAD_FIELD: Final = re.compile(r'Field "([^"]+)" is not a valid field')
# From the 610 branch on the header says "CUDA UMD Version".
_HEADER_CUDA: Final = re.compile(r"CUDA(?: UMD)? Version:\s*(\d+\.\d+)")
# Inside WSL the first number is the Linux tool's own; the driver's is named.
_HEADER_DRIVER: Final = re.compile(r"(?:KMD|Driver) Version:\s*(\d+(?:\.\d+)+)")
_CAPABILITY: Final = re.compile(r"\d{1,2}\.\d")
_MISSING: Final = frozenset({"", "[n/a]", "n/a", "[not supported]", "not supported", "[unknown error]", "[gpu is lost]"})
_PROBLEMS: Final = (
    ("Driver/library version mismatch", "library-mismatch"),
    ("couldn't communicate with the NVIDIA driver", "driver-not-loaded"),
    ("GPU access blocked by the operating system", "blocked-by-system"),
    ("Unable to determine the device handle", "gpu-is-lost"),
    ("GPU is lost", "gpu-is-lost"),
    ("No devices were found", "no-devices"),
    ("NVML library", "library-not-found"),
    ("nvml.dll library", "library-not-found"),
)


@dataclass(frozen=True, slots=True)
class SmiGpu:
    """One row. None: nvidia-smi printed [N/A] or does not know the field."""

    index: int | None = None
    name: str | None = None
    bus: str | None = None
    driver: str | None = None
    memory_bytes: int | None = None
    compute_capability: str | None = None
    driver_model: str | None = None
    display_active: bool | None = None


@dataclass(frozen=True, slots=True)
class SmiAnswer:
    """`problem` is a word for what it said instead of GPUs: driver-not-loaded, library-mismatch, no-devices, timed-out, not-found ..."""

    gpus: tuple[SmiGpu, ...] = ()
    cuda: str | None = None
    driver: str | None = None
    problem: str | None = None


def ask_nvidia_smi(look: Look, program: str) -> SmiAnswer:
    """Asks for all fields, and again without those that this driver does not know; then the table for the CUDA version."""
    fields = list(FIELDS)
    for _ in range(len(FIELDS)):
        answer = look.query(program, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", timeout_s=TIMEOUT_S)
        if answer.failure is not None:
            return SmiAnswer(problem=answer.failure)
        said = decode(answer.stdout) + decode(answer.stderr)
        bad = _BAD_FIELD.search(said)
        if bad is None or bad[1] not in fields or len(fields) == 1:
            break
        fields.remove(bad[1])
    if answer.exit_code != 0:
        return SmiAnswer(problem=smi_problem(said) or f"exit code {answer.exit_code}")
    gpus = parse_rows(said, tuple(fields))
    if not gpus:
        return SmiAnswer(problem=smi_problem(said) or "not-understood")
    table = look.query(program, timeout_s=TIMEOUT_S)
    cuda, driver = parse_header(decode(table.stdout))
    return SmiAnswer(gpus, cuda, next((gpu.driver for gpu in gpus if gpu.driver), driver))


def parse_rows(text: str, fields: tuple[str, ...]) -> tuple[SmiGpu, ...]:
    """Rows of `--format=csv,noheader,nounits` with these fields; lines that are none are left out."""
    gpus = []
    for line in text.replace("\0", "").splitlines():
        try:
            row = next(csv.reader([line], skipinitialspace=True), [])
        except csv.Error:
            continue
        if len(row) != len(fields):
            continue
        values = {name: value.strip() for name, value in zip(fields, row, strict=True) if value.strip().lower() not in _MISSING}
        if "name" not in values or ("index" in fields and not values.get("index", "").isdecimal()):
            continue
        gpus.append(_gpu(values))
    return tuple(gpus)


def _gpu(values: dict[str, str]) -> SmiGpu:
    memory, capability = values.get("memory.total", ""), values.get("compute_cap", "")
    active = values.get("display_active")
    return SmiGpu(
        index=int(values["index"]) if values.get("index", "").isdecimal() else None,
        name=values.get("name"),
        bus=values.get("pci.bus_id"),
        driver=values.get("driver_version"),
        memory_bytes=int(memory) << 20 if memory.isdecimal() and len(memory) < 12 else None,
        # A text, whatever the locale: a comma would come from a program that formats it as a number.
        compute_capability=capability.replace(",", ".") if _CAPABILITY.fullmatch(capability.replace(",", ".")) else None,
        driver_model=values.get("driver_model.current"),
        display_active=None if active is None else active.lower() in ("enabled", "yes"),
    )


def parse_header(text: str) -> tuple[str | None, str | None]:
    """CUDA version and driver version of the table's header, old and new form."""
    cuda, driver = _HEADER_CUDA.search(text), _HEADER_DRIVER.search(text)
    return (cuda[1] if cuda else None), (driver[1] if driver else None)


def smi_problem(text: str) -> str | None:
    """The word for a known failure text."""
    return next((word for said, word in _PROBLEMS if said.lower() in text.lower()), None)
