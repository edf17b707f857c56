"""The proof: starts the payloads, in parallel where nothing is timed, and puts what they said into one value.

torch takes seconds to import, so the quick checks share a few processes. Two that use the card run at a time, no
more: each commits gigabytes on Windows, and a paging file that is too small must not fail the proof.
"""

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from app.host.places import Places
from app.host.protocol import Changes
from app.model.cancel import Cancel
from app.model.events import Event
from app.model.problem import Cancelled, Problem
from app.model.proof import Benchmark, Check, Level, Number, Proof, ProofVerdict
from app.proof.cards import ahead_arguments, ahead_targets, card_of, ceiling
from app.proof.judge import judge
from app.proof.payloads import Heard, Payload, Target, ask_distro, is_number, run_payload, scalars, skipped

IMPORTS: Final = ("import-torch", "import-triton", "torch-sees-gpu")
KERNELS: Final = ("driver-target", "compile-cold", "add-odd", "add-large", "softmax", "dot-fp16", "dot-bf16", "dot-fp8")
AGAIN: Final = ("compile-warm", "attention")
LIBRARIES: Final = ("torch-compile", "sage-import", "sage-accuracy")
WORKLOADS: Final = ("sage-speed-sdxl", "sage-speed-flux", "sage-speed-wan", "sage-speed-llm-prefill", "sage-speed-short")
BENCHMARKS: Final = ("speed-transfer", "speed-add", "speed-softmax", "speed-matmul", "speed-attention", "speed-attention-causal", *WORKLOADS)


def all_checks() -> tuple[str, ...]:
    """The code of every check of a payload, in the order of a proof."""
    return (*IMPORTS, *KERNELS, "launcher", *ahead_targets(None), *AGAIN, *LIBRARIES, *BENCHMARKS)


PROBE_LIMIT_S: Final = 30.0
FIRST_LIMIT_S: Final = 240.0
"""A cold disk with a virus scanner needs minutes for torch's thousands of files."""
QUIET_LIMIT_S: Final = 180.0
"""How long a check may say nothing: the slowest compilations on small processors take about a minute."""


def prove(
    python: str,
    level: Level,
    host: Changes,
    emit: Callable[[Event], None],
    cancel: Cancel,
    *,
    places: Places,
    checks: tuple[str, ...] | None = None,
    compute_capability: str | None = None,
    distro: str | None = None,
) -> Proof:
    """Checks and measures the Python at `python`; only `checks`, if given, and the imports that all of them need.

    `compute_capability` (such as "8.9") names the card to compile for where the driver cannot be asked yet. `distro`:
    the WSL distro in which `python` lies. What fails is a result. Raises Cancelled when the token is set.
    """
    cancel.check()
    target = Target(python, host, emit, cancel, distro)
    # A fresh compile cache: an old one would hide a compiler that no longer works, and spoil the cold time.
    with _distro_cache(target) if distro else _cache(places) as cache:
        return _Proving(target, level, cache, checks).prove(compute_capability)


@contextlib.contextmanager
def _cache(places: Places) -> Iterator[str]:
    """A folder of its own below our cache, gone afterwards."""
    places.cache.mkdir(parents=True, exist_ok=True)
    cache = tempfile.mkdtemp(prefix="proof-", dir=places.cache)
    try:
        yield cache
    finally:
        shutil.rmtree(cache, ignore_errors=True)


@contextlib.contextmanager
def _distro_cache(target: Target) -> Iterator[str]:
    """The same inside a distro, whose own disk is many times faster than the drives of Windows seen from there."""
    try:
        cache = ask_distro(target, ("mktemp", "-d", "-t", "proof-XXXXXX"), target.cancel)
    except Problem:
        yield "/tmp/proof"  # noqa: S108 - nothing will be written: the distro does not start, and the checks say so
        return
    try:
        yield cache
    finally:
        with contextlib.suppress(Problem, Cancelled):
            ask_distro(target, ("rm", "-rf", "--", cache), Cancel())


class _Proving:
    def __init__(self, target: Target, level: Level, cache: str, wanted: tuple[str, ...] | None) -> None:
        self._target = target
        self._level = level
        self._wanted = wanted
        # One worker and no autotuning daemon: inductor's own process pool would take longer to start than it saves.
        self._environment = {
            "TRITON_CACHE_DIR": f"{cache}/triton",
            "TORCHINDUCTOR_CACHE_DIR": f"{cache}/inductor",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
        }

    def prove(self, compute_capability: str | None) -> Proof:
        card = self._card()
        interpreted = card is None
        proof = Proof(
            self._level,
            ProofVerdict.FAILS,
            (),
            device=card,
            backend="interpreter" if interpreted else "cuda",
            python=self._target.python,
            measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
        if self._level is Level.IMPORT:
            return judge(replace(proof, checks=self._run("payload_kernels.py", IMPORTS, limit_s=FIRST_LIMIT_S).checks))
        heard = self._quick(card, compute_capability)
        checks = [check for part in heard for check in part.checks]
        if self._level is Level.BENCHMARK and not interpreted and not any(check.outcome == "failed" and check.code in IMPORTS for check in checks):
            heard.append(self._run("payload_benchmark.py", self._chosen(BENCHMARKS)))
        elif self._level is Level.BENCHMARK:
            heard.append(Heard(skipped(self._chosen(BENCHMARKS), "interpreter" if interpreted else "not-started"), ()))
        checks = [check for part in heard for check in part.checks]
        return judge(replace(proof, checks=_after_imports(checks), **_measured(checks, heard, card)))

    def _card(self) -> Mapping[str, Number] | None:
        """The device as the driver describes it, None if there is none."""
        heard = run_payload(self._target, Payload("payload_device.py", (), PROBE_LIMIT_S, {}))
        return _numbers_of([heard], "device")

    def _quick(self, card: Mapping[str, Number] | None, compute_capability: str | None) -> list[Heard]:
        """Three lines of work side by side; their checks come back in rising order."""
        interpreted = card is None
        capability = str(card["compute_capability"]) if card else compute_capability
        targets = ahead_targets(capability)
        if interpreted and sys.platform == "win32" and self._target.distro is None:
            # With a card, `driver-target` builds the same. Linux without one may have no compiler, and needs none.
            targets = (*targets, "launcher")
        # A kind of card that is asked for by name is compiled for, whatever card is here.
        targets = tuple(dict.fromkeys((*targets, *(name for name in self._wanted or () if name == "launcher" or card_of(name)))))
        # Where the card is not known, every kind is compiled for, with a few kernels each, to stay quick.
        arguments = ahead_arguments(few=capability is None)

        def first() -> list[Heard]:
            kernels = self._run("payload_kernels.py", IMPORTS + self._chosen(KERNELS), interpreted=interpreted, limit_s=FIRST_LIMIT_S)
            if any(check.outcome == "failed" and check.code in IMPORTS for check in kernels.checks):
                return [kernels, Heard(skipped(self._chosen(AGAIN), "not-started"), ())]
            return [kernels, self._run("payload_again.py", self._chosen(AGAIN), interpreted=interpreted)]

        def libraries() -> Heard:
            if interpreted:
                return Heard(skipped(self._chosen(LIBRARIES), "interpreter"), ())
            return self._run("payload_libraries.py", self._chosen(LIBRARIES), limit_s=FIRST_LIMIT_S)

        def ahead() -> Heard:
            return self._run("payload_ahead.py", self._chosen(targets), arguments=arguments)

        with ThreadPoolExecutor(3, "proof") as pool:
            works = (pool.submit(first), pool.submit(libraries), pool.submit(ahead))
            (kernels, again), others, compiled = works[0].result(), works[1].result(), works[2].result()
        return [kernels, compiled, again, others]

    def _run(self, script: str, names: tuple[str, ...], *, interpreted: bool = False, limit_s: float = QUIET_LIMIT_S, arguments: tuple[str, ...] = ()) -> Heard:
        if not names:
            return Heard((), ())
        environment = {**self._environment, "TRITON_INTERPRET": "1" if interpreted else "0"}
        return run_payload(self._target, Payload(script, names, limit_s, environment, arguments))

    def _chosen(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if self._wanted is None or name in self._wanted)


def merge(earlier: Proof, part: Proof) -> Proof:
    """An earlier proof with the checks that ran again, and their measurements, in place of its own; judged anew."""
    again = {check.code: check for check in part.checks}
    kernels = {bench.kernel for bench in part.benchmarks}
    checks = tuple(again.pop(check.code, check) for check in earlier.checks)
    kept = tuple(bench for bench in earlier.benchmarks if bench.kernel not in kernels)
    return judge(
        replace(
            earlier,
            checks=(*checks, *again.values()),
            benchmarks=(*kept, *part.benchmarks),
            compile_cold_s=earlier.compile_cold_s if part.compile_cold_s is None else part.compile_cold_s,
            compile_warm_s=earlier.compile_warm_s if part.compile_warm_s is None else part.compile_warm_s,
            measured_at=part.measured_at,
        )
    )


def _after_imports(checks: list[Check]) -> tuple[Check, ...]:
    """Where an import failed, what was tried beside it failed for the same reason and says nothing of its own."""
    broken = {check.code for check in checks if check.outcome == "failed" and check.code in IMPORTS}
    needless = {*KERNELS, *AGAIN, *LIBRARIES, *BENCHMARKS}
    return tuple(
        Check(check.code, "skipped", "", {"reason": "not-started"}) if broken and check.code in needless and check.outcome == "failed" else check
        for check in checks
    )


def _measured(checks: list[Check], heard: list[Heard], device: Mapping[str, Number] | None) -> dict[str, Any]:
    """The parts of a proof that come from numbers: benchmarks, compile times, limits of the card while measuring."""
    by_code = {check.code: check.numbers for check in checks if check.outcome == "passed"}
    card = {**device, **(_numbers_of(heard, "limits") or {})} if device else None
    benchmarks = tuple(bench for part in heard for line in part.of("benchmark") if (bench := _benchmark(line, card)))
    return {
        "benchmarks": benchmarks,
        "compile_cold_s": _seconds(by_code.get("compile-cold", {}).get("first_launch_s")),
        "compile_warm_s": _seconds(by_code.get("compile-warm", {}).get("first_launch_s")),
        "device": card,
    }


def _numbers_of(heard: Sequence[Heard], kind: str) -> Mapping[str, Number] | None:
    said = (line.get("numbers") for part in heard for line in part.of(kind))
    return next((scalars(numbers) for numbers in said if isinstance(numbers, dict)), None)


def _seconds(value: Number) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _benchmark(line: Mapping[str, Any], device: Mapping[str, Number] | None) -> Benchmark | None:
    """A benchmark from a line of foreign output; None if it does not fit."""
    texts = ("kernel", "implementation", "shape", "dtype", "reference")
    numbers = ("median_ms", "p20_ms", "p80_ms", "value", "ratio_to_reference")
    if not (all(isinstance(line.get(name), str) for name in texts) and all(type(line.get(name)) in (int, float) and is_number(line[name]) for name in numbers)):
        return None
    unit = line.get("unit")
    if unit not in ("GB/s", "TFLOP/s"):
        return None
    return Benchmark(
        kernel=line["kernel"],
        implementation=line["implementation"],
        shape=line["shape"],
        dtype=line["dtype"],
        median_ms=float(line["median_ms"]),
        p20_ms=float(line["p20_ms"]),
        p80_ms=float(line["p80_ms"]),
        value=float(line["value"]),
        reference=line["reference"],
        ratio_to_reference=float(line["ratio_to_reference"]),
        unit=unit,
        error=_error(line.get("error")),
        error_limit=_seconds(line.get("error_limit")),
        ceiling=ceiling(line["kernel"], unit, line["dtype"], device),
        conditions=scalars(line.get("conditions")),
    )


def _error(value: Any) -> float | None:
    # Infinity and NaN travel as text; both mean wrong.
    return float("inf") if value in ("inf", "nan") else _seconds(value)
