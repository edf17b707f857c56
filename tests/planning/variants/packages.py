"""What earlier attempts left: wrong, old, doubled and damaged packages."""

from app.model.plan import Goal
from app.model.unknown import UNKNOWN
from tests.planning.build import machine, python
from tests.planning.variants.row import ACT, POST6, READY, RIGHT, Row, has

LEFTOVERS = (
    Row(
        "Triton a minor behind",
        machine(has("2.10.0+cu128", triton_windows="3.5.1.post24")),
        READY,
        {"triton-windows": "3.6.0.post26"},
        has=("triton-torch-mismatch",),
        keeps=("torch",),
    ),
    Row(
        "Triton a minor ahead",
        machine(has("2.13.0+cu130", triton_windows="3.8.0.post29")),
        READY,
        {"triton-windows": "3.7.1.post27"},
        has=("triton-torch-mismatch",),
    ),
    Row("an old post release that works", machine(has("2.10.0+cu128", triton_windows="3.6.0.post24")), READY, {}, goals=(Goal.TRITON,), steps=()),
    Row(
        "the Linux package alone",
        machine(has("2.8.0+cu128", triton="3.0.0")),
        READY,
        {"triton-windows": "3.4.0.post21"},
        has=("package-conflict",),
        keeps=("torch",),
    ),
    Row(
        "both Tritons",
        machine(has("2.8.0+cu128", triton="3.0.0", triton_windows="3.5.1.post24")),
        READY,
        {"triton-windows": "3.4.0.post21"},
        has=("package-conflict",),
    ),
    Row("Intel's Triton", machine(has("2.8.0+cu128", triton_xpu="3.2.0")), READY, {}, has=("package-conflict",)),
    Row("lookalikes", machine(has("2.8.0+cu128", triton_library="1.0", sage_attention="0.1")), READY, {}, has=("lookalike-package",)),
    Row("SageAttention 1", machine(has("2.8.0+cu128", sageattention="1.0.6")), READY, {"sageattention": "2.2.0+cu128torch2.8.0.post3"}, has=("sage-too-old",)),
    Row(
        "SageAttention of another CUDA",
        machine(has("2.9.1+cu130", sageattention="2.2.0+cu128torch2.9.0andhigher.post4")),
        READY,
        {"sageattention": RIGHT["sageattention"]},
        has=("wheel-torch-mismatch",),
    ),
    Row(
        "SageAttention with the known fault",
        machine(has("2.10.0+cu130", sageattention="2.2.0+cu130torch2.10.0andhigher.post5")),
        READY,
        {"sageattention": POST6},
        has=("results-wrong",),
    ),
    Row("SageAttention of one's own", machine(has("2.14.1+cu130", sageattention="2.2.0")), READY, {"sageattention": "2.2.0"}, keeps=("torch", "sageattention")),
    Row(
        "SageAttention that nobody asks about",
        machine(has("2.9.1+cu130", sageattention="1.0.6", triton_windows="3.5.1.post24")),
        READY,
        {},
        goals=(Goal.TRITON,),
        lacks=("sage-too-old",),
        steps=(),
    ),
    Row(
        "Triton that does not load",
        machine(python("2.9.1+cu130", packages=RIGHT, imports={"triton": "DLL load failed while importing libtriton: x"}), vc_runtime=UNKNOWN),
        READY,
        {},
        has=("vc-runtime-missing",),
        steps=("check-free", "vc-runtime", "smoke-test"),
    ),
    Row(
        "a damaged Triton",
        machine(python("2.9.1+cu130", packages=RIGHT, imports={"triton": "No module named 'triton._C'"})),
        READY,
        {},
        has=("file-damaged",),
        steps=("check-free", "resolve", "download", "swap", "smoke-test"),
    ),
    Row(
        "a SageAttention that does not load",
        machine(python("2.9.1+cu130", packages=RIGHT, imports={"sageattention": "DLL load failed while importing _fused: x"})),
        READY,
        {},
        has=("wheel-torch-mismatch",),
        keeps=("torch", "triton-windows"),
    ),
    Row(
        "a torch that does not load",
        machine(python("2.9.1+cu130", packages=RIGHT, imports={"torch": "OSError: [WinError 1114] c10.dll"})),
        ACT,
        {},
        has=("dll-init-failed",),
        steps=(),
        options=("new-environment",),
    ),
    Row(
        "all right and loading",
        machine(python("2.9.1+cu130", packages=RIGHT, imports=dict.fromkeys(("torch", "triton", "sageattention"), "ok"))),
        READY,
        {},
        steps=(),
    ),
)
