"""Starts another script, ComfyUI's main.py, and counts how often SageAttention's function is really called.

    python count_sage.py main.py --use-sage-attention ...

The function is wrapped before ComfyUI imports it, so nothing of ComfyUI is changed. The count goes to standard
error as one JSON line whenever it has doubled, and at the end.
"""

import atexit
import functools
import json
import os
import runpy
import sys

COUNTS = {"sage_calls": 0, "masked_calls": 0}


def counted(function):
    """The function, counting its calls. Its signature stays visible: ComfyUI asks it whether masks are supported."""

    @functools.wraps(function)
    def attention(*arguments, **options):
        COUNTS["sage_calls"] += 1
        COUNTS["masked_calls"] += options.get("attn_mask") is not None
        if COUNTS["sage_calls"] & (COUNTS["sage_calls"] - 1) == 0:
            tell()
        return function(*arguments, **options)

    return attention


def tell():
    """Writes the counts to standard error, where ComfyUI's log goes too."""
    sys.stderr.write(json.dumps(COUNTS) + "\n")
    sys.stderr.flush()


def main():
    script = os.path.abspath(sys.argv[1])
    sys.argv = [script, *sys.argv[2:]]
    # As if the script had been started itself: its folder first, where ComfyUI finds its own modules.
    sys.path[0] = os.path.dirname(script)
    try:
        import sageattention
    except ImportError:  # ComfyUI says so itself, in its own words
        sageattention = None
    if sageattention is not None:
        # Nodes also call the single kernels; inside the package they call each other by other names, so none counts twice.
        for name in [name for name in dir(sageattention) if name.startswith("sageattn")]:
            if callable(getattr(sageattention, name)):
                setattr(sageattention, name, counted(getattr(sageattention, name)))
        atexit.register(tell)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
