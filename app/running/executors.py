"""Which function does which kind of step. A new kind is one function and one line."""

from collections.abc import Callable, Mapping
from typing import Final

from app.model.plan import Step
from app.running.build_files import add_python_headers, add_vc_runtime
from app.running.environments import create_environment, fetch_python
from app.running.files import clear_caches, run_command, write_file
from app.running.resolving import resolve
from app.running.run import Run
from app.running.smoke import smoke_test
from app.running.swapping import check_free, swap
from app.running.wheelhouse import download

Executor = Callable[[Step, Run], None]

EXECUTORS: Final[Mapping[str, Executor]] = {
    "check-free": check_free,
    "clear-caches": clear_caches,
    "command": run_command,
    "create-environment": create_environment,
    "download": download,
    "fetch-python": fetch_python,
    "python-headers": add_python_headers,
    "resolve": resolve,
    "smoke-test": smoke_test,
    "swap": swap,
    "vc-runtime": add_vc_runtime,
    "write-file": write_file,
    "write-launcher": write_file,
}
