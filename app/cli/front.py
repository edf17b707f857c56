"""Finds the command, runs it, turns every way it can end into one line and an exit code."""

import argparse
import errno
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Final

from app.cli.arguments import WIZARD, language_in, parse_arguments
from app.cli.elevated import ELEVATED_OPTION, run_elevated
from app.cli.named import check_named
from app.cli.terminal import Terminal
from app.host.own import has_display, own_environment, speaks_chinese
from app.model.cancel import Cancel
from app.model.problem import Cancelled, ExitCode, Problem, reason_of
from app.model.text import Text

_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT if hasattr(errno, "EDQUOT") else errno.ENOSPC})


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; returns the exit code. Never raises but for `--help` and `--version`."""
    wanted = language_in(arguments)
    terminal = Terminal("zh_CN" if wanted == "zh_CN" or (wanted is None and speaks_chinese()) else "en")
    cancel = Cancel()
    try:
        if arguments and arguments[0] == ELEVATED_OPTION:
            return run_elevated(list(arguments))
        options = parse_arguments(list(arguments))
        terminal = Terminal(terminal.language, options.json)
        check_named(options)
        _cancel_on_signals(cancel, terminal)
        code = int(_run(options.command, options, terminal, cancel))
        sys.stdout.flush()
        return code
    except Problem as problem:
        terminal.problem(problem.text)
        return int(problem.exit_code)
    except (Cancelled, KeyboardInterrupt):
        terminal.problem(Text("cli.cancelled"))
        return int(ExitCode.CANCELLED)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is wrong, and nobody is left to tell.
        sys.stdout = None
        return int(ExitCode.DONE)
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None and error.errno in _UNWRITABLE:
            sys.stdout = None
            terminal.problem(Text("cli.output-unwritable", {"reason": reason_of(error)}))
            return int(ExitCode.FAILED)
        from app.host.crash import save_crash

        terminal.problem(save_crash(error, own_environment()))
        return int(ExitCode.FAILED)


def _run(command: str, options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    if command == WIZARD:
        environment = own_environment()
        if has_display(environment):
            from app.qt.start import start_wizard

            return ExitCode(start_wizard(options, environment.get("TRITON_SETUP_HOME"), terminal.language))
        from app.cli.walk import walk

        return walk(options, terminal, cancel)
    from app.cli.commands import COMMANDS

    return COMMANDS[command](options, terminal, cancel)


def _cancel_on_signals(cancel: Cancel, terminal: Terminal) -> None:
    """Ctrl-C and a polite end ask the work to stop; a second Ctrl-C does not wait for it."""
    if threading.current_thread() is not threading.main_thread():
        return

    def on_signal(number: int, frame: object) -> None:
        if cancel.is_set or terminal.is_asking:
            raise KeyboardInterrupt
        cancel.set()

    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)
