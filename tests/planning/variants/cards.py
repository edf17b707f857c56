"""Cards and drivers."""

from app.model.facts import Driver
from app.model.plan import TorchChange
from app.model.unknown import UNKNOWN
from tests.planning.build import gpu, machine, python
from tests.planning.variants.row import ACT, BLOCKED, NEW, POST6, READY, Row, bare, has, system

CARDS = (
    Row("Maxwell", bare(capability="5.2"), BLOCKED, {}, has=("gpu-too-old",)),
    Row("Pascal beside a torch that knows it", machine(python("2.7.1+cu126"), capability="6.1"), BLOCKED, {}, has=("gpu-too-old",), lacks=("gpu-too-new",)),
    Row("Volta", bare(capability="7.0"), READY, {"torch": "2.6.0+cu126", "triton-windows": "3.2.0.post21", "sageattention": None}, has=("gpu-lacks-feature",)),
    Row("Volta under a torch without code for it", machine(capability="7.0"), ACT, {"torch": "2.6.0+cu126"}, has=("gpu-too-old",), options=("replace-torch",)),
    Row("Turing", bare(capability="7.5"), READY, {"torch": "2.6.0+cu126", "triton-windows": "3.2.0.post21", "sageattention": "2.2.0+cu126torch2.6.0.post3"}),
    Row(
        "Turing and a Python that its best torch lacks",
        machine(system("3.14.0"), capability="7.5"),
        READY,
        {"torch": "2.6.0+cu126"},
        python=NEW,
    ),
    Row("Turing in such a Python", machine(python(None, version="3.14.0"), capability="7.5"), READY, {"torch": "2.13.0+cu130"}, has=("gpu-lacks-feature",)),
    Row("Turing under a new torch", machine(capability="7.5"), READY, {"triton-windows": "3.6.0.post26"}, has=("gpu-lacks-feature",), keeps=("torch",)),
    Row("Hopper", bare(capability="9.0"), READY, {"torch": "2.13.0+cu130", "sageattention": POST6}),
    Row("B200", bare(capability="10.0"), READY, {"triton-windows": "3.8.0.post29", "sageattention": None}, has=("wheel-not-published",)),
    Row("RTX 50", bare(capability="12.0"), READY, {"torch": "2.13.0+cu130", "triton-windows": "3.7.1.post27", "sageattention": POST6}),
    Row("a card newer than the tables", bare(capability="13.0"), ACT, {"torch": None}, has=("gpu-too-new", "wheel-not-published"), python=None, steps=()),
    Row("laptop with an Intel card first", machine(gpus=(gpu(None, "intel"), gpu("8.6", index=1))), READY, {}, lacks=("no-nvidia-gpu",), keeps=("torch",)),
    Row("desktop with an AMD processor's card", machine(gpus=(gpu(None, "amd"), gpu("8.9", index=1))), READY, {}, lacks=("amd-gpu",), keeps=("torch",)),
    Row("AMD beside Intel", machine(gpus=(gpu(None, "intel"), gpu(None, "amd")), driver=None), BLOCKED, {}, has=("amd-gpu",), lacks=("driver-missing",)),
    Row("Intel Arc", machine(gpus=(gpu(None, "intel"),), driver=None), BLOCKED, {}, has=("no-nvidia-gpu",), lacks=("driver-missing",)),
    Row("no card at all", machine(gpus=(), driver=None), BLOCKED, {}, has=("no-nvidia-gpu",)),
    Row("Pascal beside Ada", machine(gpus=(gpu("6.1"), gpu("8.9", index=1))), READY, {}, has=("gpu-mixed",), lacks=("gpu-too-old",), keeps=("torch",)),
    Row("Ampere beside Blackwell", machine(python("2.6.0+cu124"), gpus=(gpu("8.6"), gpu("12.0", index=1))), ACT, {}, has=("gpu-mixed", "gpu-too-new")),
    Row(
        "Blackwell switched off beside Ampere",
        machine(python("2.6.0+cu124"), gpus=(gpu("8.6"), gpu("12.0", index=1, status="disabled"))),
        READY,
        {"triton-windows": "3.2.0.post21"},
        has=("gpu-hidden",),
        lacks=("gpu-too-new",),
        keeps=("torch",),
    ),
    Row("the only card switched off", machine(gpus=(gpu("8.9", status="disabled"),)), ACT, {}, has=("gpu-hidden",), lacks=("no-nvidia-gpu",)),
    Row(
        "Blackwell of the data centre with a wheel that lacks it",
        machine(has("2.14.0+cu130", sageattention=POST6), capability="12.1"),
        READY,
        {},
        has=("wheel-torch-mismatch",),
        keeps=("torch",),
    ),
)

DRIVERS = (
    Row(
        "the driver stands between the card and SageAttention",
        bare(driver_version="472.12"),
        ACT,
        {"torch": "2.7.1+cu118"},
        has=("driver-too-old",),
        options=("without-sage",),
    ),
    Row(
        "going on without it", bare(driver_version="472.12"), READY, {"torch": "2.7.1+cu118", "sageattention": None}, choice={"torch_change": TorchChange.KEEP}
    ),
    Row("no torch for that driver and card", bare(driver_version="472.12", capability="12.0"), ACT, {"torch": "2.13.0+cu130"}, has=("driver-too-old",)),
    Row("a driver with limits", bare(driver_version="537.58"), READY, {"torch": "2.13.0+cu126"}, has=("driver-too-old",)),
    Row("a driver before CUDA 13", bare(driver_version="576.88"), READY, {"torch": "2.13.0+cu126"}, lacks=("driver-too-old",)),
    Row("the same for Blackwell", bare(driver_version="576.88", capability="12.0"), READY, {"torch": "2.11.0+cu128", "triton-windows": "3.6.0.post26"}),
    Row(
        "a torch newer than the driver",
        machine(python("2.9.1+cu130"), driver_version="572.83"),
        ACT,
        {"torch": "2.9.1+cu130"},
        has=("driver-too-old",),
        keeps=("torch",),
    ),
    Row("no driver", bare(driver=None), ACT, {"torch": "2.13.0+cu130"}, has=("driver-missing",), lacks=("no-nvidia-gpu",)),
    Row(
        "code 43",
        machine(gpus=(gpu(None, status="error: code 43"),), driver=Driver(UNKNOWN, UNKNOWN, "Code 43")),
        ACT,
        {"triton-windows": None},
        has=("driver-broken",),
    ),
    Row("a driver whose version is not known", bare(driver=Driver(UNKNOWN, "12.8", None)), ACT, {"torch": None}, lacks=("driver-missing",), steps=()),
)
