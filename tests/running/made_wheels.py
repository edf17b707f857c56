"""Real wheels, small enough to be made in a test."""

import base64
import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, bytes] | None = None,
    *,
    requires: Sequence[str] = (),
    scripts: Sequence[str] = (),
    data: Mapping[str, bytes] | None = None,
    tag: str = "py3-none-any",
    level: int | None = None,
) -> Path:
    """A wheel of a package `name` whose `files` default to one module; `data` lands in the environment's own folder. `level` is zlib's."""
    module = name.replace("-", "_")
    content = dict(files) if files is not None else {f"{module}/__init__.py": f"__version__ = {version!r}\n".encode()}
    info = f"{module}-{version}.dist-info"
    content |= {f"{module}-{version}.data/data/{path}": what for path, what in (data or {}).items()}
    content[f"{info}/METADATA"] = metadata(name, version, requires)
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    if scripts:
        content[f"{info}/entry_points.txt"] = ("[console_scripts]\n" + "".join(f"{script} = {module}:main\n" for script in scripts)).encode()
    record = "".join(f"{path},sha256={_digest(what)},{len(what)}\n" for path, what in content.items()) + f"{info}/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{module}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as wheel:
        for inside, what in content.items():
            wheel.writestr(zipfile.ZipInfo(inside), what, zipfile.ZIP_DEFLATED, level)
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD"), record, zipfile.ZIP_DEFLATED, level)
    return path


def metadata(name: str, version: str, requires: Sequence[str] = ()) -> bytes:
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {requirement}" for requirement in requires)]
    return ("\n".join(lines) + "\n").encode()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
