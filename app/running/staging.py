"""Unpacking wheels beside the environment, on its volume: everything slow happens here, where nothing can break yet."""

import queue
import threading
import zipfile
from collections.abc import Iterable
from pathlib import Path

from app.model.plan import Step
from app.model.problem import Cancelled, Problem
from app.model.text import Text
from app.running.run import Run, text_argument
from app.running.target import Target
from app.running.tools import find_uv, lend_pip
from app.running.wheels import Wheel


def stage(step: Step, run: Run, target: Target, wheels: Iterable[Wheel], wheelhouse: Path, *, staged: Path | None = None) -> None:
    """Unpacks `wheels` into the run's staging tree (or another one), which mirrors the environment. Problem if no installer manages it."""
    staged = staged or staging_folder(run, target)
    wheels = [wheel for wheel in wheels if not _mark(staged, wheel).is_file()]
    if not wheels:
        return
    _check_room(run, target, [wheelhouse / wheel.filename for wheel in wheels])
    pins = run.folder / f"stage-{threading.get_ident()}.txt"
    run.host.write_file(str(pins), "".join(f"{wheel.name}=={wheel.version}\n" for wheel in wheels).encode())
    for argv, environment in _engines(run, target, wheelhouse, staged, pins):
        if run.execute(step, argv, environment=environment) == 0:
            break
        run.say(step, "this installer failed; trying the next way")
    else:
        raise Problem(Text("run.unpack-failed", {"packages": ", ".join(f"{wheel.name} {wheel.version}" for wheel in wheels)}))
    # A lock file that uv leaves at the top of what it installs into.
    (staged / ".lock").unlink(missing_ok=True)
    for wheel in wheels:
        mark = _mark(staged, wheel)
        mark.parent.mkdir(exist_ok=True)
        mark.touch()


def staging_folder(run: Run, target: Target) -> Path:
    """Where staged files lie; mirrors the environment's own layout."""
    return run.work_folder(target.root) / "staged"


def _engines(run: Run, target: Target, wheelhouse: Path, staged: Path, pins: Path) -> Iterable[tuple[list[str], dict[str, str]]]:
    uv = find_uv()
    if uv:
        common = [uv, "--no-config", "--offline", "--cache-dir", str(run.work_folder(target.root) / "cache"), "pip", "install", "--no-deps", "--no-index"]
        common += ["--find-links", str(wheelhouse), "--python", target.executable, "--prefix", str(staged), "-r", str(pins)]
        common += ["--break-system-packages"] if target.is_managed else []
        # Hard links from a cache of our own that goes away: quick, and nothing shares the files afterwards.
        for mode in ("hardlink", "copy"):
            yield [*common, "--link-mode", mode], {"UV_FIND_LINKS": "", "UV_INDEX": "", "UV_DEFAULT_INDEX": ""}
    pip = lend_pip(run.places.cache)
    if pip:
        argv = [target.executable, "-s", "-B", "-X", "utf8", pip, "install", "--no-deps", "--no-index", "--no-compile", "--no-warn-script-location"]
        argv += ["--ignore-installed", "--find-links", str(wheelhouse), "--prefix", str(staged), "-r", str(pins)]
        yield argv, {"PIP_CONFIG_FILE": "nul" if run.host.family == "windows" else "/dev/null", "PIP_FIND_LINKS": "", "PIP_NO_INDEX": "1"}


def _mark(staged: Path, wheel: Wheel) -> Path:
    """A file beside the tree that says that this wheel is in it."""
    return staged.with_name(f"{staged.name}-marks") / f"{wheel.filename}.{(wheel.sha256 or '')[:16]}"


def _check_room(run: Run, target: Target, files: Iterable[Path]) -> None:
    try:
        needed = sum(entry.file_size for path in files for entry in zipfile.ZipFile(path).infolist())
    except (zipfile.BadZipFile, OSError) as error:
        raise Problem(Text("run.file-damaged", {"path": str(error)}), cause="file-damaged") from error
    free = run.host.disk_free(str(run.work_folder(target.root)))
    if free is not None and needed > free:
        sizes = {"needed": f"{needed / 1e9:.1f} GB", "free": f"{free / 1e9:.1f} GB"}
        raise Problem(Text("run.not-enough-room", {"path": str(target.root), **sizes}), cause="disk-full")


class Stager:
    """Unpacks wheels in a thread of its own while others are still on their way."""

    def __init__(self, step: Step, run: Run, target: Target, wheelhouse: Path) -> None:
        self._step, self._run, self._target, self._wheelhouse = step, run, target, wheelhouse
        self._queue: queue.SimpleQueue[Wheel | None] = queue.SimpleQueue()
        self._failure: BaseException | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name="stage", daemon=True)
        self._thread.start()

    @classmethod
    def of_plan(cls, step: Step, run: Run, wheelhouse: Path) -> "Stager | None":
        """For the environment that a later step of the plan swaps; None if there is no such step or no such Python yet."""
        swap = next((other for other in run.plan.steps if other.kind == "swap"), None)
        python = text_argument(swap, "python") if swap else ""
        return cls(step, run, run.target(python), wheelhouse) if python and Path(python).exists() else None

    def add(self, wheel: Wheel) -> None:
        self._queue.put(wheel)

    def finish(self) -> None:
        """Waits until all is unpacked; raises what went wrong."""
        self._queue.put(None)
        while self._thread.is_alive():
            self._thread.join(0.1)
            self._run.cancel.check()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        self._stopped = True
        self._queue.put(None)
        self._thread.join(10)

    def _work(self) -> None:
        over = False
        while not over and not self._stopped:
            batch: list[Wheel] = []
            wheel = self._queue.get()
            while wheel is not None:
                batch.append(wheel)
                if self._queue.empty():
                    break
                wheel = self._queue.get()
            over = wheel is None
            try:
                if not self._stopped:
                    stage(self._step, self._run, self._target, batch, self._wheelhouse)
            except (Problem, Cancelled, OSError) as failure:
                self._failure = failure
                return
