"""A session with values made by hand: pages are tested without any engine behind them."""

from app.model.cancel import Cancel
from app.model.facts import Compiler, Cpu, Disk, Distro, Driver, Gpu, MachineFacts, Memory, Network, OperatingSystem, Python, Wsl
from app.model.plan import Choice, Plan
from app.model.text import Text
from app.session import Session

EMBEDDED = r"D:\AI\ComfyUI_windows_portable\python_embeded\python.exe"


def said(text: str) -> Text:
    """A text as a foreign string: no catalogue holds it, so it is shown as it is."""
    return Text(text)


FACTS = MachineFacts(
    schema="machine/1",
    source="hand-written",
    captured_at="2026-11-29T16:42:00+00:00",
    os=OperatingSystem("windows", "10.0.26100", "x86_64", name="Windows 11 24H2", long_paths=False, elevated=False, pending_restart=False),
    cpu=Cpu("AMD Ryzen 7 7700", 8, True),
    memory=Memory(32 * 1024**3),
    disks=(Disk("C:\\", 4_100_000_000, 512_000_000_000), Disk("D:\\", 148_000_000_000, 1_000_000_000_000)),
    gpus=(Gpu("nvidia", "NVIDIA GeForce RTX 4070", 0, "8.9", 12 * 1024**3, "WDDM"),),
    driver=Driver("572.16", "12.8", None),
    toolkits=(),
    compilers=(Compiler("msvc", "Build Tools 2022", "17.14"),),
    vc_runtime="14.44.35211.0",
    wsl=Wsl("2.6.1.0", distros=(Distro("Ubuntu-24.04", 2, True),)),
    network=Network(online=True, proxy=None),
    pythons=(
        Python(
            EMBEDDED,
            "embedded",
            "3.12.10",
            app="ComfyUI portable",
            app_root=r"D:\AI\ComfyUI_windows_portable\ComfyUI",
            packages={"torch": "2.8.0+cu128", "numpy": "2.2.6"},
        ),
        Python(r"D:\ComfyUI\.venv\Scripts\python.exe", "venv", "3.12.9", app="ComfyUI Desktop", app_root=r"D:\ComfyUI", packages={"torch": "2.7.1+cu128"}),
    ),
)


class SampleSession(Session):
    """Shows what it is given; runs nothing."""

    def __init__(self, home: str | None = None, language: str = "en") -> None:
        super().__init__(home, language)  # type: ignore[arg-type]
        self.code = "K7QM-3TX9-4HWD"

    def support_code(self, page: str) -> str:
        return self.code

    def runs(self) -> tuple:
        return ()

    def scan(self, cancel: Cancel, folders: tuple[str, ...] = ()) -> MachineFacts:
        self.facts = FACTS
        return FACTS

    def decide(self, choice: Choice) -> Plan:
        self.choice = choice
        return self.plan  # type: ignore[return-value]
