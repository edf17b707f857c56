"""What does not apply outside Windows, said as absent."""

from typing import Final

from app.probes.look import Look
from app.probes.scanning import Probe


def look_at_absent(look: Look) -> None:
    look.put("vc_runtime", None)
    look.put("wsl", None)


LINUX_ABSENT: Final = Probe("absent", ("vc_runtime", "wsl"), look_at_absent, families=("linux", "wsl"))
