"""Changes an environment in a process of its own that can be killed: reads commands as JSON lines, forks for each, answers with pids.

A command has `home`, `environment`, `index`, and may have `resume` (a run) and `when`, the moment at which the process ends itself
without any clean-up: just before (`before:N`), just after (`after:N`) or in the middle of (`torn:N`) the N-th line it writes into the
journal, just before its N-th rename that touches what the person uses (`rename:N`), or the N-th inside our own folder (`inside:N`).
"""

import json
import os
import sys
from pathlib import Path

from app.host import file_changes
from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.running import journal, run_plan
from app.running.run import WORK
from tests.running.worlds import change_steps, plan_of, python_of

DIED = 9


def arm(when: str) -> None:
    """Replaces the journal's write, or the host's rename, by one that ends this process at the given moment."""
    kind, _, number = when.partition(":")
    count = [0]

    def reached() -> bool:
        count[0] += 1
        return count[0] == int(number)

    real_write, real_rename = journal.Journal.write, file_changes.rename

    def write(self: journal.Journal, entry: str, **values: object) -> int:
        here = reached()
        if here and kind == "before":
            os._exit(DIED)
        if here and kind == "torn":
            self._file.write(b'{"seq": 99, "time": "20')
            os._exit(DIED)
        seq = real_write(self, entry, **values)
        if here and kind == "after":
            os._exit(DIED)
        return seq

    def rename(source: str, target: str) -> None:
        is_inside = WORK in source and WORK in target
        if is_inside == (kind == "inside") and reached():
            os._exit(DIED)
        real_rename(source, target)

    if kind in ("rename", "inside"):
        file_changes.rename = rename
    else:
        journal.Journal.write = write


def change(command: dict[str, str]) -> int:
    if "when" in command:
        arm(command["when"])
    python = python_of(Path(command["environment"]))
    steps = change_steps(python, ["alpha==2.0", "single==2.0"], ["alpha", "single", "beta"], removes=("gamma",))
    plan = plan_of(python, steps, index=command["index"])
    resume = command.get("resume")
    finished = run_plan(None if resume else plan, LiveHost(), lambda _: None, Cancel(), places=places(command["home"]), resume=resume)
    return 0 if finished.outcome is Outcome.DONE else 1


def main() -> None:
    import httpx  # noqa: F401 - loaded once, not once a child
    import truststore  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = change(json.loads(line))
            finally:
                os._exit(code)
        print(json.dumps({"pid": child}), flush=True)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
