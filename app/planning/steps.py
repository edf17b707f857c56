"""Makes steps. `arguments` are what the executor of the step's kind in `app.running` reads; `argv` is what a person would type.

An argv may hold two commands with "&&" between them, as cmd and sh read it: torch comes from an index of its own.

kind                arguments
create-environment  folder, python (base executable, "" where one is fetched), version
fetch-python        version
check-free          python
resolve, download   python, requirements, sources (indexes beside the person's own), find_links, keeps, reinstall
swap                python, removes, keeps
python-headers      python, version, from_folder or urls, with hashes and hash_pages by address
vc-runtime          see app.planning.runtime
clear-caches        python
smoke-test          python, modules
set-long-paths      none
write-launcher      path, content, encoding
wsl-*, vllm-*       see app.planning.wsl and app.planning.vllm
check-toolchain, fetch-build-tools, source-build   see app.planning.source
"""

from typing import NamedTuple

from app.model.facts import Python
from app.model.plan import Download, Step, Where
from app.model.text import Text
from app.model.unknown import known
from app.planning.situation import Situation
from app.planning.sources import Sources
from app.planning.work import Origin, Pin, Work
from app.tables.builds import minor_of
from app.tables.fits import headers_for
from app.tables.machine import environment_folder, own_pythons


class Place(NamedTuple):
    """The Python that steps act on. `python` is None while it does not exist yet."""

    executable: str
    version: str
    python: Python | None = None


WHEELHOUSE = "<wheelhouse>"
"""In an argv that is shown: the run's own folder of downloaded packages."""


def title(key: str, **params: str | int) -> Text:
    return Text(f"step.{key}", params)


def undo(key: str) -> Text:
    return Text(f"step.undo-{key}")


GIGABYTE = 1_000_000_000
MEGABYTE = 1_000_000


def spoken_size(size: int) -> str:
    """Bytes as the pages show them: powers of 1,000, one decimal from 1 MB on."""
    return f"{size / GIGABYTE:.1f} GB" if size >= GIGABYTE else f"{size / MEGABYTE:.1f} MB"


def expected(pins: tuple[Pin, ...]) -> Download:
    """What is known or estimated of the files of pins."""
    sizes = [pin.about_bytes if pin.download_bytes is None else pin.download_bytes for pin in pins]
    is_estimate = any(pin.download_bytes is None and pin.about_bytes is not None for pin in pins)
    return Download(sum(size or 0 for size in sizes), is_estimate, None not in sizes)


def total(sizes: list[int | None]) -> int | None:
    """The sum of sizes; None where one is not known."""
    return None if any(size is None for size in sizes) else sum(size or 0 for size in sizes)


def installer(executable: str, has_pip: bool, verb: str = "install") -> tuple[str, ...]:
    """The command line in front of the packages: this Python's own pip without the user folder, or uv from outside."""
    if has_pip:
        return (executable, "-s", "-m", "pip", verb)
    return ("uv", "pip", verb, "--python", executable)


def check_free(executable: str) -> Step:
    return Step("check", "check-free", title("check-free", python=executable), arguments={"python": executable}, weight=0.2)


def create_environment(folder: str, base: Python | None, version: str) -> list[Step]:
    """The steps for a new environment; the Python is fetched where none fits."""
    steps = []
    if base is None:
        steps.append(
            Step(
                "python",
                "fetch-python",
                title("fetch-python", version=version),
                ("uv", "python", "install", version),
                Where.DOWNLOAD,
                download_bytes=None,
                undo=undo("fetch-python"),
                arguments={"version": version},
                weight=3.0,
            )
        )
    source = base.executable if base else version
    arguments: dict[str, str] = {"folder": folder, "python": base.executable if base else "", "version": version}
    argv = ("uv", "venv", "--python", source, folder)
    step = Step("environment", "create-environment", title("create-environment", folder=folder), argv, undo=undo("create"), arguments=arguments, weight=1.0)
    return [*steps, step]


def headers(case: Situation, place: Place, conditional: bool) -> Step:
    """The folders include and libs: from a Python of the same minor version on this machine, else from an archive.

    `conditional`: it is not known whether they are there; the executor changes nothing where they are.
    """
    minor = minor_of(place.version)
    row = headers_for(case.tables, minor)
    nuget = f"{case.tables.nuget.base}/{place.version}" if len(place.version.split(".")) == 3 else ""
    listed = row.url if row and row.sha256 else ""
    urls = tuple(url for url in (nuget, listed) if url)
    near = next((p for _, p in own_pythons(case.facts) if p.kind in {"system", "pyenv"} and p.has_headers is True and minor_of(p.version) == minor), None)
    arguments: dict[str, str | tuple[str, ...] | dict[str, str]] = {"python": place.executable, "version": place.version, "urls": urls}
    arguments["hashes"] = {listed: row.sha256} if row and listed else {}
    arguments["hash_pages"] = {nuget: f"{case.tables.nuget.hashes}/{place.version}.json"} if nuget else {}
    if near:
        arguments["from_folder"] = environment_folder(case.facts, near)
    key = "python-headers-if-missing" if conditional else "python-headers"
    return Step(
        "headers",
        "python-headers",
        title(key, version=minor),
        (),
        Where.FILE,
        download_bytes=0 if near else None,
        undo=undo("headers"),
        arguments=arguments,
        weight=0.5,
    )


def transaction(executable: str, pip: bool, work: Work, sources: Sources) -> list[Step]:
    """resolve, download, swap: one change of the environment. Empty where nothing is installed or removed."""
    if not work.pins and not work.removes:
        return []
    names = ", ".join(f"{pin.name} {pin.version}" for pin in work.pins)
    again = tuple(pin.name for pin in work.pins if pin.why in {"triton-again", "again"})
    keeps = tuple(f"{name}=={work.packages[name]}" for name in work.keeps)
    offline = bool(sources.find_links)
    arguments: dict[str, str | tuple[str, ...]] = {
        "python": executable,
        "requirements": tuple(f"{pin.name}=={pin.version}" if offline else pin.requirement for pin in work.pins),
        "sources": sources.torch,
        "find_links": (sources.find_links,) if offline else (),
        "keeps": keeps,
        "reinstall": again,
    }
    size = total([pin.download_bytes for pin in work.pins])
    steps = []
    if work.pins:
        dry = _commands(work, sources, installer(executable, pip), ("--dry-run",))
        steps.append(Step("resolve", "resolve", title("resolve", packages=names), dry, arguments=arguments, weight=0.5))
        fetch = _commands(work, sources, installer(executable if pip else "python", True, "download"), ("--dest", WHEELHOUSE))
        downloaded = title("download", packages=names)
        told = expected(work.pins) if size is None else None
        steps.append(
            Step(
                "download",
                "download",
                downloaded,
                fetch,
                Where.DOWNLOAD,
                download_bytes=size,
                arguments=arguments,
                weight=2 * _weight(size),
                expected=told,
            )
        )
    force = ("--force-reinstall" if pip else "--reinstall",) if again else ()
    install = _commands(work, sources, installer(executable, pip), (), force)
    if work.removes:
        removal = (*installer(executable, pip, "uninstall"), *(("-y",) if pip else ()), *work.removes)
        install = (*removal, *(("&&", *install) if install else ()))
    swapped: dict[str, str | tuple[str, ...]] = {"python": executable, "removes": work.removes, "keeps": keeps}
    steps.append(
        Step("swap", "swap", title("swap", packages=names or ", ".join(work.removes)), install, undo=undo("swap"), arguments=swapped, weight=_weight(size))
    )
    return steps


def _weight(size: int | None) -> float:
    return 8.0 if size is None else 1.0 + size / 200_000_000


def _commands(work: Work, sources: Sources, front: tuple[str, ...], options: tuple[str, ...], force: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The commands for the pins of PyTorch's index and for the others. Only torch brings dependencies; what is there, stays."""
    family = tuple(pin for pin in work.pins if pin.origin is Origin.TORCH_INDEX)
    rest = tuple(pin for pin in work.pins if pin.origin is not Origin.TORCH_INDEX)
    parts = []
    for pins, url in ((family, sources.torch[0] if sources.torch else ""), (rest, sources.index[0] if sources.index else "")):
        if not pins:
            continue
        where = ("--no-index", "--find-links", sources.find_links) if sources.find_links else ("--index-url", url) if url else ()
        alone = () if any(pin.name == "torch" for pin in pins) else ("--no-deps",)
        shown = (pin.shown if not sources.find_links else f"{pin.name}=={pin.version}" for pin in pins)
        parts.append((*front, *options, *where, *alone, *(force if pins is rest else ()), *shown))
    return tuple(token for place, part in enumerate(parts) for token in (*(("&&",) if place else ()), *part))


def clear_caches(executable: str) -> Step:
    return Step("caches", "clear-caches", title("clear-caches"), arguments={"python": executable}, weight=0.2)


def smoke_test(executable: str, work: Work) -> Step:
    """Imports what the plan leads to, in the environment itself."""
    modules = ["torch", *(name for name, package in MODULES if package & work.packages.keys())]
    argv = (executable, "-s", "-c", f"import {', '.join(modules)}")
    return Step("test", "smoke-test", title("smoke-test"), argv, arguments={"python": executable, "modules": tuple(modules)}, weight=1.5)


MODULES = (("triton", {"triton", "triton-windows"}), ("sageattention", {"sageattention"}))
"""What is imported in a test, and the packages that bring it."""


def set_long_paths() -> Step:
    key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"
    argv = ("reg", "add", key, "/v", "LongPathsEnabled", "/t", "REG_DWORD", "/d", "1", "/f")
    return Step("long-paths", "set-long-paths", title("set-long-paths"), argv, needs_admin=True, weight=0.1)


def has_pip(python: Python | None) -> bool:
    """Whether a Python's own pip can be named; a new environment has none."""
    return bool(python and known(python.has_pip, True))
