"""What happens at the next start: kernels come from the cache. Then the largest kernel, attention."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import proof_events


def main():
    names = proof_events.chosen()
    if proof_events.NO_NUMPY:
        proof_events.skip(names, "needs-numpy")
    else:
        import proof_kernels

        proof_events.run_checks({"compile-warm": proof_kernels.compile_warm, "attention": proof_kernels.attention}, names)
    proof_events.finish()


if __name__ == "__main__":
    main()
