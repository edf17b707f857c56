"""What kinds of cards can do: targets to compile for, and theoretical peaks from a card's own properties."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from app.model.proof import Number
from app.resources import assets

AHEAD: Final = "compiles-sm{}"

LANE_GB_S: Final = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
"""GB/s of one PCIe lane in one direction by generation, after line coding (PCI-SIG)."""


@cache
def cards() -> Mapping[str, Mapping[str, Any]]:
    """The rows of the table by compute capability, such as "8.9"."""
    return tomllib.loads((assets() / "tables" / "cards.toml").read_text(encoding="utf-8"))


def ahead_targets(capability: str | None) -> tuple[str, ...]:
    """Names of the checks that compile for the card of `capability`, or for every kind of card where it is None."""
    known = [capability] if capability else sorted(cards(), key=lambda text: [int(part) for part in text.split(".")])
    return tuple(AHEAD.format(text.replace(".", "")) for text in known)


def ahead_arguments(*, few: bool = False) -> tuple[str, ...]:
    """Arguments of the payload that compiles ahead: the shared memory of every kind of card; a few kernels only."""
    shared = ",".join(f"{capability.replace('.', '')}:{row['shared_memory_bytes']}" for capability, row in cards().items())
    return ("--shared", shared, *(("--few",) if few else ()))


def card_of(check_code: str) -> tuple[str, Mapping[str, Any]] | None:
    """Compute capability and row of a check such as `compiles-sm89`; None for another check."""
    prefix = AHEAD.format("")
    if not check_code.startswith(prefix) or len(check_code) < len(prefix) + 2:
        return None
    digits = check_code.removeprefix(prefix)
    capability = f"{digits[:-1]}.{digits[-1]}"
    return capability, cards().get(capability, {})


def limits_of(capability: str, triton: str) -> str | None:
    """What a Triton cannot do on a card: `too-old`, `does-not-compile`, `no-tensor-cores`; None where it can all."""
    row, version = cards().get(capability), _minor(triton)
    if row is None or version is None:
        return None
    if version < _minor_of(row["first_triton"]):
        return "too-old"
    if version in [_minor_of(text) for text in row.get("fails_with", ())]:
        return "does-not-compile"
    without = row.get("without_tensor_cores_from")
    return "no-tensor-cores" if without and version >= _minor_of(without) else None


def _minor_of(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return int(major), int(minor)


def _minor(version: str) -> tuple[int, int] | None:
    parts = re.match(r"(\d+)\.(\d+)", version)
    return (int(parts[1]), int(parts[2])) if parts else None


def ceiling(kernel: str, unit: str, dtype: str, device: Mapping[str, Number] | None) -> float | None:
    """The theoretical peak in `unit` from clocks, bus width and multiprocessors; None where they are not known.

    Memory: clock x bus width x 2 (two transfers a clock). Tensor cores: multiprocessors x clock x operations a clock,
    with sums in fp16; GeForce cards reach half of it with sums in fp32, so it is a ceiling and no goal.
    A card that boosts above its nominal clock can pass it. Transfer: the lanes that card and slot have at best.
    """
    if device is None:
        return None
    if kernel == "transfer":
        generation, lanes = device.get("max_pcie_generation"), device.get("max_pcie_width")
        return LANE_GB_S[generation] * lanes if isinstance(generation, int) and isinstance(lanes, int) and generation in LANE_GB_S else None
    if unit == "GB/s":
        clock, bits = device.get("memory_clock_khz"), device.get("memory_bus_bits")
        return clock * 2 * bits / 8 / 1e6 if isinstance(clock, int) and isinstance(bits, int) and clock and bits else None
    row = cards().get(str(device.get("compute_capability")), {})
    operations, clock, units = row.get("fp16_operations_per_clock"), device.get("clock_khz"), device.get("multiprocessors")
    if dtype not in ("fp16", "bf16") or not (isinstance(operations, int) and isinstance(clock, int) and isinstance(units, int)):
        return None
    return units * clock * operations / 1e9
