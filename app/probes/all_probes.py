"""The list of probes, and the scan that runs them."""

import dataclasses
from collections.abc import Callable

from app.host.protocol import Readings
from app.host.recording import Recorder
from app.model.cancel import Cancel
from app.model.events import FactsArrived
from app.model.scan import ScanResult
from app.probes.compilers import COMPILERS
from app.probes.disks import DISKS
from app.probes.gpus import GPUS
from app.probes.linux_only import LINUX_ABSENT
from app.probes.management import MANAGEMENT
from app.probes.network import NETWORK
from app.probes.pythons import pythons_probe
from app.probes.scanning import Probe, run_probes
from app.probes.system import LINUX_SYSTEM
from app.probes.toolkits import TOOLKITS
from app.probes.tools import TOOLS
from app.probes.variables import VARIABLES
from app.probes.vc_runtime import VC_RUNTIME
from app.probes.windows_system import WINDOWS_SYSTEM
from app.probes.wsl import WSL


def all_probes(folders: tuple[str, ...] = (), previous: ScanResult | None = None) -> tuple[Probe, ...]:
    """Every probe, slow ones first, so that they are under way early."""
    slow = (pythons_probe(folders, previous), GPUS, WSL, MANAGEMENT, TOOLS, COMPILERS)
    return (*slow, WINDOWS_SYSTEM, LINUX_SYSTEM, DISKS, TOOLKITS, NETWORK, VARIABLES, VC_RUNTIME, LINUX_ABSENT)


def scan(
    host: Readings,
    emit: Callable[[FactsArrived], None],
    cancel: Cancel,
    folders: tuple[str, ...] = (),
    previous: ScanResult | None = None,
    *,
    only: frozenset[str] | None = None,
) -> ScanResult:
    """Reads the machine. Cancelled if the token is set; otherwise always a result, with gaps for what is not known.

    `folders`: where else to look for Pythons. `previous`: the last scan, whose environments are read again only if they
    changed. `only`: names of probes to run; the facts of all others come from `previous`.
    """
    if previous is not None and isinstance(host, Recorder) and host.starts_empty:
        # A recording must give all facts by itself, so nothing is spared.
        previous = dataclasses.replace(previous, stamps={})
    probes = tuple(probe for probe in all_probes(folders, previous) if only is None or probe.name in only)
    return run_probes(probes, host, emit, cancel, previous)
