"""What builds on Triton: torch.compile and SageAttention. Do they run, and are they right?"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import proof_events
import proof_sage
import torch
from proof_events import Wrong
from proof_measure import relative_error


def torch_compile():
    """torch.compile of a small function: inductor writes Triton code for it."""

    def plain(x, y):
        return torch.nn.functional.gelu(x * y + 1.0).sum(dim=1)

    x, y = torch.randn(257, 1023, device="cuda"), torch.randn(257, 1023, device="cuda")
    began = time.perf_counter()
    compiled = torch.compile(plain)(x, y)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - began
    error = relative_error(compiled, plain(x.double(), y.double()))
    if not error <= 1e-5:
        raise Wrong(f"torch.compile: relative error {error:.2e}", error=error, error_limit=1e-5)
    return f"{seconds:.1f} s", {"compile_s": round(seconds, 3), "error": error, "error_limit": 1e-5}


CHECKS = {"torch-compile": torch_compile, "sage-import": proof_sage.sage_import, "sage-accuracy": proof_sage.sage_accuracy}


def main():
    proof_events.run_checks(CHECKS, proof_events.chosen())
    proof_events.finish()


if __name__ == "__main__":
    main()
