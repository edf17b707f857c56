"""A script for cmd. Every command is followed by a line for the case that it failed: "||" is not understood alike by every cmd."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from app.model.plan import Step
from app.planning.script_words import commands, kept_check, one_line, text_of, texts_of
from app.planning.steps import WHEELHOUSE

_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:\\=+@,~-]+")
_LIVE: Final = frozenset("&|<>^()")
FAILED: Final = 'if not "%errorlevel%"=="0" exit /b 1'
"""Not `if errorlevel 1`: a program that Windows ended has a negative code."""

PERSON: Final = 'if not "%errorlevel%"=="0" exit /b 3'
VSWHERE: Final = r"%ProgramFiles(x86)%\Microsoft Visual Studio\Installer\vswhere.exe"
BESIDE: Final = (
    'import pathlib, subprocess, sys, sysconfig; ask = [sys.argv[1], "-c", "import sysconfig; print(sysconfig.get_path(\'purelib\'))"]; '
    'pathlib.Path(sysconfig.get_path("purelib"), "beside.pth").write_text(subprocess.check_output(ask, text=True))'
)
"""Puts the packages of the Python named behind it on the path of the one that runs it."""

LXSS: Final = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Lxss"


class BatchScript:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def text(self) -> str:
        return "\r\n".join([*self._lines, ""])

    def begin(self) -> None:
        self._lines += ["@echo off", "chcp 65001 >nul", "setlocal DisableDelayedExpansion"]
        self._lines += ['set "WHEELHOUSE=%TEMP%\\triton-setup-wheels"', "set PYTHONNOUSERSITE=1", "set VSLANG=1033"]

    def end(self) -> None:
        self._lines += ["", "endlocal", "exit /b 0"]

    def stop(self, reason: str) -> None:
        self._lines += [_echo(reason), "exit /b 3"]

    def title(self, words: str, needs_admin: bool) -> None:
        self._lines += ["", _echo(f"== {words}")]
        if needs_admin:
            self._lines += ["net session >nul 2>&1", PERSON]

    def remark(self, words: str) -> None:
        self._lines.append(f"rem {one_line(words)}")

    def shown(self, step: Step) -> None:
        self._lines += [f"rem {_command(command)}" for command in commands(step.argv)]

    def do(self, step: Step) -> None:
        self._lines += _KINDS.get(step.kind, _argv)(step)


def _echo(line: str) -> str:
    """The dot keeps an empty line, and one that says "off", what they are."""
    return f"echo.{_live(one_line(line))}"


def _live(text: str) -> str:
    """Text as cmd must read it to mean itself: percent signs are live everywhere, other signs outside quotes."""
    made, is_quoted = [], False
    for sign in text:
        is_quoted ^= sign == '"'
        made.append("%%" if sign == "%" else f"^{sign}" if sign in _LIVE and not is_quoted else sign)
    return "".join(made)


def _word(word: str) -> str:
    """One argument, quoted as Windows programs split their command line, then as cmd reads it."""
    if word == WHEELHOUSE:
        return '"%WHEELHOUSE%"'
    if _PLAIN.fullmatch(word):
        return word
    quoted = re.sub(r'(\\*)"', r'\1\1\\"', word)
    quoted = re.sub(r"(\\+)\Z", r"\1\1", quoted)
    return _live(f'"{quoted}"')


def _command(argv: tuple[str, ...]) -> str:
    return " ".join(map(_word, argv))


def _run(*lines: str) -> list[str]:
    """Lines, each with its check behind it."""
    return [one for line in lines for one in (line, FAILED)]


def _argv(step: Step) -> list[str]:
    return _run(*map(_command, commands(step.argv)))


def _check_free(step: Step) -> list[str]:
    """Windows lets nobody write to a program that runs: then the line that would add nothing to it is not carried out at all."""
    python = _word(text_of(step, "python"))
    return [f"if not exist {python} exit /b 3", 'set "FREE="', f'set "FREE=1" >> {python}', "if not defined FREE exit /b 3"]


def _swap(step: Step) -> list[str]:
    check = kept_check(step)
    return [*_argv(step), *(_run(_command(check)) if check else [])]


def _write(step: Step) -> list[str]:
    """The file line by line. The arrow stands in front, so that a line that ends in a number is not taken for a stream."""
    path, content = text_of(step, "path"), text_of(step, "content")
    folder, file = _word(path.replace("/", "\\").rpartition("\\")[0]), _word(path)
    lines = [f"{'>>' if number else '>'} {file} {_echo(line)}" for number, line in enumerate(content.splitlines() or [""])]
    return [f"if not exist {folder} mkdir {folder}", *lines, f"if not exist {file} exit /b 1"]


def _clear_caches(step: Step) -> list[str]:
    folders = ("%USERPROFILE%\\.triton\\cache", "%TEMP%\\torchinductor_%USERNAME%")
    return [f'if exist "{folder}" rmdir /s /q "{folder}"' for folder in folders]


def _fetch(url: str, file: str, sha256: str = "") -> list[str]:
    """Downloads into %TEMP%. Without a hash known before, Microsoft must have signed the file."""
    place = f'"%TEMP%\\{file}"'
    read = f"$s = Get-AuthenticodeSignature '%TEMP%\\{file}'"
    signed = f"{read}; if ($s.Status -ne 'Valid' -or $s.SignerCertificate.Subject -notmatch 'O=Microsoft Corporation') {{ exit 1 }}"
    hashed = f"certutil.exe -hashfile {place} SHA256 | findstr.exe /i /x {sha256} >nul"
    check = hashed if sha256 else f'powershell.exe -NoProfile -NonInteractive -Command "{signed}"'
    return _run(f"curl.exe --fail --location --output {place} {_word(url)}", check)


def _installer(step: Step) -> list[str]:
    url = text_of(step, "url")
    if not url:
        return _runtime_of_system(step) if text_of(step, "mode") == "from-system" else _argv(step)
    file = url.rpartition("/")[2]
    arguments = " ".join(map(_word, step.argv[1:]))
    # 1638: a newer one is there. 3010: done, and Windows wants to restart some time.
    well = [f'if "%errorlevel%"=="{code}" ver >nul' for code in (1638, 3010)]
    return [*_fetch(url, file), f'"%TEMP%\\{file}" {arguments}', *well, FAILED]


def _runtime_of_system(step: Step) -> list[str]:
    folder = text_of(step, "python").rpartition("\\")[0]
    return _run(*(f'copy /y "%SystemRoot%\\System32\\{name}140*.dll" {_word(folder)} >nul' for name in ("vcruntime", "msvcp")))


def _headers(step: Step) -> list[str]:
    """From the folder of another Python, else from a standalone one that uv fetches and checks."""
    folder = _live(text_of(step, "python").rpartition("\\")[0])
    source, minor = _live(text_of(step, "from_folder").rstrip("\\")), ".".join(text_of(step, "version").split(".")[:2])
    found = f'for /f "delims=" %%i in (\'uv python find --managed-python {minor}\') do set "HEADERS=%%~dpi"'
    lines = [] if source else [*_run(f"uv python install {minor}"), found]
    place = f"{source}\\" if source else "%HEADERS%"
    return [*lines, *_run(*(f'xcopy /e /i /y /q "{place}{name}" "{folder}\\{name}"' for name in ("include", "libs")))]


def _enable_wsl(step: Step) -> list[str]:
    return [*_argv(step), f'reg.exe query "{LXSS}\\InstallStatus" >nul 2>&1', 'if "%errorlevel%"=="0" exit /b 3']


def _install_distro(step: Step) -> list[str]:
    """A distro that is there already is kept, so that the script may be started again after a restart."""
    name, url = text_of(step, "distro"), text_of(step, "url")
    file = url.rpartition("/")[2]
    place = step.argv.index(file)
    importing = f'{_command(step.argv[:place])} "%TEMP%\\{file}" {_command(step.argv[place + 1 :])}'
    return [
        f"wsl.exe -d {_word(name)} -u root -e /bin/true >nul 2>&1",
        'if "%errorlevel%"=="0" goto distro',
        *_fetch(url, file, text_of(step, "sha256")),
        *_run(importing),
        ":distro",
        *_run(f"wsl.exe -d {_word(name)} -u root -e /bin/true"),
    ]


def _check_gpu(step: Step) -> list[str]:
    start = f"wsl.exe -d {_word(text_of(step, 'distro'))} -u root -e test -e"
    return [*_run(f"{start} /dev/dxg", f"{start} /usr/lib/wsl/lib/libcuda.so.1"), *_argv(step)]


def _toolchain(step: Step) -> list[str]:
    """Windows' own compiler with its environment, as it stays for the build."""
    asks = f'"{VSWHERE}" -latest -products * -requires Microsoft.VisualStudio.Component.VC.Tools.x86.x64 -property installationPath'
    return [
        f'for /f "usebackq delims=" %%i in (`{asks}`) do call "%%i\\VC\\Auxiliary\\Build\\vcvars64.bat"',
        "where.exe cl.exe",
        PERSON,
        'echo int main() { return 0; } > "%TEMP%\\triton-setup-probe.cpp"',
        *_run('cl.exe /nologo /c /Fo"%TEMP%\\triton-setup-probe.obj" "%TEMP%\\triton-setup-probe.cpp"'),
    ]


def _build(step: Step) -> list[str]:
    folder, wheels, python = (text_of(step, name) for name in ("folder", "wheels", "python"))
    variables = step.arguments.get("variables")
    own = f"{folder}\\build-environment\\Scripts\\python.exe"
    sources = f"{folder}\\source" + (f"\\{text_of(step, 'subfolder')}" if text_of(step, "subfolder") else "")
    clone = ("git", "-c", "core.autocrlf=false", "clone", "--depth", "1", "--branch", text_of(step, "reference"), "--", text_of(step, "repository"))
    lines: list[tuple[str, ...]] = [
        ("uv", "venv", "--seed", "--python", python, f"{folder}\\build-environment"),
        (own, "-m", "pip", "install", *texts_of(step, "requirements")),
        (*clone, f"{folder}\\source"),
        (own, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", wheels, sources),
    ]
    beside = text_of(step, "beside")
    if beside:
        lines.insert(1, (own, "-c", BESIDE, beside))
    settings = ["set " + _live(f'"{name}={value}"') for name, value in variables.items()] if isinstance(variables, Mapping) else []
    path = f'set "PATH={folder}\\build-environment\\Scripts;%PATH%"'
    return [*settings, path, *_run(*map(_command, lines))]


_KINDS: Final[Mapping[str, Callable[[Step], list[str]]]] = {
    "check-free": _check_free,
    "check-toolchain": _toolchain,
    "clear-caches": _clear_caches,
    "fetch-build-tools": _installer,
    "python-headers": _headers,
    "source-build": _build,
    "swap": _swap,
    "vc-runtime": _installer,
    "write-file": _write,
    "write-launcher": _write,
    "wsl-check-gpu": _check_gpu,
    "wsl-enable": _enable_wsl,
    "wsl-install-distro": _install_distro,
}
