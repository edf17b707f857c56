"""Does Triton load, compile, run and get it right on this card? The first payload, in rising order."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import proof_events
import proof_imports


def kernel_checks():
    """Only now are torch and Triton imported: their import is a check of its own, and it came first."""
    import proof_kernels

    return {
        "driver-target": proof_kernels.driver_target,
        "compile-cold": proof_kernels.compile_cold,
        "add-odd": proof_kernels.add_odd,
        "add-large": proof_kernels.add_large,
        "softmax": proof_kernels.softmax,
        "dot-fp16": proof_kernels.dot_fp16,
        "dot-bf16": proof_kernels.dot_bf16,
        "dot-fp8": proof_kernels.dot_fp8,
    }


def main():
    names = proof_events.chosen()
    proof_events.run_checks(proof_imports.CHECKS, [name for name in names if name in proof_imports.CHECKS])
    rest = [name for name in names if name not in proof_imports.CHECKS]
    if proof_events.FAILED or proof_events.NO_NUMPY:
        proof_events.skip(rest, "not-started" if proof_events.FAILED else "needs-numpy")
    elif rest:
        checks = kernel_checks()
        proof_events.run_checks(checks, [name for name in rest if name in checks])
    proof_events.finish()


if __name__ == "__main__":
    main()
