"""Unpacking wheels beside the environment, on its volume: everything slow happens here, where nothing can break yet."""

import contextlib
import os
import queue
import shutil
import threading
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from app.host.file_changes import long_path
from app.host.protocol import Changes
from app.host.relay import Arrival, Relay
from app.model.plan import Step
from app.model.problem import Cancelled, Problem
from app.model.text import Text
from app.running.run import Run, text_argument
from app.running.target import Target
from app.running.tools import find_uv, lend_pip
from app.running.wheels import Wheel

_BIG_BYTES: Final = 32_000_000
"""Wheels from this size on are unpacked while they arrive; for smaller ones a process of their own costs more than it gains."""

_GATHER_S: Final = 0.5


def stage(step: Step, run: Run, target: Target, wheels: Iterable[Wheel], wheelhouse: Path, *, staged: Path | None = None) -> None:
    """Unpacks `wheels` into the run's staging tree (or another one), which mirrors the environment. Problem if no installer manages it."""
    staged = staged or staging_folder(run, target)
    wheels = [wheel for wheel in wheels if not _mark(staged, wheel).is_file()]
    if not wheels:
        return
    _check_room(run, target, [wheelhouse / wheel.filename for wheel in wheels])
    pins = run.lend_file(f"stage-{threading.get_ident()}.txt", "".join(f"{wheel.name}=={wheel.version}\n" for wheel in wheels))
    # Into a tree of its own first: what a kill left half unpacked, an installer would take for installed.
    fresh = staged.with_name(f"{staged.name}-fresh")
    for argv, environment in _engines(run, target, wheelhouse, fresh, pins):
        run.host.remove(str(fresh))
        if run.execute(step, argv, environment=environment) == 0:
            break
        run.say(step, "this installer failed; trying the next way")
    else:
        raise Problem(Text("run.unpack-failed", {"packages": ", ".join(f"{wheel.name} {wheel.version}" for wheel in wheels)}))
    _take_in(run, fresh, staged, wheels)


def _take_in(run: Run, tree: Path, staged: Path, wheels: Iterable[Wheel]) -> None:
    # A lock file that uv leaves at the top of what it installs into.
    (tree / ".lock").unlink(missing_ok=True)
    merge(tree, staged, run.host)
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
        common = _uv_install(uv, run, target, staged)
        for mode in ("hardlink", "copy"):
            yield [*common, "--link-mode", mode, "--offline", "--no-index", "--find-links", str(wheelhouse), "-r", str(pins)], _NO_SOURCES
    pip = lend_pip(run.places.cache)
    if pip:
        argv = [target.executable, "-s", "-B", "-X", "utf8", pip, "install", "--no-deps", "--no-index", "--no-compile", "--no-warn-script-location"]
        argv += ["--ignore-installed", "--find-links", str(wheelhouse), "--prefix", str(staged), "-r", str(pins)]
        yield argv, {"PIP_CONFIG_FILE": "nul" if run.host.family == "windows" else "/dev/null", "PIP_FIND_LINKS": "", "PIP_NO_INDEX": "1"}


_NO_SOURCES: Final = {"UV_FIND_LINKS": "", "UV_INDEX": "", "UV_DEFAULT_INDEX": ""}


def _uv_install(uv: str, run: Run, target: Target, staged: Path) -> list[str]:
    cache = _cache(run, target)
    argv = [uv, "--no-config", "--cache-dir", str(cache), "pip", "install", "--no-deps", "--python", target.executable, "--prefix", str(staged)]
    return [*argv, *(["--break-system-packages"] if target.is_managed else [])]


def _cache(run: Run, target: Target) -> Path:
    """A cache of our own that goes away, for hard links out of it: quick, and nothing shares the files afterwards."""
    return run.work_folder(target.root) / "cache"


def _prepare(run: Run, target: Target) -> None:
    """Makes the working folder, and lets uv know there what it learned of the Python when it resolved.

    Now and not when the first wheel is unpacked: files that arrive keep the disk busy, and every flush of the journal then takes long.
    """
    cache = _cache(run, target)
    for known in (run.places.cache / "uv").glob("interpreter-*"):
        # What cannot be copied uv finds out again.
        with contextlib.suppress(OSError):
            shutil.copytree(known, cache / known.name, dirs_exist_ok=True)


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
    """Unpacks wheels in a thread of its own while others are still on their way, and big ones while they arrive themselves."""

    def __init__(self, step: Step, run: Run, target: Target, wheelhouse: Path) -> None:
        self._step, self._run, self._target, self._wheelhouse = step, run, target, wheelhouse
        self._queue: queue.SimpleQueue[Wheel | None] = queue.SimpleQueue()
        self._failure: BaseException | None = None
        self._stopped = False
        self._relay: Relay | None = None
        self._starting = threading.Lock()
        self._followers: dict[str, _Follower] = {}
        self._thread = threading.Thread(target=self._work, name="stage", daemon=True)
        self._thread.start()

    @classmethod
    def of_plan(cls, step: Step, run: Run, wheelhouse: Path) -> "Stager | None":
        """For the environment that a later step of the plan swaps; None if there is no such step or no such Python yet."""
        swap = next((other for other in run.plan.steps if other.kind == "swap"), None)
        python = text_argument(swap, "python") if swap else ""
        if not python or not Path(python).exists():
            return None
        target = run.target(python)
        _prepare(run, target)
        return cls(step, run, target, wheelhouse)

    def follow(self, wheel: Wheel, size_bytes: int) -> Arrival | None:
        """Begins to unpack a wheel that is being fetched; the one who fetches it tells how it goes. None: not worth it."""
        run, target, uv = self._run, self._target, find_uv()
        if uv is None or wheel.sha256 is None or size_bytes < _BIG_BYTES:
            return None
        staged = staging_folder(run, target)
        if _mark(staged, wheel).is_file():
            return None
        with self._starting:
            relay = self._relay = self._relay or Relay()
        arrival = relay.offer(wheel.name, wheel.version, wheel.filename, wheel.sha256, self._wheelhouse / wheel.filename)
        prefix = staged.with_name(f"arriving-{wheel.name}")
        argv = [*_uv_install(uv, run, target, prefix), "--link-mode", "hardlink", f"{wheel.name}=={wheel.version}"]
        self._followers[wheel.filename] = _Follower(self._step, run, prefix, argv, relay.index)
        return arrival

    def add(self, wheel: Wheel) -> None:
        """The wheel is there, and it is the right one."""
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
        if self._relay is not None:
            self._relay.close()
        self._queue.put(None)
        self._thread.join(10)
        for follower in self._followers.values():
            follower.wait(10)

    def _work(self) -> None:
        over = False
        while not over and not self._stopped:
            batch, over = self._gather()
            try:
                if not self._stopped:
                    self._stage(batch)
            except (Problem, Cancelled, OSError) as failure:
                self._failure = failure
                return

    def _gather(self) -> tuple[list[Wheel], bool]:
        """What has come, with what comes a moment later, as every installer that is started costs time; and whether that was all."""
        batch: list[Wheel] = []
        wait_s = None
        while True:
            try:
                wheel = self._queue.get(timeout=wait_s)
            except queue.Empty:
                return batch, False
            if wheel is None:
                return batch, True
            batch.append(wheel)
            wait_s = _GATHER_S

    def _stage(self, batch: list[Wheel]) -> None:
        staged = staging_folder(self._run, self._target)
        for wheel in batch:
            follower = self._followers.get(wheel.filename)
            if follower and follower.wait():
                _take_in(self._run, follower.prefix, staged, [wheel])
            elif follower:
                self._run.say(self._step, f"{wheel.filename} could not be unpacked while it arrived")
        # The others are marked.
        stage(self._step, self._run, self._target, batch, self._wheelhouse)


class _Follower:
    """Unpacks one wheel while it arrives, into a tree of its own: installers let only one at a time into the same."""

    def __init__(self, step: Step, run: Run, prefix: Path, argv: list[str], index: str) -> None:
        self._step, self._run, self.prefix, self._argv, self._index = step, run, prefix, argv, index
        self._is_done = False
        self._thread = threading.Thread(target=self._work, name="follow", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        # A line that stalls is the download's to judge, and no proxy leads back to this machine.
        environment = {**_NO_SOURCES, "UV_DEFAULT_INDEX": self._index, "UV_HTTP_TIMEOUT": "3600", "UV_HTTP_RETRIES": "0"}
        environment |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        try:
            self._run.host.remove(str(self.prefix))
            self._is_done = self._run.execute(self._step, self._argv, environment=environment) == 0
        except (Problem, Cancelled):
            self._is_done = False

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it worked; false too if it still does after `seconds`."""
        self._thread.join(seconds)
        return self._is_done and not self._thread.is_alive()


def merge(source: Path, target: Path, changes: Changes) -> None:
    """Moves all that is in the tree `source` into `target`, by the fewest renames; what is in the way there is replaced."""
    target.mkdir(parents=True, exist_ok=True)
    with os.scandir(long_path(str(source))) as entries:
        children = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in children:
        goal = target / name
        if is_folder and goal.is_dir():
            merge(source / name, goal, changes)
        else:
            changes.remove(str(goal))
            changes.rename(str(source / name), str(goal))
