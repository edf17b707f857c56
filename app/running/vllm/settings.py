"""The settings of the server, and the command line they mean.

Options are those of `vllm serve` (vllm/engine/arg_utils.py, vllm/entrypoints/openai/cli_args.py). The key is never among
them: a command line can be read by every program on the machine.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from app.host.places import Places
from app.model import codec
from app.model.plan import Step
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.run import text_argument

SECRET: Final = "vllm-api-key"  # noqa: S105 - the name under which the credential store keeps it
LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """`distro` is empty for a server on Windows itself. `gpu_share` is a fraction as text, `max_model_len` in tokens, 0: the model's own."""

    python: str
    distro: str
    model: str
    port: int
    gpu_share: str
    max_model_len: int = 0
    enforce_eager: bool = False


def settings_of(step: Step) -> ServerSettings:
    """The settings in a step; Problem if the plan would open the server to other machines."""
    if text_argument(step, "host", LOOPBACK) != LOOPBACK:
        raise Problem(Text("vllm.only-this-pc"), ExitCode.BAD_INPUT)
    port, length = step.arguments.get("port", 8000), step.arguments.get("max_model_len", 0)
    if not isinstance(port, int) or not isinstance(length, int):
        raise Problem(Text("run.step-argument", {"step": step.id, "argument": "port"}))
    return ServerSettings(
        text_argument(step, "python"),
        text_argument(step, "distro"),
        text_argument(step, "model"),
        port,
        text_argument(step, "gpu_share", "0.85"),
        length,
        step.arguments.get("enforce_eager") is True,
    )


def serve_arguments(settings: ServerSettings) -> tuple[str, ...]:
    """What follows the Python: the module and its options."""
    limits = ("--max-model-len", str(settings.max_model_len)) if settings.max_model_len else ()
    eager = ("--enforce-eager",) if settings.enforce_eager else ()
    place = ("--host", LOOPBACK, "--port", str(settings.port))
    return ("-m", "vllm.entrypoints.openai.api_server", "--model", settings.model, *place, "--gpu-memory-utilization", settings.gpu_share, *limits, *eager)


def settings_file(places: Places) -> Path:
    return places.data / "vllm" / "server.json"


def dump_settings(settings: ServerSettings) -> bytes:
    return json.dumps(asdict(settings), indent=1).encode()


def load_settings(places: Places) -> ServerSettings:
    """The settings of the server that was set up; Problem if none was."""
    path = settings_file(places)
    if not path.is_file():
        raise Problem(Text("vllm.not-set-up"), ExitCode.BLOCKED)
    return codec.load(codec.parse(path.read_bytes(), path.name), ServerSettings, path.name)
