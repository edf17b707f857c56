"""All listed machines."""

from tests.machines.listed_apps import APPS
from tests.machines.listed_gpus import GPU_MACHINES
from tests.machines.listed_linux import LINUX_MACHINES
from tests.machines.listed_places import PLACES
from tests.machines.listed_systems import SYSTEMS
from tests.machines.listed_wsl import WSL_MACHINES
from tests.machines.machine import Machine

MACHINES: tuple[Machine, ...] = (*GPU_MACHINES, *WSL_MACHINES, *SYSTEMS, *APPS, *PLACES, *LINUX_MACHINES)
