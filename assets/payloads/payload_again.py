"""What happens at the next start: kernels come from the cache. Then the largest kernel, attention."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import proof_events
import proof_kernels

CHECKS = {"compile-warm": proof_kernels.compile_warm, "attention": proof_kernels.attention}


def main():
    proof_events.run_checks(CHECKS, proof_events.chosen())
    proof_events.finish()


if __name__ == "__main__":
    main()
