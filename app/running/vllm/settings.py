"""The settings of the server, and the command line they mean.

Options are those of `vllm serve` (vllm/engine/arg_utils.py, vllm/entrypoints/common/cli_args.py). The key is never among
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
    """`distro` is empty for a server on Windows itself. `gpu_share` is a fraction as text, `sequences` how many answers at a time.

    `max_model_len` is in tokens; 0: as many as vLLM finds room for.
    """

    python: str
    distro: str
    model: str
    port: int
    gpu_share: str
    sequences: int = 8
    max_model_len: int = 0
    enforce_eager: bool = False


def settings_of(step: Step) -> ServerSettings:
    """The settings in a step; Problem if the plan would open the server to other machines."""
    if text_argument(step, "host", LOOPBACK) != LOOPBACK:
        raise Problem(Text("vllm.only-this-pc"), ExitCode.BAD_INPUT)
    model = text_argument(step, "model")
    if model.startswith("-"):
        raise Problem(Text("run.step-argument", {"step": step.id, "argument": "model"}), ExitCode.BAD_INPUT)
    return ServerSettings(
        text_argument(step, "python"),
        text_argument(step, "distro"),
        model,
        _number(step, "port", 8000),
        text_argument(step, "gpu_share", "0.85"),
        _number(step, "sequences", 8),
        _number(step, "max_model_len", 0),
        step.arguments.get("enforce_eager") is True,
    )


def _number(step: Step, name: str, default: int) -> int:
    value = step.arguments.get(name, default)
    if not isinstance(value, int):
        raise Problem(Text("run.step-argument", {"step": step.id, "argument": name}))
    return value


def serve_arguments(settings: ServerSettings) -> tuple[str, ...]:
    """What follows the Python: the module, the model and its options."""
    place = ("--host", LOOPBACK, "--port", str(settings.port))
    length = str(settings.max_model_len or "auto")
    limits = ("--gpu-memory-utilization", settings.gpu_share, "--max-model-len", length, "--max-num-seqs", str(settings.sequences))
    eager = ("--enforce-eager",) if settings.enforce_eager else ()
    return ("-m", "vllm.entrypoints.cli.main", "serve", settings.model, *place, *limits, *eager)


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
