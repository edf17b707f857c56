"""The completion record: what we made of an environment, left in it so that a later scan knows our work and sees what changed since."""

from pathlib import Path

from app import __version__
from app.model import codec
from app.model.completion import RECORD_NAME, Completion
from app.running.journal import now
from app.running.resolving import read_resolution
from app.running.run import Run
from app.running.target import Target, installed


def record_path(target: Target) -> Path:
    """Beside site-packages."""
    return Path(target.purelib).parent / RECORD_NAME


def leave_record(run: Run, target: Target) -> None:
    """Writes the record as an act of the run, so that an undo takes it away or puts the earlier one back."""
    present = installed(target)
    names = {wheel.name for wheel in read_resolution(run).wheels} | set(run.plan.packages)
    completion = Completion(
        run=run.id,
        time=now(),
        program_version=__version__,
        python=target.executable,
        python_version=target.version,
        goals=tuple(goal.value for goal in run.plan.choice.goals),
        packages={name: present[name] for name in sorted(names) if name in present},
        keeps=run.plan.keeps,
    )
    run.write_file(record_path(target), codec.dumps(completion).encode())
