"""The shape of one Python on disk: what kind it is, where its packages lie, which version it has. Only files are read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.model.facts import PythonKind
from app.probes.look import Look

_FILE_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)\.\d+")
_CONDA_PYTHON: Final = re.compile(r"python-(\d+\.\d+\.\d+[a-z0-9]*)-[^-]+\.json", re.IGNORECASE)
_NAMED_VERSION: Final = re.compile(r"(?:^|[-_\\/])(?:cpython-|pypy)?(\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)(?=$|[-+t])")
_STORE_PACKAGE: Final = re.compile(r"PythonSoftwareFoundation\.Python\.(\d+\.\d+)_\d+\.\d+\.(\d+)\.\d+_", re.IGNORECASE)
_DLL: Final = re.compile(r"python(\d)(\d{1,2})(t?)\.dll", re.IGNORECASE)
_LEVELS: Final = {10: "a", 11: "b", 12: "rc"}
REDIRECTOR: Final = "AppInstallerPythonRedirector.exe"


@dataclass(frozen=True, slots=True)
class Shape:
    """`root` is the prefix. `settings` are the lines of pyvenv.cfg. `minor` is such as 3.12."""

    executable: str
    kind: PythonKind
    root: str
    version: str | None
    site_folders: tuple[str, ...]
    base_root: str
    base_executable: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    isolated: bool = False
    imports_site: bool = True
    free_threaded: bool = False

    @property
    def minor(self) -> str | None:
        return None if self.version is None else ".".join(self.version.split(".")[:2])


def shape_of(look: Look, executable: str) -> Shape | None:
    """None: there is no such program."""
    return _windows_shape(look, executable) if look.on_windows else _linux_shape(look, executable)


def venv_settings(text: str) -> dict[str, str]:
    """pyvenv.cfg: `key = value` lines, keys in lower case."""
    settings = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            settings[key.strip().lower()] = value.strip()
    return settings


def python_version(file_version: str) -> str | None:
    """Python's version from a Windows file version: 3.13.9150.1013 is 3.13.9, 3.14.0121.0 is 3.14.0rc1 (micro × 1000 + level × 10 + serial)."""
    found = _FILE_VERSION.fullmatch(file_version)
    if found is None or int(found[1]) != 3:
        return None
    micro, stage = divmod(int(found[3]), 1000)
    level, serial = divmod(stage, 10)
    suffix = f"{_LEVELS[level]}{serial}" if level in _LEVELS else ""
    return f"{found[1]}.{found[2]}.{micro}{suffix}"


def store_version(package: str) -> str | None:
    """Python's version from a Store package name: 3.12.2800.0 is 3.12.10, the third number being micro × 256 + level."""
    found = _STORE_PACKAGE.search(package)
    return None if found is None else f"{found[1]}.{int(found[2]) >> 8}"


def _windows_shape(look: Look, executable: str) -> Shape | None:
    program = look.program(executable)
    if program is None:
        return None
    folder = look.parent(executable)
    if program.alias_of is not None or "\\windowsapps\\" in executable.lower():
        return _store_shape(executable, program.alias_of or executable)
    prefix = look.parent(folder)
    if look.name(folder).lower() in ("scripts", "bin") and (config := look.text(look.join(prefix, "pyvenv.cfg"), 16384)) is not None:
        return _venv_shape(look, executable, prefix, config)
    names = look.names(folder, "python*._pth", "python*.dll", "libpython*.dll", "pyvenv.cfg", "conda-meta", "Lib", "DLLs") or ()
    if not names:
        # A starter of a manager (the install manager, Chocolatey): the Python it starts lies elsewhere.
        return None
    if "pyvenv.cfg" in names:
        return _venv_shape(look, executable, folder, look.text(look.join(folder, "pyvenv.cfg"), 16384) or "")
    rules = next((name for name in names if name.lower().endswith("._pth")), None)
    told = python_version(program.version or "") or _conda_version(look, folder, names) or _named_version(look, folder) or _dll_version(names)
    kind = _windows_kind(look, folder, names, rules is not None)
    text = look.text(look.join(folder, rules), 16384) if rules else None
    return Shape(
        executable=executable,
        kind=kind,
        root=folder,
        version=told,
        site_folders=(look.join(folder, "Lib", "site-packages"),),
        base_root=folder,
        isolated=rules is not None,
        imports_site=rules is None or any(line.strip() == "import site" for line in (text or "").splitlines()),
        free_threaded=any(match[3] for match in map(_DLL.fullmatch, names) if match) or executable.lower().endswith("t.exe"),
    )


def _windows_kind(look: Look, folder: str, names: tuple[str, ...], has_rules: bool) -> PythonKind:
    if has_rules:
        return "embedded"
    if "conda-meta/" in names:
        return "conda"
    versions = look.same(look.parent(folder))
    if versions.endswith("\\pyenv-win\\versions") or any(versions == look.same(look.join(root, "versions")) for root in pyenv_roots(look)):
        return "pyenv"
    return "uv" if re.search(r"\\uv\\(?:data\\)?python\\|\\cpython-3[\d.]*-windows", folder.lower()) else "system"


def pyenv_roots(look: Look) -> tuple[str, ...]:
    """Where pyenv or pyenv-win says that it keeps its versions."""
    return tuple(root for name in ("PYENV_ROOT", "PYENV") if (root := look.variable(name)))


def _store_shape(executable: str, target: str) -> Shape | None:
    if target.lower().endswith(REDIRECTOR.lower()):
        return Shape(executable, "store-alias", "", "", (), "")
    told = store_version(target)
    # The aliases of the Python install manager are no Python either: it may fetch one when started.
    return None if told is None else Shape(executable, "store", target.rpartition("\\")[0], told, (), "")


def _venv_shape(look: Look, executable: str, prefix: str, config: str) -> Shape:
    settings = venv_settings(config)
    told = settings.get("version_info") or settings.get("version")
    version = re.match(r"\d+\.\d+(?:\.\d+(?:(?:a|b|rc)\d+)?)?", told or "")
    home = settings.get("home")
    base = settings.get("base-executable") or settings.get("executable")
    minor = ".".join(version[0].split(".")[:2]) if version else None
    if base is None and home:
        base = _base_in(look, home, executable, minor)
    site = look.join(prefix, "Lib", "site-packages") if look.on_windows else _linux_site(look, prefix, minor)
    # `home` is the folder of the base's python: the prefix itself on Windows, prefix/bin elsewhere.
    base_root = (home or "") if look.on_windows else look.parent(home or "")
    return Shape(
        executable=executable,
        kind="venv",
        root=prefix,
        version=version[0] if version else None,
        site_folders=(site,) if site else (),
        base_root=base_root,
        base_executable=base,
        settings=settings,
        free_threaded=site is not None and site.rstrip("/\\").lower().endswith(f"{minor}t/site-packages") if minor else False,
    )


def _base_in(look: Look, home: str, executable: str, minor: str | None) -> str:
    """The base's python in its folder. Debian has no plain `python`, so the names are tried from the most exact on."""
    if look.on_windows:
        return look.join(home, "python.exe")
    names = (*((f"python{minor}",) if minor else ()), "python3", look.name(executable))
    paths = [look.join(home, name) for name in names]
    return next((path for path in paths if look.exists(path)), paths[0])


def _linux_shape(look: Look, executable: str) -> Shape | None:
    prefix = look.parent(look.parent(executable))
    config = look.text(look.join(prefix, "pyvenv.cfg"), 16384)
    if config is not None:
        return _venv_shape(look, executable, prefix, config)
    if not look.exists(executable):
        return None
    conda = look.names(look.join(prefix, "conda-meta"), "python-*.json")
    told = _conda_version(look, prefix, ("conda-meta/",)) if conda is not None else _named_version(look, prefix)
    kind: PythonKind = "system"
    if conda is not None:
        kind = "conda"
    elif "/.pyenv/versions/" in prefix or "/pyenv/versions/" in prefix:
        kind = "pyenv"
    elif "/uv/python/" in prefix:
        kind = "uv"
    version = told or _asked_version(look, executable)
    minor = ".".join(version.split(".")[:2]) if version else None
    return Shape(executable, kind, prefix, version, _linux_sites(look, prefix, minor), prefix, free_threaded=executable.endswith("t"))


def _linux_site(look: Look, prefix: str, minor: str | None) -> str | None:
    for folder in ("lib", "lib64"):
        found = [name.rstrip("/") for name in look.names(look.join(prefix, folder), "python[23]*", "pypy3*") or ()]
        for name in sorted(found, key=lambda name: not name.startswith(f"python{minor}")):
            return look.join(prefix, folder, name, "site-packages")
    return None


def _linux_sites(look: Look, prefix: str, minor: str | None) -> tuple[str, ...]:
    own = _linux_site(look, prefix, minor)
    if prefix != "/usr" or minor is None:
        return (own,) if own else ()
    # Debian's own Python keeps packages here, and never in site-packages.
    debian = (f"/usr/local/lib/python{minor}/dist-packages", "/usr/lib/python3/dist-packages")
    return (*debian, *((own,) if own else ()))


def _asked_version(look: Look, executable: str) -> str | None:
    """The last resort: no file of a distribution's Python tells the third number."""
    answer = look.query(executable, "-I", "-V", timeout_s=5.0)
    found = re.match(rb"Python (\d+\.\d+\.\d+\S*)", answer.stdout or answer.stderr)
    return found[1].decode("ascii", "replace") if found and answer.exit_code == 0 else None


def _conda_version(look: Look, folder: str, names: tuple[str, ...]) -> str | None:
    if "conda-meta/" not in names:
        return None
    records = look.names(look.join(folder, "conda-meta"), "python-*.json") or ()
    return next((found[1] for found in map(_CONDA_PYTHON.fullmatch, records) if found), None)


def _named_version(look: Look, folder: str) -> str | None:
    found = _NAMED_VERSION.search(look.name(folder))
    return found[1] if found else None


def _dll_version(names: tuple[str, ...]) -> str | None:
    return next((f"{found[1]}.{found[2]}" for found in map(_DLL.fullmatch, names) if found), None)
