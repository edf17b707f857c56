"""The elevated side of a step: one request file in, an exit code out, nothing else."""

from pathlib import Path

from app.model.problem import ExitCode, Problem
from app.model.text import Text

ELEVATED_OPTION = "--elevated-step"


def run_elevated(arguments: list[str]) -> int:
    """`--elevated-step FILE --nonce N`, in exactly this form. Problem (exit code 2) for anything else."""
    from app.host.elevation import load_request, perform_request
    from app.host.elevation.perform import ELEVATED_DONE, ELEVATED_REFUSED, ELEVATED_RESTART

    if len(arguments) != 4 or arguments[2] != "--nonce":
        raise Problem(Text("elevation.refused", {"reason": "the command line has another form"}), ExitCode.BAD_INPUT)
    try:
        result = perform_request(load_request(Path(arguments[1]), arguments[3]))
    except Problem as problem:
        if problem.exit_code is ExitCode.BAD_INPUT:
            return ELEVATED_REFUSED
        raise
    return ELEVATED_RESTART if result.restart_required else result.exit_code or ELEVATED_DONE
