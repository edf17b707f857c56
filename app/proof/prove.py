"""The proof: runs the payloads in rising order and puts what they said into one value."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.host.places import Places
from app.host.protocol import Changes
from app.model.cancel import Cancel
from app.model.events import Event
from app.model.proof import Check, Level, Proof, ProofVerdict
from app.proof.judge import judge
from app.proof.payloads import Heard, Payload, Target, run_payload

IMPORT_CHECKS: Final = ("import-torch", "import-triton", "torch-sees-gpu")
KERNEL_CHECKS: Final = ("driver-target", "add-odd", "add-large", "softmax", "dot-fp16", "dot-bf16", "dot-fp8", "attention")

IMPORT_LIMIT_S: Final = 180.0
"""A cold disk with a virus scanner needs more than a minute for torch's thousands of files."""

KERNEL_LIMIT_S: Final = 120.0


def prove(
    python: str,
    level: Level,
    host: Changes,
    emit: Callable[[Event], None],
    cancel: Cancel,
    *,
    places: Places,
    checks: tuple[str, ...] | None = None,
) -> Proof:
    """Checks and measures the Python at `python`; only `checks`, if given (those before them that they need run too).

    What fails is a result. Raises Cancelled when the token is set.
    """
    places.cache.mkdir(parents=True, exist_ok=True)
    # A fresh compile cache: an old one would hide a compiler that no longer works, and spoil the cold time.
    cache = Path(tempfile.mkdtemp(prefix="proof-", dir=places.cache))
    try:
        return _Proving(Target(python, host, emit, cancel), level, cache, checks).prove()
    finally:
        shutil.rmtree(cache, ignore_errors=True)


class _Proving:
    def __init__(self, target: Target, level: Level, cache: Path, wanted: tuple[str, ...] | None) -> None:
        self._target = target
        self._level = level
        self._cache = cache
        self._wanted = wanted
        self._heard: list[Heard] = []

    def prove(self) -> Proof:
        self._run("payload_import.py", IMPORT_CHECKS, IMPORT_LIMIT_S, always=True)
        outcome = {check.code: check for check in self._checks()}
        imported = all(outcome[code].outcome == "passed" for code in ("import-torch", "import-triton"))
        sees = outcome["torch-sees-gpu"]
        without_gpu = sees.outcome == "skipped" and sees.numbers.get("reason") == "no-gpu"
        proof = Proof(self._level, ProofVerdict.FAILS, (), device=self._device(), backend="interpreter" if without_gpu else "cuda", python=self._target.python)
        if self._level is not Level.IMPORT and imported and sees.outcome != "failed":
            self._run("payload_kernels.py", KERNEL_CHECKS, KERNEL_LIMIT_S, interpreted=without_gpu)
        elif self._level is not Level.IMPORT:
            self._heard.append(Heard(tuple(Check(code, "skipped", "", {"reason": "not-started"}) for code in self._chosen(KERNEL_CHECKS)), ()))
        return judge(replace(proof, checks=tuple(self._checks())))

    def _run(self, script: str, checks: Iterable[str], limit_s: float, *, interpreted: bool = False, always: bool = False) -> None:
        names = tuple(checks) if always else self._chosen(checks)
        if not names:
            return
        environment: dict[str, str] = {"TRITON_CACHE_DIR": str(self._cache)}
        if interpreted:
            environment["TRITON_INTERPRET"] = "1"
        payload = Payload(script, names, limit_s, environment)
        self._heard.append(run_payload(self._target, payload))

    def _chosen(self, checks: Iterable[str]) -> tuple[str, ...]:
        return tuple(code for code in checks if self._wanted is None or code in self._wanted)

    def _checks(self) -> list[Check]:
        return [check for heard in self._heard for check in heard.checks]

    def _device(self) -> Mapping[str, float | int | str | bool | None] | None:
        said = [line.get("numbers") for heard in self._heard for line in heard.of("device")]
        return next((numbers for numbers in said if isinstance(numbers, dict)), None)
