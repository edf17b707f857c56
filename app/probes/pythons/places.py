"""Where Pythons are written down or usually lie: registry, lists of conda, folders of managers, aliases, applications' settings.

Order of sources as in PEP 514 and in Microsoft's environment tools: registered ones first, then managers, then what lies around.
"""

import json
import re
from collections.abc import Iterator
from typing import Final, Literal

from app.probes.look import Look
from app.probes.pythons.shape import pyenv_roots

_CONDA_FOLDERS: Final = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", "miniconda", "anaconda", "miniforge", ".conda")
_TRAILING_SWITCH: Final = re.compile(r"\s+#.*$")


def known_pythons(look: Look) -> Iterator[str]:
    """Executables that something on the machine names, whether they are there or not."""
    if look.on_windows:
        yield from registered(look)
        yield from _aliases(look)
    for prefix in _conda_prefixes(look):
        yield look.join(prefix, "python.exe") if look.on_windows else look.join(prefix, "bin", "python")
    for folder in _folders_of_prefixes(look):
        for name in look.names(folder) or ():
            if name.endswith("/"):
                yield from _pythons_of_prefix(look, look.join(folder, name[:-1]))
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if named := look.variable(variable):
            yield from _pythons_of_prefix(look, named)
    yield from _on_path(look)


def registered(look: Look) -> Iterator[str]:
    """PEP 514: HKCU before HKLM, both views; entries whose program is gone are common."""
    seen: set[tuple[str, str]] = set()
    views: tuple[tuple[str, Literal[32, 64]], ...] = (("HKCU", 64), ("HKLM", 64), ("HKLM", 32))
    for root, view in views:
        companies = look.registry(rf"{root}\Software\Python", view=view)
        for company in () if companies is None else companies.subkeys:
            tags = look.registry(rf"{root}\Software\Python\{company}", view=view) if company.lower() != "pylauncher" else None
            for tag in () if tags is None else tags.subkeys:
                # A person's own entry hides the machine's of the same name.
                if view == 64 and (company, tag) in seen:
                    continue
                seen.add((company, tag))
                place = look.registry(rf"{root}\Software\Python\{company}\{tag}\InstallPath", "", "ExecutablePath", view=view)
                if place is None:
                    continue
                executable, prefix = place.values.get("ExecutablePath"), place.values.get("")
                if isinstance(executable, str) and executable:
                    yield executable
                elif isinstance(prefix, str) and prefix:
                    yield look.join(prefix, "python.exe")


def _aliases(look: Look) -> Iterator[str]:
    if local := look.variable("LOCALAPPDATA"):
        folder = look.join(local, "Microsoft", "WindowsApps")
        names = look.names(folder, "python.exe", "python3.exe", "PythonSoftwareFoundation.Python.*") or ()
        alias = next((name for name in ("python.exe", "python3.exe") if name in names), None)
        if alias is not None:
            yield look.join(folder, alias)
        for name in names:
            if name.endswith("/"):
                yield look.join(folder, name[:-1], "python.exe")


def _conda_prefixes(look: Look) -> Iterator[str]:
    home = _home(look)
    if home is None:
        return
    for line in (look.text(look.join(home, ".conda", "environments.txt")) or "").splitlines():
        if line.strip():
            yield line.strip()
    roots = [home, look.join(home, "scoop", "apps", "miniconda3")]
    if look.on_windows:
        roots += [folder for name in ("LOCALAPPDATA", "ProgramData", "SystemDrive") if (folder := look.variable(name))]
    else:
        roots += ["/opt", "/usr/local"]
    bases = [look.join(f"{root}\\" if root.endswith(":") else root, name) for root in roots for name in _CONDA_FOLDERS]
    if look.on_windows and (roaming := look.variable("APPDATA")):
        bases.append(look.join(roaming, "mamba"))
    elif not look.on_windows:
        bases.append(look.join(home, ".local", "share", "mamba"))
    bases += [prefix for name in ("MAMBA_ROOT_PREFIX", "CONDA_ROOT") if (prefix := look.variable(name))]
    environments = [look.join(base, "envs") for base in bases if look.exists(base)]
    yield from (base for base in bases if look.exists(look.join(base, "conda-meta")))
    environments += conda_folders(look.text(look.join(home, ".condarc"), 1 << 16) or "", home)
    for folder in environments:
        yield from (look.join(folder, name[:-1]) for name in look.names(folder) or () if name.endswith("/"))


def conda_folders(condarc: str, home: str) -> list[str]:
    """The list `envs_dirs` of a .condarc (YAML; only this list is read)."""
    folders, inside = [], False
    for line in condarc.splitlines():
        plain = _TRAILING_SWITCH.sub("", line).strip()
        if plain.startswith(("envs_dirs:", "envs_path:")):
            inside = True
        elif inside and plain.startswith("-"):
            folder = plain[1:].strip().strip("'\"")
            folders.append(home + folder[1:] if folder.startswith("~") else folder)
        elif plain:
            inside = False
    return folders


def _folders_of_prefixes(look: Look) -> Iterator[str]:
    """Folders that hold one Python prefix a subfolder: uv, pyenv, the install manager, python.org's default."""
    home = _home(look)
    if managed := look.variable("UV_PYTHON_INSTALL_DIR"):
        yield managed
    if look.on_windows:
        if roaming := look.variable("APPDATA"):
            yield look.join(roaming, "uv", "python")
            yield look.join(roaming, "uv", "data", "python")
        if local := look.variable("LOCALAPPDATA"):
            yield look.join(local, "Python")
            yield look.join(local, "Programs", "Python")
            yield look.join(local, "pypoetry", "Cache", "virtualenvs")
        for name in ("ProgramFiles", "ProgramFiles(x86)"):
            if programs := look.variable(name):
                yield from _python_folders(look, programs)
        yield from _python_folders(look, (look.variable("SystemDrive") or "C:") + "\\")
        if home:
            yield look.join(home, ".pyenv", "pyenv-win", "versions")
            yield look.join(home, ".virtualenvs")
            yield look.join(home, "Envs")
        yield from (look.join(root, "versions") for root in pyenv_roots(look))
        return
    if home:
        yield look.join(home, ".local", "share", "uv", "python")
        yield from (look.join(root, "versions") for root in (*pyenv_roots(look), look.join(home, ".pyenv")))
        yield look.join(home, ".virtualenvs")
        yield look.join(home, ".cache", "pypoetry", "virtualenvs")


def _python_folders(look: Look, folder: str) -> Iterator[str]:
    """The folder itself where it holds a `Python3*`: its subfolders are then looked at."""
    if look.names(folder, "Python3*"):
        yield folder


def _pythons_of_prefix(look: Look, prefix: str) -> Iterator[str]:
    if look.on_windows:
        if look.exists(look.join(prefix, "python.exe")):
            yield look.join(prefix, "python.exe")
        elif look.exists(look.join(prefix, "pyvenv.cfg")):
            yield look.join(prefix, "Scripts", "python.exe")
        return
    for name in ("python3", "python"):
        if look.exists(look.join(prefix, "bin", name)):
            yield look.join(prefix, "bin", name)
            return


def _on_path(look: Look) -> Iterator[str]:
    for folder in look.search_path():
        # Shims start whatever a version file says; they are no Python.
        if "shims" in folder.lower():
            continue
        if look.on_windows:
            if "\\windowsapps" not in folder.lower() and look.exists(look.join(folder, "python.exe")):
                yield look.join(folder, "python.exe")
            continue
        for name in look.names(folder, "python3", "python3.*") or ():
            if re.fullmatch(r"python3(\.\d+t?)?", name):
                yield look.join(folder, name)


def app_folders(look: Look) -> Iterator[tuple[str, int]]:
    """Folders in which applications keep environments, by their own settings and defaults, with the levels to search."""
    home = _home(look)
    if home is None:
        return
    if look.on_windows:
        roaming, local = look.variable("APPDATA") or "", look.variable("LOCALAPPDATA") or ""
        if roaming:
            yield from _settings_folders(look, roaming)
        if local:
            yield look.join(local, "Comfy-Desktop", "ComfyUI-Installs"), 3
            yield look.join(local, "Programs", "ComfyUI"), 3
            yield from _comfy_cli_folders(look, look.join(local, "comfy-cli", "config.ini"))
    else:
        yield from _comfy_cli_folders(look, look.join(home, ".config", "comfy-cli", "config.ini"))
    for name, levels in (("ComfyUI-Installs", 3), ("ComfyUI", 1), ("pinokio", 5), ("StabilityMatrix", 5), ("invokeai", 1), ("SwarmUI", 4)):
        yield look.join(home, name), levels


def _settings_folders(look: Look, roaming: str) -> Iterator[tuple[str, int]]:
    for file, key, inner, levels in (
        ((roaming, "ComfyUI", "config.json"), "basePath", "", 1),
        ((roaming, "StabilityMatrix", "library.json"), "LibraryPath", "Packages", 2),
        ((roaming, "Pinokio", "config.json"), "home", "api", 4),
    ):
        folder = json_value(look.text(look.join(*file), 1 << 18) or "", key)
        if folder:
            yield look.join(folder, inner) if inner else folder, levels
    if look.exists(look.join(roaming, "StabilityMatrix", "Packages")):
        yield look.join(roaming, "StabilityMatrix", "Packages"), 2


def _comfy_cli_folders(look: Look, file: str) -> Iterator[tuple[str, int]]:
    for line in (look.text(file, 1 << 16) or "").splitlines():
        name, equals, value = line.partition("=")
        if equals and name.strip() in ("default_workspace", "recent_workspace") and value.strip():
            yield value.strip(), 1


def json_value(text: str, key: str) -> str | None:
    """A text at the top of a JSON object, without regard to how its name is written."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    values = document.items() if isinstance(document, dict) else ()
    return next((value for name, value in values if name.lower() == key.lower() and isinstance(value, str) and value), None)


def _home(look: Look) -> str | None:
    return look.variable("USERPROFILE") if look.on_windows else look.variable("HOME")
