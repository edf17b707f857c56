"""Compiles every kernel of this folder for a kind of card without one, down to machine code.

Needs Triton alone: no torch, no graphics card, no driver. A check is named after its target: `compiles-sm90`.
This is how far a person comes whose driver is not ready yet, and how we know that no kernel ships that
somebody's card cannot compile.
"""
# ruff: noqa: E402 - without Triton none of the kernels can be imported, so that is looked at first

import argparse
import inspect
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import proof_events

proof_events.need("triton")

import kernel_add
import kernel_attention
import kernel_matmul
import kernel_softmax
import triton
from kernel_matmul import TRITON
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

FEW = ("add fp32", "matmul fp16")
FILES = (kernel_add, kernel_softmax, kernel_matmul, kernel_attention)
WARP = 32
SIZES = ("m", "n", "k", "columns", "row_stride")


def source_of(kernel, types, constants):
    """The kernel with its argument types, in the form that this version of Triton takes.

    Pointers, strides and sizes are told to be multiples of 16, as those of large tensors are: this is what lets the
    compiler load 16 bytes at once and fetch blocks ahead.
    """
    names = list(inspect.signature(kernel.fn).parameters)
    aligned = [name for name, kind in types.items() if kind.startswith("*") or name.startswith("stride") or name in SIZES]
    if TRITON >= (3, 3):
        signature = {name: types.get(name, "constexpr") for name in names}
        attributes = {(names.index(name),): [["tt.divisibility", WARP // 2]] for name in aligned}
        return ASTSource(kernel, signature, {(names.index(name),): value for name, value in constants.items()}, attributes)
    if TRITON >= (3, 2):
        from triton.backends.compiler import AttrsDescriptor

        attributes = AttrsDescriptor.from_dict({"arg_properties": {"tt.divisibility": [names.index(name) for name in aligned]}, "cls": "AttrsDescriptor"})
        return ASTSource(kernel, {name: types[name] for name in names if name in types}, constants, attributes)
    from triton.compiler import AttrsDescriptor

    attributes = AttrsDescriptor(divisible_by_16=tuple(names.index(name) for name in aligned), equal_to_1=())
    return ASTSource(
        kernel, {names.index(name): kind for name, kind in types.items()}, {names.index(name): value for name, value in constants.items()}, attributes
    )


def compile_all(capability, few, most_shared):
    """Every kernel that is meant for compute capability `capability` (90 means 9.0), or just a `few` of them.

    `most_shared`: bytes of shared memory that such a card has for a block; a kernel that wants more would compile,
    and fail when it is started.
    """

    def check():
        began, sizes, slowest = time.perf_counter(), {}, ("", 0.0)
        found = [kernel for file in FILES for kernel in file.ahead(capability)]
        for name, kernel, types, constants, options in found:
            if few and name not in FEW:
                continue
            since = time.perf_counter()
            try:
                compiled = triton.compile(source_of(kernel, types, constants), target=GPUTarget("cuda", capability, WARP), options=options)
            except Exception as error:
                raise RuntimeError(f"{name}: {proof_events.describe(error)}") from error
            if compiled.metadata.shared > most_shared:
                raise RuntimeError(f"{name}: wants {compiled.metadata.shared} bytes of shared memory, such a card has {most_shared}")
            sizes[name] = len(compiled.asm["cubin"])
            slowest = max(slowest, (name, time.perf_counter() - since), key=lambda pair: pair[1])
        numbers = {"kernels": len(sizes), "machine_code_bytes": sum(sizes.values()), "compile_s": round(time.perf_counter() - began, 3)}
        return f"{len(sizes)} kernels", {**numbers, "slowest": slowest[0], "slowest_s": round(slowest[1], 3), "triton": triton.__version__}

    return check


def launcher():
    """Builds Triton's own C module, as it does before the first kernel runs: compiler, headers, import libraries."""
    from triton.backends.nvidia import driver
    from triton.runtime.build import _build

    folder = os.path.dirname(driver.__file__)
    with tempfile.TemporaryDirectory() as out:
        source = os.path.join(out, "cuda_utils.c")
        shutil.copyfile(os.path.join(folder, "driver.c"), source)
        # Linux leaves the driver's functions open until it is loaded; Windows links them from the wheel's import library.
        windows = sys.platform == "win32"
        libraries = [os.path.join(folder, "lib", "x64")] if windows else []
        more = {"ccflags": []} if "ccflags" in inspect.signature(_build).parameters else {}
        built = _build("cuda_utils", source, out, libraries, [os.path.join(folder, "include")], ["cuda"] if windows else [], **more)
        size = os.path.getsize(built)
    return f"{size} bytes", {"size_bytes": size}


def main():
    names = proof_events.chosen()
    parser = argparse.ArgumentParser()
    parser.add_argument("--few", action="store_true", help="a few kernels for each target")
    parser.add_argument("--shared", default="", help="bytes of shared memory by target, such as 89:101376,90:232448")
    options = parser.parse_known_args()[0]
    limits = dict(pair.split(":") for pair in options.shared.split(",") if pair)
    checks = {"launcher": launcher}
    for name in names:
        if name not in checks:
            target = name.rpartition("sm")[2]
            checks[name] = compile_all(int(target), options.few, int(limits.get(target, sys.maxsize)))
    proof_events.run_checks(checks, names)
    proof_events.finish()


if __name__ == "__main__":
    main()
