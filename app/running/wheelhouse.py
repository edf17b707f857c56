"""The wheelhouse: one folder with every file of a resolution, fetched several at a time, each checked by its hash."""

import hashlib
import shutil
import threading
import time
import urllib.parse
from collections.abc import Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name

from app.host.downloads import file_sha256, shown
from app.host.relay import Arrival
from app.model.cancel import Cancel
from app.model.events import StepProgress
from app.model.plan import Step
from app.model.problem import Cancelled, Problem
from app.model.text import Text
from app.running.fetching import Pace, seconds_left
from app.running.resolving import read_resolution
from app.running.run import Run, list_argument
from app.running.sources import trust_configured
from app.running.staging import Stager
from app.running.wheels import Resolution, Wheel, name_of

_AT_ONCE: Final = 2
"""More at once all end together, and unpacking, which follows each file, could not run beside them."""
_KEPT_DAYS: Final = 30


def download(step: Step, run: Run) -> None:
    """Fetches what the resolution lists, and unpacks each wheel beside the environment while the next ones arrive."""
    resolution = read_resolution(run)
    folder = wheelhouse(run.places.cache, resolution)
    remove_old(folder.parent)
    if run.plan.python and Path(run.plan.python.executable).exists():
        # The resolve may have been done before a restart.
        trust_configured(run, run.target(run.plan.python.executable))
    stager = Stager.of_plan(step, run, folder)
    try:
        fetch(step, run, replace(resolution, wheels=_share(step, run, resolution.wheels)), folder, stager)
        if stager:
            stager.finish()
    finally:
        if stager:
            stager.stop()


def _share(step: Step, run: Run, wheels: tuple[Wheel, ...]) -> tuple[Wheel, ...]:
    """What this step fetches: all but what later download steps name; what none names comes with the first."""
    steps = [other for other in run.plan.steps if other.kind == "download"]
    others = [other for other in steps if other.id != step.id]
    named = {name_of(requirement) for other in others for requirement in list_argument(other, "requirements")}
    own = {name_of(requirement) for requirement in list_argument(step, "requirements")}
    return tuple(wheel for wheel in wheels if wheel.name in own or (wheel.name not in named and step.id == steps[0].id))


def wheelhouse(cache: Path, resolution: Resolution) -> Path:
    """The folder for exactly these files, so that a retry finds what an earlier try fetched."""
    key = hashlib.sha256("\n".join(sorted(f"{wheel.filename} {wheel.sha256}" for wheel in resolution.wheels)).encode()).hexdigest()[:16]
    return cache / "wheels" / key


def remove_old(folder: Path) -> None:
    """Removes wheelhouses that nobody has used for a month."""
    oldest = time.time() - _KEPT_DAYS * 86_400
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.stat().st_mtime < oldest:
            shutil.rmtree(place, ignore_errors=True)


def fetch(step: Step, run: Run, resolution: Resolution, folder: Path, stager: Stager | None = None) -> None:
    """Brings every wheel into `folder`; `stager` is told of each that is there and right, and of big ones before."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    _check_room(run, folder, resolution.wheels)
    fetcher = _Fetcher(step, run, resolution, folder, stager)
    take_back = run.cancel.on_cancel(fetcher.stop.set)

    def one(wheel: Wheel) -> None:
        fetcher.stop.check()
        fetcher.fetch(wheel)
        if stager:
            stager.add(wheel)

    try:
        with ThreadPoolExecutor(_AT_ONCE, "fetch") as pool:
            # The biggest first: the whole is over when the longest is.
            tasks = [pool.submit(one, wheel) for wheel in sorted(resolution.wheels, key=lambda wheel: -(wheel.size_bytes or 1 << 62))]
            done, rest = wait(tasks, return_when=FIRST_EXCEPTION)
            if any(task.exception() for task in done):
                fetcher.stop.set()
                for task in rest:
                    task.cancel()
    finally:
        take_back()
    run.cancel.check()
    failures = [failure for task in tasks if not task.cancelled() and (failure := task.exception()) is not None]
    for failure in sorted(failures, key=lambda failure: isinstance(failure, Cancelled)):
        raise failure
    fetcher.counter.tell(None, final=True)


def check_files(run: Run, wheels: Iterable[Wheel], folder: Path) -> None:
    """Problem if a file is missing, or not the one that was resolved: a power cut may have damaged what an earlier start fetched."""
    for wheel in wheels:
        path = folder / wheel.filename
        if str(path) in run.checked:
            continue
        if not path.is_file() or (wheel.sha256 is not None and file_sha256(str(path), run.cancel.check) != wheel.sha256):
            raise Problem(Text("run.file-damaged", {"path": str(path)}), cause="file-damaged")
        run.checked.add(str(path))


def _check_room(run: Run, folder: Path, wheels: Iterable[Wheel]) -> None:
    missing = sum(wheel.size_bytes or 0 for wheel in wheels if not (folder / wheel.filename).is_file())
    free = run.host.disk_free(str(folder))
    if free is not None and missing > free:
        raise Problem(
            Text("run.not-enough-room", {"path": str(folder), "needed": f"{missing / 1e9:.1f} GB", "free": f"{free / 1e9:.1f} GB"}), cause="disk-full"
        )


class _Fetcher:
    """Fetches single wheels; `stop` ends all that are on their way."""

    def __init__(self, step: Step, run: Run, resolution: Resolution, folder: Path, stager: Stager | None) -> None:
        self._step, self._run, self._folder, self._sources, self._stager = step, run, folder, resolution.sources, stager
        self._arrivals: dict[str, Arrival | None] = {}
        self.counter = _Counter(step, run, resolution.wheels)
        self.stop = Cancel()

    def fetch(self, wheel: Wheel) -> None:
        """Tries the wheel's address, then the same file elsewhere. Problem of the first address if none gives it."""
        run, step = self._run, self._step
        target = self._folder / wheel.filename
        if target.is_file() and wheel.sha256 is not None and (str(target) in run.checked or file_sha256(str(target), self.stop.check) == wheel.sha256):
            run.say(step, f"has {wheel.filename} from before")
            self.counter.set(wheel, target.stat().st_size, target.stat().st_size)
            run.checked.add(str(target))
            return
        try:
            self._from_anywhere(wheel, target)
        finally:
            if arrival := self._arrivals.get(wheel.filename):
                arrival.give_up()

    def _from_anywhere(self, wheel: Wheel, target: Path) -> None:
        run, step = self._run, self._step
        first: Problem | None = None
        for url in _addresses(run, wheel, self._sources):
            run.say(step, f"gets {wheel.filename} from {shown(url)}")
            try:
                self._download(wheel, url, target)
            except Problem as problem:
                if problem.cause == "disk-full":
                    raise
                run.say(step, f"{wheel.filename}: {problem.cause or problem.text.code} ({problem.text.params.get('reason', '')})")
                first = first or problem
            else:
                run.checked.add(str(target))
                return
        assert first is not None
        raise first

    def _download(self, wheel: Wheel, url: str, target: Path) -> None:
        def progress(done: int, total: int | None) -> None:
            self.counter.set(wheel, done, total)
            if self._stager and total is not None and wheel.filename not in self._arrivals:
                self._arrivals[wheel.filename] = self._stager.follow(wheel, total)
            if arrival := self._arrivals.get(wheel.filename):
                arrival.tell(done, total)

        self._run.host.download(url, str(target), sha256=wheel.sha256, size_bytes=wheel.size_bytes, on_progress=progress, cancel=self.stop)
        if arrival := self._arrivals.get(wheel.filename):
            arrival.complete()


def _addresses(run: Run, wheel: Wheel, sources: Iterable[str]) -> "Iterable[str]":
    """The address of the resolution, then the same file in the other sources: the hash says that it is the same."""
    yield wheel.url
    if wheel.sha256 is None:
        return
    for index in sources:
        page_url = f"{index.rstrip('/')}/{canonicalize_name(wheel.name)}/"
        page = run.answer(partial(run.host.text, page_url)) if urllib.parse.urlsplit(index).scheme in ("http", "https") else None
        if page is None:
            continue
        links = _Links()
        links.feed(page)
        for link in links.found:
            url, _, fragment = urllib.parse.urljoin(page_url, link).partition("#")
            name = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
            if name == wheel.filename and url != wheel.url and fragment in ("", f"sha256={wheel.sha256}"):
                yield url


class _Links(HTMLParser):
    """The addresses of a simple index page (Python packaging specifications, simple repository API)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        address = dict(attributes).get("href") if tag == "a" else None
        if address:
            self.found.append(address)


class _Counter:
    """Bytes of all files together: how many, how fast, how long still."""

    def __init__(self, step: Step, run: Run, wheels: tuple[Wheel, ...]) -> None:
        self._step, self._run, self._wheels = step, run, wheels
        self._done = dict.fromkeys((wheel.filename for wheel in wheels), 0)
        self._total: dict[str, int | None] = {wheel.filename: wheel.size_bytes for wheel in wheels}
        self._pace = Pace()
        self._lock = threading.Lock()

    def set(self, wheel: Wheel, done: int, total: int | None) -> None:
        with self._lock:
            self._done[wheel.filename] = done
            if total is not None:
                self._total[wheel.filename] = total
        self.tell(wheel)

    def tell(self, wheel: Wheel | None, final: bool = False) -> None:
        with self._lock:
            done, totals = sum(self._done.values()), list(self._total.values())
            total = None if any(size is None for size in totals) else sum(size or 0 for size in totals)
            speed = self._pace.bytes_per_second(done)
            finished = sum(1 for name, size in self._total.items() if size is not None and self._done[name] >= size)
        fraction = 1.0 if final else None if not total else min(done / total, 0.999)
        self._run.progress(
            StepProgress(
                self._step.id,
                fraction,
                item=wheel.filename if wheel else None,
                item_index=min(finished + 1, len(self._wheels)),
                item_count=len(self._wheels),
                done_bytes=done,
                total_bytes=total,
                bytes_per_second=speed,
                seconds_left=seconds_left(done, total, speed),
            )
        )
