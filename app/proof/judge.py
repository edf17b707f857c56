"""The verdict over what was measured. Pure: the same checks and benchmarks give the same verdict."""

from collections.abc import Sequence
from dataclasses import replace

from app.model.proof import Benchmark, Check, Proof, ProofVerdict


def judge(proof: Proof) -> Proof:
    """The proof with its verdict."""
    return replace(proof, verdict=_verdict(proof.checks, proof.benchmarks))


def _verdict(checks: Sequence[Check], benchmarks: Sequence[Benchmark]) -> ProofVerdict:
    failed = [check for check in checks if check.outcome == "failed"]
    if any(check.numbers.get("wrong") is True for check in failed) or any(_is_wrong(bench) for bench in benchmarks):
        return ProofVerdict.WRONG
    if failed or not any(check.outcome == "passed" for check in checks):
        return ProofVerdict.FAILS
    return ProofVerdict.WORKS


def _is_wrong(bench: Benchmark) -> bool:
    return bench.error is not None and bench.error_limit is not None and not bench.error <= bench.error_limit
