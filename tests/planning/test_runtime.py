"""The Visual C++ runtime and Python's build files: brought to where they are loaded from."""

from typing import Any

import pytest

from app.model.facts import Python
from app.model.plan import Goal, Plan
from app.model.unknown import UNKNOWN
from tests.planning.build import machine, plan, portable, python

SAGE = (Goal.TRITON, Goal.SAGEATTENTION)
VENV = "D:\\work\\venv\\Scripts\\python.exe"


def step(made: Plan, kind: str) -> Any:
    return next(one for one in made.steps if one.kind == kind)


@pytest.mark.parametrize(
    ("one", "runtime", "modes"),
    [
        (python(), None, ["redistributable"]),
        (python(), "14.29.30139.0", ["redistributable"]),
        (python(), UNKNOWN, []),
        (python(), "14.44.35211.0", []),
        (python(bundled_vc_runtime="14.29.30133.0"), "14.50.35719.0", ["beside"]),
        (python(version="3.10.11", bundled_vc_runtime="14.29.30133.0"), None, ["redistributable", "from-system"]),
        (portable(), None, ["package"]),
        (portable(bundled_vc_runtime="14.29.30133.0"), None, ["beside"]),
        (portable(packages={"msvc-runtime": "14.51.36231"}), None, []),
    ],
)
def test_a_current_runtime_comes_to_where_it_is_loaded_from(one: Python, runtime: Any, modes: list[str]) -> None:
    made = plan(machine(one, vc_runtime=runtime))
    assert [one.arguments["mode"] for one in made.steps if one.kind == "vc-runtime"] == modes
    assert all(one.needs_admin == (one.arguments["mode"] == "redistributable") for one in made.steps if one.kind == "vc-runtime")


def test_the_runtime_goes_beside_the_base_of_a_venv_where_it_is_known() -> None:
    made = plan(machine(python(bundled_vc_runtime="14.29.30133.0", base_executable="C:\\Python312\\python.exe")))
    assert step(made, "vc-runtime").arguments["python"] == "C:\\Python312\\python.exe"


def test_build_files_come_from_a_python_at_hand_or_from_archives() -> None:
    near = python(None, "C:\\Python313\\python.exe", kind="system", version="3.13.5")
    assert step(plan(machine(portable(), near)), "python-headers").arguments["from_folder"] == "C:\\Python313"
    alone = step(plan(machine(portable())), "python-headers").arguments
    assert "from_folder" not in alone
    (url,) = alone["urls"]
    assert url.endswith("/python/3.13.9")
    assert alone["hash_pages"][url].endswith("/python/3.13.9.json")
    unknown = plan(machine(portable(has_headers=UNKNOWN)))
    assert step(unknown, "python-headers").title.code == "step.python-headers-if-missing"
