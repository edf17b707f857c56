"""Steps that write a file, run a command or clear caches."""

import contextlib
import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from app.host.elevation import EnableLongPaths
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.running.run import Run, list_argument, text_argument


def write_file(step: Step, run: Run) -> None:
    """Writes `content` to `path`; `encoding` is UTF-8 unless the step says otherwise (a batch file may need the system's)."""
    try:
        content = text_argument(step, "content").encode(text_argument(step, "encoding", "utf-8"))
    except (UnicodeEncodeError, LookupError) as error:
        raise Problem(Text("run.file-failed", {"path": text_argument(step, "path"), "reason": str(error)})) from error
    path = Path(text_argument(step, "path"))
    run.write_file(path, content)
    if os.name != "nt" and step.arguments.get("executable") is True:
        path.chmod(0o755)


def run_command(step: Step, run: Run) -> None:
    """Runs the step's own `argv`. Problem with its exit code if it is not 0."""
    code = run.execute(step, step.argv)
    if code != 0:
        raise Problem(Text("run.command-failed", {"program": Path(step.argv[0]).name, "code": code}))


def set_long_paths(step: Step, run: Run) -> None:
    """Allows paths beyond 260 characters, for the whole machine; the one setting that stays after an undo, for others may rely on it."""
    run.elevate(step, EnableLongPaths("enable-long-paths"))


def clear_caches(step: Step, run: Run) -> None:
    """Removes compiled kernels that another Triton, torch or Python left. They are made anew when needed, so nothing takes this back."""
    for folder in (*map(Path, list_argument(step, "folders")), *_cache_folders(run)):
        if not folder.is_dir():
            continue
        doomed = folder.with_name(f"{folder.name}.{uuid.uuid4().hex[:8]}.old")
        try:
            # Renamed first: a cache in use fails here as a whole and is not left half empty.
            run.host.rename(str(folder), str(doomed))
        except Problem as problem:
            run.say(step, f"keeps {folder}: {problem.text.params.get('reason', 'in use')}")
            continue
        run.say(step, f"clears {folder}")
        run.host.remove(str(doomed))


def _cache_folders(run: Run) -> Iterator[Path]:
    """Triton's and inductor's own places (triton/knobs.py, torch/_inductor/runtime/cache_dir_utils.py)."""
    environment = {name.upper(): value for name, value in run.host.environment().items()}
    home = Path(environment.get("TRITON_HOME") or environment.get("USERPROFILE") or environment.get("HOME") or Path.home())
    yield Path(environment["TRITON_CACHE_DIR"]) if environment.get("TRITON_CACHE_DIR") else home / ".triton" / "cache"
    if environment.get("TORCHINDUCTOR_CACHE_DIR"):
        yield Path(environment["TORCHINDUCTOR_CACHE_DIR"])
    else:
        with contextlib.suppress(OSError):
            user = environment.get("USERNAME") or environment.get("USER") or environment.get("LOGNAME") or "root"
            yield Path(environment.get("TEMP") or environment.get("TMPDIR") or tempfile.gettempdir()) / f"torchinductor_{user}"
