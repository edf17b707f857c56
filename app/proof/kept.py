"""Earlier proofs of this machine, so that a new one can say what got worse after an update of a driver or an app."""

import contextlib
import json
import re
from pathlib import Path
from typing import Final

from app.host.places import Places
from app.model.problem import Problem
from app.model.proof import Proof
from app.proof.document import load_proof, proof_document

MOST_KEPT: Final = 40
MAX_BYTES: Final = 4 << 20

_NAME: Final = "proof-{}.json"


def proofs_folder(places: Places) -> Path:
    """Where they lie, beside the logs of runs."""
    return places.logs / "proofs"


def keep_proof(proof: Proof, places: Places) -> Path | None:
    """Writes it down and lets the oldest go. None where it cannot be written: a proof is worth showing all the same."""
    stamp = re.sub(r"\D", "", proof.measured_at or "")[:14]
    folder = proofs_folder(places)
    target = folder / _NAME.format(stamp or "undated")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(proof_document(proof), ensure_ascii=False), encoding="utf-8")
        for old in sorted(folder.glob(_NAME.format("*")))[:-MOST_KEPT]:
            old.unlink()
    except OSError:
        return None
    return target


def earlier_proof(proof: Proof, places: Places) -> Proof | None:
    """The newest kept proof of the same Python and at least the same extent that is older than `proof`."""
    with contextlib.suppress(OSError):
        for path in sorted(proofs_folder(places).glob(_NAME.format("*")), reverse=True):
            kept = read_proof(path)
            if kept is None or kept.python != proof.python or kept.backend != proof.backend or (kept.measured_at or "") >= (proof.measured_at or ""):
                continue
            if {bench.kernel for bench in proof.benchmarks} <= {bench.kernel for bench in kept.benchmarks}:
                return kept
    return None


def kept_proof(python: str, since: str, places: Places) -> Proof | None:
    """The newest kept proof of a Python that was measured at or after `since`."""
    with contextlib.suppress(OSError):
        for path in sorted(proofs_folder(places).glob(_NAME.format("*")), reverse=True):
            kept = read_proof(path)
            if kept is not None and kept.python == python and (kept.measured_at or "") >= since:
                return kept
    return None


def read_proof(path: Path) -> Proof | None:
    """A kept proof; None where the file is damaged or was written by another version."""
    try:
        with path.open("rb") as file:
            return load_proof(json.loads(file.read(MAX_BYTES)), path.name)
    except (OSError, ValueError, RecursionError, Problem):
        return None
