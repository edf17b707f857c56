"""Starts another script, ComfyUI's main.py, and counts how often attention really runs through SageAttention.

    python count_sage.py main.py --use-sage-attention ...

Calls of torch's own attention are counted beside it: they show what a mask or an opt-out of a model sent back there.
Functions are wrapped the moment ComfyUI imports their modules, no earlier, because it must be the first to import
torch. Nothing of ComfyUI is changed. The counts go to standard error as one JSON line whenever one has doubled, and
at the end.
"""

import atexit
import functools
import importlib.machinery
import json
import os
import runpy
import sys

OWN = os.path.dirname(os.path.abspath(__file__))
COUNTS = {"sage_calls": 0, "masked_calls": 0, "torch_calls": 0, "torch_masked_calls": 0}


def counted(function, calls, masked, mask_place=None):
    """The function, counting its calls. Its signature stays visible: ComfyUI asks it whether masks are supported."""

    @functools.wraps(function)
    def attention(*arguments, **options):
        if not is_compiling():
            mask = arguments[mask_place] if mask_place is not None and len(arguments) > mask_place else options.get("attn_mask")
            COUNTS[calls] += 1
            COUNTS[masked] += mask is not None
            if COUNTS[calls] & (COUNTS[calls] - 1) == 0:
                tell()
        return function(*arguments, **options)

    return attention


def is_compiling():
    """Whether torch.compile reads this just now: it would compile anew for every count that it sees."""
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    return hasattr(compiler, "is_compiling") and compiler.is_compiling()


def tell():
    """Writes the counts to standard error, where ComfyUI's log goes too."""
    sys.stderr.write(json.dumps(COUNTS) + "\n")
    sys.stderr.flush()


def wrap_sage(module):
    """Every attention function of SageAttention: nodes also call the single kernels. Inside the package they call
    each other by other names, so none counts twice."""
    for name in [name for name in dir(module) if name.startswith("sageattn")]:
        if callable(getattr(module, name)):
            setattr(module, name, counted(getattr(module, name), "sage_calls", "masked_calls"))


def wrap_torch(module):
    """torch's attention, which takes what does not go to SageAttention. Its fourth argument is the mask."""
    module.scaled_dot_product_attention = counted(module.scaled_dot_product_attention, "torch_calls", "torch_masked_calls", 3)


class Wrapping:
    """Finds the modules to be wrapped as Python would, and wraps their functions once they have been read."""

    def __init__(self, acts):
        self.acts = dict(acts)

    def find_spec(self, name, path=None, target=None):
        act = self.acts.pop(name, None)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if act else None
        if spec is None or spec.loader is None:
            return None
        read = spec.loader.exec_module

        def exec_module(module):
            read(module)
            act(module)

        spec.loader.exec_module = exec_module
        return spec


def main():
    script = os.path.abspath(sys.argv[1])
    sys.argv = [script, *sys.argv[2:]]
    # As if the script had been started itself: its folder first, where ComfyUI finds its own modules, and not ours.
    sys.path[:] = [os.path.dirname(script), *(place for place in sys.path if os.path.abspath(place) != OWN)]
    sys.meta_path.insert(0, Wrapping({"sageattention": wrap_sage, "torch.nn.functional": wrap_torch}))
    atexit.register(lambda: any(COUNTS.values()) and tell())
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    # The started script becomes the main module: what counts must belong to another, where torch.compile finds it.
    sys.path.insert(0, OWN)
    import count_sage

    count_sage.main()
