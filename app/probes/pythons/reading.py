"""One Python in all its facts, from its shape, its packages and its surroundings."""

from collections.abc import Mapping
from typing import Final, Literal

from app.host.protocol import RunningPython
from app.model.facts import Arch, Python
from app.model.unknown import UNKNOWN, Maybe
from app.probes.look import Look
from app.probes.pythons.apps import Neighbours, app_version, attention_flags, find_app
from app.probes.pythons.packages import Installed, read_installed
from app.probes.pythons.shape import Shape

ARCH_LIST: Final = r"(?:sm|compute)_\d{2,3}[af]?(?: (?:sm|compute)_\d{2,3}[af]?)+"
"""At least two, as every published build has; a single word would be met by chance."""

_RUNTIME_DLLS: Final = ("vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll")


def read_python(look: Look, near: Neighbours, shape: Shape, running: tuple[RunningPython, ...] | None) -> Python:
    """All that files tell. What only a start of this Python could tell stays unknown."""
    if shape.kind == "store-alias":
        return Python(executable=shape.executable, kind="store-alias", version="", app=None, packages={}, in_wsl=None)
    base = shape.base_executable or shape.executable
    bits, arch = _bits(look, shape)
    app = find_app(near, shape.root) if shape.root and shape.kind != "store" else None
    installed = _read_packages(look, shape)
    packages: Maybe[Mapping[str, str]] = UNKNOWN if installed is None else installed.packages
    own, enabled = _user_site(look, shape, bits)
    return Python(
        executable=shape.executable,
        kind=shape.kind,
        version=shape.version or "",
        bits=bits,
        arch=arch,
        free_threaded=shape.free_threaded,
        app=None if app is None else app.code_name,
        app_root=None if app is None else app.root,
        app_version=None if app is None else app_version(near, app),
        writable=_writable(look, shape),
        in_use_by=UNKNOWN if running is None else in_use_by(look, shape, running),
        has_pip=UNKNOWN if installed is None else "pip" in installed.packages,
        has_headers=_has_headers(look, shape),
        bundled_vc_runtime=_bundled_runtime(look, look.parent(base)) if look.on_windows and shape.kind != "store" else None,
        user_site=enabled and own is not None,
        in_wsl=None,
        packages=packages,
        torch_arch_list=UNKNOWN if installed is None else _torch_arch_list(look, shape, installed),
        base_executable=shape.base_executable,
        base_ok=look.exists(shape.base_executable) if shape.base_executable else None,
        externally_managed=_externally_managed(look, shape),
        isolated=shape.isolated,
        user_site_packages={} if own is None or not enabled else own.packages,
        leftovers=UNKNOWN if installed is None else installed.leftovers,
        attention_flags=() if app is None else attention_flags(near, app),
    )


def _read_packages(look: Look, shape: Shape) -> Installed | None:
    found = [installed for folder in shape.site_folders if (installed := read_installed(look, folder)) is not None]
    if not found:
        if shape.kind not in ("store",):
            look.gap("pythons.packages", "not-found", shape.executable)
        return None
    unread = [name for installed in found for name in installed.unread]
    if unread:
        look.gap("pythons.packages", "not-understood", f"{shape.executable}: {', '.join(unread[:5])}")
    if len(found) == 1:
        return found[0]
    # The first folder on the path wins.
    packages = {name: version for installed in reversed(found) for name, version in installed.packages.items()}
    return Installed(dict(sorted(packages.items())), tuple(name for installed in found for name in installed.leftovers))


def _torch_arch_list(look: Look, shape: Shape, installed: Installed) -> Maybe[tuple[str, ...]]:
    """The GPUs torch was built for: `torch.cuda.get_arch_list()` gives back a text that stands in torch's own library."""
    version = installed.packages.get("torch")
    if version is None:
        return UNKNOWN
    if version.endswith("+cpu"):
        return ()
    library = "torch_python.dll" if look.on_windows else "libtorch_python.so"
    for site in shape.site_folders:
        found = look.find_text(look.join(site, "torch", "lib", library), ARCH_LIST)
        if found is not None:
            return tuple(found.split())
    look.gap("pythons.torch_arch_list", "not-found", shape.executable)
    return UNKNOWN


def _bits(look: Look, shape: Shape) -> tuple[Maybe[Literal[32, 64]], Maybe[Arch]]:
    program = look.program(shape.executable)
    if (program is None or program.arch is None) and shape.base_executable:
        program = look.program(shape.base_executable)
    if program is None or program.arch is None:
        return UNKNOWN, UNKNOWN
    return (32 if program.arch == "x86" else 64), program.arch


def _writable(look: Look, shape: Shape) -> Maybe[bool]:
    answers = [answer for folder in shape.site_folders[:1] if (answer := look.writable(folder)) is not None]
    if not answers and shape.root:
        answer = look.writable(shape.root)
        return UNKNOWN if answer is None else answer
    return answers[0] if answers else UNKNOWN


def in_use_by(look: Look, shape: Shape, running: tuple[RunningPython, ...]) -> tuple[str, ...]:
    """Programs that run from this environment. A venv's own Python starts the base's, so its start counts, not the base's file."""
    root = look.same(shape.root)
    users = []
    for process in running:
        if process.executable is None:
            continue
        executable = look.same(process.executable)
        own = executable == look.same(shape.executable) or (shape.kind in ("venv", "conda", "embedded") and executable.startswith(root + look.paths.sep))
        if own:
            users.append(f"{process.name} {process.script} (pid {process.pid})" if process.script else f"{process.name} (pid {process.pid})")
    return tuple(users)


def _has_headers(look: Look, shape: Shape) -> Maybe[bool]:
    if shape.minor is None or not shape.base_root:
        return UNKNOWN
    suffix = "t" if shape.free_threaded else ""
    if look.on_windows:
        library = f"python{shape.minor.replace('.', '')}{suffix}.lib"
        return look.exists(look.join(shape.base_root, "include", "Python.h")) and look.exists(look.join(shape.base_root, "libs", library))
    return look.exists(look.join(shape.base_root, "include", f"python{shape.minor}{suffix}", "Python.h"))


def _bundled_runtime(look: Look, folder: str) -> str | None:
    """The oldest of the runtime's DLLs beside python.exe: it is loaded before the one in System32."""
    versions = [program.version for name in _RUNTIME_DLLS if (program := look.program(look.join(folder, name))) is not None and program.version]
    return min(versions, key=lambda version: [int(part) for part in version.split(".")], default=None)


def _user_site(look: Look, shape: Shape, bits: Maybe[Literal[32, 64]]) -> tuple[Installed | None, bool]:
    """The packages of the person's own site folder, and whether this Python looks there."""
    if shape.minor is None:
        return None, False
    enabled = shape.imports_site
    if shape.kind == "venv":
        enabled = shape.settings.get("include-system-site-packages", "false").lower() == "true"
    if shape.isolated and [int(part) for part in shape.minor.split(".")] >= [3, 15]:
        enabled = False
    if not enabled:
        return None, False
    folder = _user_site_folder(look, shape.minor, bits)
    return (None if folder is None else read_installed(look, folder)), True


def _user_site_folder(look: Look, minor: str, bits: Maybe[Literal[32, 64]]) -> str | None:
    base = look.variable("PYTHONUSERBASE")
    if look.on_windows:
        roaming = look.variable("APPDATA")
        base = base or (look.join(roaming, "Python") if roaming else None)
        suffix = "-32" if bits == 32 else ""
        return None if base is None else look.join(base, f"Python{minor.replace('.', '')}{suffix}", "site-packages")
    home = look.variable("HOME")
    base = base or (look.join(home, ".local") if home else None)
    return None if base is None else look.join(base, "lib", f"python{minor}", "site-packages")


def _externally_managed(look: Look, shape: Shape) -> Maybe[bool]:
    if shape.kind in ("venv", "embedded", "store"):
        return False
    if look.on_windows:
        return look.exists(look.join(shape.root, "Lib", "EXTERNALLY-MANAGED"))
    if shape.minor is None:
        return UNKNOWN
    return look.exists(look.join(shape.root, "lib", f"python{shape.minor}", "EXTERNALLY-MANAGED"))
