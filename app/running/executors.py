"""Which function does which kind of step. A new kind is one function and one line."""

from collections.abc import Callable, Mapping
from typing import Final

from app.model.plan import Step
from app.running.build_files import add_python_headers, add_vc_runtime
from app.running.environments import create_environment, fetch_python
from app.running.files import clear_caches, run_command, set_long_paths, write_file
from app.running.resolving import resolve
from app.running.run import Run
from app.running.smoke import smoke_test
from app.running.source.building import build_wheel
from app.running.source.toolchain import check_toolchain, fetch_build_tools
from app.running.swapping import check_free, swap
from app.running.vllm.steps import configure_vllm, start_vllm
from app.running.wheelhouse import download
from app.running.wsl.comfyui import copy_models, serve_once
from app.running.wsl.steps import act_in_distro, check_distro_gpu, enable_wsl, install_distro, update_wsl, write_wslconfig

Executor = Callable[[Step, Run], None]

EXECUTORS: Final[Mapping[str, Executor]] = {
    "check-free": check_free,
    "check-toolchain": check_toolchain,
    "clear-caches": clear_caches,
    "command": run_command,
    "create-environment": create_environment,
    "download": download,
    "fetch-build-tools": fetch_build_tools,
    "fetch-python": fetch_python,
    "python-headers": add_python_headers,
    "resolve": resolve,
    "set-long-paths": set_long_paths,
    "smoke-test": smoke_test,
    "source-build": build_wheel,
    "swap": swap,
    "vc-runtime": add_vc_runtime,
    "write-file": write_file,
    "write-launcher": write_file,
    "vllm-configure": configure_vllm,
    "vllm-start": start_vllm,
    "wsl-check-gpu": check_distro_gpu,
    "wsl-command": act_in_distro,
    "wsl-config": write_wslconfig,
    "wsl-copy-models": copy_models,
    "wsl-enable": enable_wsl,
    "wsl-install-distro": install_distro,
    "wsl-serve-once": serve_once,
    "wsl-update": update_wsl,
}
