"""The smoke test: the target Python itself imports what was installed. It decides whether the change stays."""

import json
from typing import Final

from app.host.protocol import OutputLine
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.resources import assets
from app.running.run import Run, list_argument, text_argument

_TIME_LIMIT_S: Final = 300.0


def smoke_test(step: Step, run: Run) -> None:
    """Imports `modules` one after another in one fresh process. Problem names the first that fails, and how."""
    python = text_argument(step, "python")
    modules = list_argument(step, "modules")
    answers: list[dict[str, str]] = []

    def keep(line: OutputLine) -> bool:
        if line.stream == "stdout" and line.text.startswith('{"module"'):
            answers.append(json.loads(line.text))
            return True
        return False

    payload = assets() / "payloads" / "smoke_test.py"
    # No compiled files: the environment must stay exactly what the swap made it.
    argv = [python, "-s", "-B", "-X", "utf8", str(payload), *modules]
    code = run.execute(step, argv, environment={"PYTHONDONTWRITEBYTECODE": "1"}, timeout_s=_TIME_LIMIT_S, keep=keep)
    for answer in answers:
        if "error" in answer:
            raise Problem(Text("run.smoke-failed", {"module": answer["module"], "reason": answer["error"]}), cause=None)
        run.say(step, f"imports {answer['module']} {answer['version']} from {answer['file']} in {answer['seconds']} s")
    untried = modules[len(answers) :]
    if untried:
        # The process died while it imported this module.
        raise Problem(Text("run.smoke-died", {"module": untried[0], "code": code}), cause=None)
