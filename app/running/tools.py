"""The installers that come with this program: the uv binary and a pip that any Python can run."""

import shutil
import sys
from pathlib import Path
from typing import Final

_UV: Final = "uv.exe" if sys.platform == "win32" else "uv"


def find_uv() -> str | None:
    """The uv binary inside the packaged program, beside our own Python, or of the installed `uv` package."""
    bundle = getattr(sys, "_MEIPASS", None)
    places = [Path(bundle)] if bundle else []
    places += [Path(sys.executable).parent, Path(sys.prefix) / ("Scripts" if sys.platform == "win32" else "bin")]
    for place in places:
        if (place / _UV).is_file():
            return str(place / _UV)
    try:
        import uv

        return uv.find_uv_bin()
    except (ImportError, FileNotFoundError):
        return None


def lend_pip(cache: Path) -> str | None:
    """A folder that any Python runs as pip, without seeing our other packages. None where we have no pip to lend.

    pip puts the folder above itself on the path and takes what lies there for installed, hence a copy that lies alone.
    """
    source = _own_pip()
    if source is None:
        return None
    import pip

    target = cache / f"pip-{pip.__version__}" / "pip"
    if not (target / "__main__.py").is_file():
        fresh = target.parent.with_name(target.parent.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(source, fresh / "pip", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.rmtree(target.parent, ignore_errors=True)
        fresh.rename(target.parent)
    return str(target)


def _own_pip() -> Path | None:
    try:
        import pip
    except ImportError:
        return None
    folder = Path(pip.__file__).parent
    return folder if (folder / "__main__.py").is_file() else None
