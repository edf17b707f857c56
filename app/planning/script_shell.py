"""A script for sh, on Linux itself or inside a distro of WSL."""

import shlex
from collections.abc import Callable, Mapping
from typing import Final

from app.model.plan import Step, Where
from app.planning.script_words import commands, kept_check, one_line, text_of
from app.planning.steps import WHEELHOUSE

FAILED: Final = " || exit 1"
END: Final = "TRITON_SETUP_END"


class ShellScript:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def text(self) -> str:
        return "\n".join([*self._lines, ""])

    def begin(self) -> None:
        self._lines += ["#!/bin/sh", "set -u", 'WHEELHOUSE="${TMPDIR:-/tmp}/triton-setup-wheels"', "export PYTHONNOUSERSITE=1"]

    def end(self) -> None:
        self._lines += ["", "exit 0"]

    def stop(self, reason: str) -> None:
        self._lines += [f"echo {shlex.quote(one_line(reason))} >&2", "exit 3"]

    def title(self, words: str, needs_admin: bool) -> None:
        self._lines += ["", f"echo {shlex.quote(f'== {one_line(words)}')}"]
        if needs_admin:
            self._lines.append('[ "$(id -u)" = 0 ] || exit 3')

    def remark(self, words: str) -> None:
        self._lines.append(f"# {one_line(words)}")

    def shown(self, step: Step) -> None:
        self._lines += [f"# {_command(command)}" for command in commands(_inside(step))]

    def do(self, step: Step) -> None:
        self._lines += _KINDS.get(step.kind, _argv)(step)


def _inside(step: Step) -> tuple[str, ...]:
    """The command of a WSL step as it stands in the distro."""
    return step.argv[step.argv.index("-e") + 1 :] if step.where is Where.WSL and "-e" in step.argv else step.argv


def _word(word: str) -> str:
    return '"$WHEELHOUSE"' if word == WHEELHOUSE else shlex.quote(word)


def _command(argv: tuple[str, ...]) -> str:
    return " ".join(map(_word, argv))


def _argv(step: Step) -> list[str]:
    return [_command(command) + FAILED for command in commands(_inside(step))]


def _check_free(step: Step) -> list[str]:
    """Whether it is there, and whether a running program was started from its folder."""
    python = text_of(step, "python")
    running = "running=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n')"
    return [f"[ -x {_word(python)} ] || exit 3", running, f'case "$running" in *{_word(python.rpartition("/")[0] + "/python")}*) exit 3;; esac']


def _swap(step: Step) -> list[str]:
    check = kept_check(step)
    return [*_argv(step), *([_command(check) + FAILED] if check else [])]


def _write(step: Step) -> list[str]:
    path, content = text_of(step, "path"), text_of(step, "content")
    folder = path.rpartition("/")[0]
    lines = [f"mkdir -p {_word(folder)}{FAILED}", f"cat > {_word(path)} << '{END}'{FAILED}", *content.splitlines(), END]
    return [*lines, *([f"chmod +x {_word(path)}{FAILED}"] if step.arguments.get("executable") is True else [])]


def _clear_caches(step: Step) -> list[str]:
    folders = ('"${TRITON_CACHE_DIR:-${TRITON_HOME:-$HOME}/.triton/cache}"', '"${TORCHINDUCTOR_CACHE_DIR:-${TMPDIR:-/tmp}/torchinductor_$(id -un)}"')
    return [f"rm -rf -- {folder}{FAILED}" for folder in folders]


def _check_gpu(step: Step) -> list[str]:
    return [f"test -e /dev/dxg{FAILED}", f"test -e /usr/lib/wsl/lib/libcuda.so.1{FAILED}", *_argv(step)]


_KINDS: Final[Mapping[str, Callable[[Step], list[str]]]] = {
    "check-free": _check_free,
    "clear-caches": _clear_caches,
    "swap": _swap,
    "write-file": _write,
    "write-launcher": _write,
    "wsl-check-gpu": _check_gpu,
}
