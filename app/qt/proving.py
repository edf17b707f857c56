"""What the proof page does with files and the clipboard: comparing, copying, reading the log of an app."""

from pathlib import Path

from app.model import codec
from app.model.problem import ExitCode, Problem, reason_of
from app.model.proof import Proof
from app.model.text import Text
from app.proof import compare, load_proof, proof_text
from app.qt.speaking import spoken
from app.session import Session
from app.texts import Language, say

MAX_PROOF_BYTES = 16 << 20
SHOWN_WORSE = 6


def copied(proof: Proof, language: Language) -> str:
    """The proof as text for the clipboard."""
    return proof_text(proof, language)


def worse_since(proof: Proof, earlier: Proof, language: Language) -> list[str]:
    """What got worse since, the first few in words; empty if nothing did."""
    worse = [spoken(text, language) for text in compare(proof, earlier)]
    more = [say("page.proof.worse-more", language, count=len(worse) - SHOWN_WORSE)] if len(worse) > SHOWN_WORSE else []
    return [*worse[:SHOWN_WORSE], *more]


def proof_of_file(path: str) -> Proof:
    """The proof in a saved document or in a report. Problem if the file holds none."""
    name = Path(path).name
    if path.lower().endswith(".zip"):
        from app.report import load_machine

        proof = load_machine(Path(path)).report.proof
        if proof is None:
            raise Problem(Text("page.proof.report-without-proof", {"file": name}), ExitCode.BAD_INPUT)
        return proof
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_PROOF_BYTES)
    except OSError as error:
        raise Problem(Text("page.error-text.cannot-read", {"file": name, "reason": reason_of(error)}), ExitCode.BAD_INPUT) from error
    return load_proof(codec.parse(content, name), name)


def compared_with(proof: Proof, earlier: Proof, language: Language) -> str:
    """What got worse, then both measurements of each kernel side by side."""
    worse = [spoken(text, language) for text in compare(proof, earlier)] or [say("page.proof.nothing-worse", language)]
    before = {(bench.kernel, bench.implementation, bench.shape, bench.dtype): bench for bench in earlier.benchmarks}
    both = [(bench, before.get((bench.kernel, bench.implementation, bench.shape, bench.dtype))) for bench in proof.benchmarks]
    lines = [
        (f"{now.kernel}  {now.implementation}  {now.shape} {now.dtype}", f"{then.value:.4g}", f"{now.value:.4g} {now.unit}", f"{now.value / then.value:.2f} ×")
        for now, then in both
        if then is not None and then.value
    ]
    if not lines:
        return "\n".join(worse)
    widths = [max(len(line[place]) for line in lines) for place in range(3)]
    table = [f"{name.ljust(widths[0])}  {then.rjust(widths[1])} → {now.ljust(widths[2])}  {ratio}" for name, then, now, ratio in lines]
    return "\n".join([*worse, "", *table])


def use_of_log(session: Session, path: str) -> Proof:
    """Takes what an app's log says about its attention into the proof. Problem if it cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return session.read_app_log(stream)
    except OSError as error:
        raise Problem(Text("page.error-text.cannot-read", {"file": Path(path).name, "reason": reason_of(error)}), ExitCode.BAD_INPUT) from error
