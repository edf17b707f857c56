"""What a payload says: one JSON object a line on standard output, so that the wizard can follow while it runs.

Every line carries the key `proof`, which names its kind:

    {"proof": "started", "check": "softmax"}
    {"proof": "check", "check": "softmax", "outcome": "passed", "detail": "...", "numbers": {...}}
    {"proof": "benchmark", ...}          see proof_measure.py
    {"proof": "device", "numbers": {...}}

A check that was started and never finished tells where the process died.
Needs nothing but Python 3.9.
"""

import argparse
import contextlib
import importlib.util
import json
import math
import os
import sys
import time
import traceback

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
NO_NUMPY = INTERPRETED and importlib.util.find_spec("numpy") is None
"""The interpreter computes with numpy, which torch does not bring along."""
PROVED = ("torch", "triton")
"""What a proof is about. Where it is not installed there is nothing to look into."""
FAILED = []
"""Names of the checks that failed in this process."""


class Skipped(Exception):
    """This check does not apply here; the text says why. Skipped is not failed."""

    def __init__(self, reason, **numbers):
        super().__init__(reason)
        self.numbers = dict(numbers, reason=reason)


class Wrong(Exception):
    """The code ran and gave a wrong result; `numbers` say how wrong."""

    def __init__(self, detail, **numbers):
        super().__init__(detail)
        self.numbers = numbers


def say(kind, **content):
    """Writes one line and flushes, so that it survives a crash of this process."""
    line = json.dumps({"proof": kind, **_plain(content)}, ensure_ascii=True, allow_nan=False)
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _plain(value):
    # JSON has no NaN and no infinity: their names travel as text.
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def run_checks(checks, names):
    """Runs the named functions of `checks`, each reported as it starts and ends. A check returns (detail, numbers)."""
    for name in names:
        say("started", check=name)
        began = time.perf_counter()
        try:
            detail, numbers = checks[name]()
            outcome = "passed"
        except Skipped as reason:
            outcome, detail, numbers = "skipped", str(reason), reason.numbers
        except Wrong as wrong:
            outcome, detail, numbers = "failed", str(wrong), {**wrong.numbers, "wrong": True}
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            outcome, detail = "failed", describe(error)
            numbers = {"error_type": type(error).__name__}
            if isinstance(error, ModuleNotFoundError) and error.name in PROVED:
                # What is not installed failed nowhere: a traceback would only name our own lines.
                numbers["missing"] = error.name
            else:
                traceback.print_exc()
        if outcome == "failed":
            FAILED.append(name)
        numbers = {**numbers, "seconds": round(time.perf_counter() - began, 4)}
        say("check", check=name, outcome=outcome, detail=detail, numbers=numbers)


def describe(error):
    """The last line of an error, short enough for one row."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:400]


def skip(names, reason):
    """Reports checks that cannot be run."""
    for name in names:
        say("check", check=name, outcome="skipped", detail="", numbers={"reason": reason})


def need(module):
    """Ends the process with every check left out where the module is not installed: the check of its import says so."""
    if importlib.util.find_spec(module) is None:
        skip(chosen(), "not-started")
        finish()


def chosen():
    """The names given with --checks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--checks", required=True, help="names separated by commas, in the order to run them")
    return [name for name in parser.parse_known_args()[0].checks.split(",") if name]


def finish():
    """Ends the process at once: destructors of half-broken GPU libraries must not spoil a finished proof."""
    say("finished")
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(0)
