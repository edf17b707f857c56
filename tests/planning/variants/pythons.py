"""Pythons, and the torch in them."""

from app.model.plan import Goal, TorchChange
from app.model.unknown import UNKNOWN
from tests.planning.build import machine, python
from tests.planning.variants.row import ACT, NEW, READY, VENV, Row, arm, has, system

PYTHONS = (
    *(
        Row(f"only Python {minor}", machine(system(f"{minor}.1")), READY, {"torch": "2.13.0+cu130"}, has=("python-version-unsupported",), python=NEW)
        for minor in ("3.7", "3.8", "3.15")
    ),
    Row("only Python 3.9", machine(system("3.9.21")), READY, {"torch": "2.13.0+cu130"}, python=NEW),
    Row("an empty venv of Python 3.9", machine(python(None, version="3.9.21")), READY, {"torch": "2.8.0+cu128", "triton-windows": "3.4.0.post21"}, python=VENV),
    Row(
        "a venv that no torch for this card fits",
        machine(python(None, version="3.9.1"), capability="12.1"),
        READY,
        {"torch": "2.14.1+cu130"},
        python=NEW,
        goals=(Goal.TRITON,),
    ),
    Row("32 bit", machine(system(bits=32, arch="x86")), READY, {}, has=("wheel-unsupported",), lacks=("torch-missing",), python=NEW),
    Row("free-threaded", machine(python(free_threaded=True, version="3.14.2")), READY, {}, has=("wheel-unsupported",), python=NEW),
    Row(
        "free-threaded and named",
        machine(python(free_threaded=True)),
        ACT,
        {},
        has=("wheel-unsupported",),
        choice={"python": VENV},
        options=("new-environment",),
    ),
    Row("a Python of Arm on x64", machine(python(arch="arm64")), READY, {}, has=("dll-wrong-architecture",), python=NEW),
    Row("Arm without NVIDIA's torch", arm(python(None, arch="arm64")), ACT, {"torch": None}, has=("wheel-not-published",), lacks=("torch-missing",), steps=()),
    Row(
        "Arm with it",
        arm(python("2.14.0+cu134", arch="arm64")),
        READY,
        {"triton-windows": "3.8.0.post29", "sageattention": None},
        has=("wheel-not-published",),
        keeps=("torch",),
    ),
    Row(
        "the Store's Python",
        machine(python(None, "C:\\WindowsApps\\python.exe", kind="store")),
        READY,
        {},
        has=("store-alias",),
        lacks=("torch-missing",),
        python=NEW,
    ),
    Row("a broken venv", machine(python(base_ok=False)), READY, {}, has=("venv-broken",), lacks=("triton-missing",), python=NEW),
    Row(
        "a new environment where a broken one lies",
        machine(python(base_ok=False)),
        ACT,
        {},
        has=("venv-broken",),
        choice={"new_env": "D:\\work\\venv"},
        steps=(),
        options=("new-environment",),
    ),
    Row(
        "an embedded Python of no app",
        machine(python("2.8.0+cu128", "D:\\x\\python\\python.exe", kind="embedded", has_headers=False)),
        READY,
        {},
        has=("python-headers-missing",),
        keeps=("torch",),
    ),
    Row(
        "a system Python with a CUDA torch",
        machine(system(torch="2.8.0+cu128")),
        READY,
        {"triton-windows": "3.4.0.post21"},
        python="C:\\Pythons\\3.12.10\\python.exe",
        keeps=("torch",),
    ),
    Row("a system Python with a CPU torch", machine(system(torch="2.8.0+cpu")), READY, {"torch": "2.13.0+cu130"}, has=("torch-cpu-only",), python=NEW),
    Row(
        "conda's torch that does not say its build",
        machine(python("2.5.1", kind="conda", torch_arch_list=UNKNOWN)),
        ACT,
        {"triton-windows": None},
        lacks=("torch-cpu-only",),
        steps=(),
    ),
    Row("a venv that may not be written", machine(python(writable=False)), ACT, {}, has=("permission-denied",), keeps=("torch",), options=("new-environment",)),
)

TORCHES = (
    Row(
        "torch of the package index",
        machine(python("2.10.0", torch_arch_list=UNKNOWN)),
        ACT,
        {},
        has=("torch-cpu-only",),
        options=("replace-torch", "new-environment"),
    ),
    Row("torch for AMD on NVIDIA", machine(python("2.9.0+rocm7.10.0")), ACT, {"torch": "2.13.0+cu130"}, options=("replace-torch",)),
    Row("torch for Intel on NVIDIA", machine(python("2.9.0+xpu")), ACT, {"torch": "2.13.0+cu130"}, options=("replace-torch",)),
    Row("torch 1.13", machine(python("1.13.1+cu117")), ACT, {}, has=("triton-torch-mismatch",), options=("replace-torch",)),
    Row("torch 2.3 that may go", machine(python("2.3.1+cu121")), READY, {"torch": "2.13.0+cu130"}, choice={"torch_change": TorchChange.REPLACE}),
    Row("torch newer than the tables", machine(python("2.16.0+cu140")), ACT, {}, has=("triton-torch-mismatch",)),
    Row(
        "a nightly with a known Triton",
        machine(python("2.12.0.dev20260401+cu130")),
        READY,
        {"triton-windows": "3.7.1.post27"},
        goals=(Goal.TRITON,),
        keeps=("torch",),
    ),
    Row("a nightly of the release without one", machine(python("2.15.0.dev20260910+cu130")), ACT, {}, has=("triton-torch-mismatch",)),
    Row(
        "cu118 and SageAttention",
        machine(python("2.7.1+cu118")),
        ACT,
        {"torch": "2.7.1+cu118"},
        has=("wheel-not-published",),
        keeps=("torch",),
        options=("replace-torch", "keep-torch"),
    ),
    Row(
        "cu118 with SageAttention 1",
        machine(has("2.7.1+cu118", sageattention="1.0.6")),
        READY,
        {"sageattention": "1.0.6"},
        has=("wheel-not-published",),
        keeps=("torch", "sageattention"),
    ),
    Row(
        "torchvision of another CUDA",
        machine(has("2.9.1+cu130", torchvision="0.24.1+cu128")),
        READY,
        {},
        has=("wheel-torch-mismatch",),
        keeps=("torch", "torchvision"),
    ),
    Row("torchaudio of another torch", machine(has("2.9.1+cu130", torchaudio="2.8.0+cu130")), READY, {}, has=("wheel-torch-mismatch",), keeps=("torch",)),
    Row("companions that fit", machine(has("2.9.1+cu130", torchaudio="2.9.1+cu130", torchvision="0.24.1+cu130")), READY, {}, lacks=("wheel-torch-mismatch",)),
)
