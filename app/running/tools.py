"""The installers that come with this program: the uv binary and a pip that any Python can run."""

import hashlib
import lzma
import shutil
import sys
import tarfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final

from app.host.file_changes import problem_of
from app.host.own import own_environment
from app.host.places import places

_UV: Final = "uv.exe" if sys.platform == "win32" else "uv"


@cache
def find_uv() -> str | None:
    """The uv binary: the packaged program's own, one beside our Python, or the installed `uv` package's."""
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle and Path(bundle, "uv.xz").is_file():
        return str(unpack_uv(Path(bundle), places(own_environment().get("TRITON_SETUP_HOME")).cache))
    for place in (Path(sys.executable).parent, Path(sys.prefix) / ("Scripts" if sys.platform == "win32" else "bin")):
        if (place / _UV).is_file():
            return str(place / _UV)
    try:
        import uv

        return uv.find_uv_bin()
    except (ImportError, FileNotFoundError):
        return None


def unpack_uv(bundle: Path, into: Path) -> Path:
    """Unpacks the packaged uv into the cache, once, checked by its hash.

    It travels packed, because the one-file program would otherwise write 30 MB at every start that most starts never need.
    """
    digest = (bundle / "uv.sha256").read_text(encoding="ascii").strip()
    target = into / f"uv-{digest[:12]}" / _UV
    if target.is_file() and _sha256(target.read_bytes()) == digest:
        return target
    content = lzma.decompress((bundle / "uv.xz").read_bytes())
    if _sha256(content) != digest:
        raise OSError(f"the packaged uv is damaged: {bundle / 'uv.xz'}")
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{_UV}.new")
    fresh.write_bytes(content)
    fresh.chmod(0o755)
    fresh.replace(target)
    return target


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def lend_pip(cache: Path, bundle: Path | None = None) -> str | None:
    """A folder that any Python runs as pip, without seeing our other packages. None where we have no pip to lend, Problem if the disk is full.

    pip puts the folder above itself on the path and takes what lies there for installed, hence a copy that lies alone. The packaged
    program (`bundle`: the folder it unpacked itself to) carries it as one packed file, for the same reason as uv.
    """
    own = _packed_pip(bundle) or _installed_pip()
    if own is None:
        return None
    version, lay_into = own
    target = cache / f"pip-{version}" / "pip"
    if not (target / "__main__.py").is_file():
        fresh = target.parent.with_name(target.parent.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            lay_into(fresh)
            shutil.rmtree(target.parent, ignore_errors=True)
            fresh.rename(target.parent)
        except OSError as error:
            shutil.rmtree(fresh, ignore_errors=True)
            raise problem_of(error, str(target)) from error
    return str(target)


def _packed_pip(bundle: Path | None) -> tuple[str, Callable[[Path], None]] | None:
    """Version of the packed pip, and how its folder is laid into another."""
    folder = bundle or getattr(sys, "_MEIPASS", None)
    packed = next(Path(folder).glob("pip-*.tar.xz"), None) if folder else None
    return (packed.name.removeprefix("pip-").removesuffix(".tar.xz"), partial(_unpack, packed)) if packed else None


def _installed_pip() -> tuple[str, Callable[[Path], None]] | None:
    try:
        import pip
    except ImportError:
        return None
    folder = Path(pip.__file__).parent
    return (pip.__version__, partial(_copy, folder)) if (folder / "__main__.py").is_file() else None


def _unpack(packed: Path, target: Path) -> None:
    try:
        with tarfile.open(packed, "r:xz") as archive:
            # As an attribute, since Python 3.11.0 to 3.11.3 do not know the argument.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            archive.extractall(target)  # noqa: S202 - our own archive
    except (EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise OSError(f"the packaged pip is damaged: {packed}") from error


def _copy(source: Path, target: Path) -> None:
    """Stops at the first file that cannot be written, which shutil.copytree does not."""
    for path in source.rglob("*"):
        if path.is_file() and path.parent.name != "__pycache__":
            goal = target / source.name / path.relative_to(source)
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, goal)
