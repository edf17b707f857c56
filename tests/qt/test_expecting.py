"""Before a plan runs it is told what it asks of the person."""

from app.model.plan import Goal, RouteKind
from app.qt.expecting import expectations, promise
from app.texts import LANGUAGES, words
from tests.planning.build import machine, plan, portable, python, wsl


def told(*facts_and_goals, **choice):
    return {text.code.rpartition("-")[2]: text.params for text in expectations(plan(*facts_and_goals, **choice))}


def test_wsl_from_nothing_tells_rights_restart_and_waits():
    made = told(machine(), Goal.TRITON, route=RouteKind.WSL2)
    assert made["admin"] == {"steps": "1"}
    assert made["restart"] == {"step": 1}
    assert "7" in str(made["wait"]["steps"])
    for language in LANGUAGES:
        assert all("{" not in words(text, language) for text in expectations(plan(machine(), route=RouteKind.WSL2)))


def test_a_server_in_a_distro_that_is_there_tells_its_waits_only():
    assert set(told(machine(wsl=wsl()), Goal.VLLM, route=RouteKind.WSL2, model="m-1B")) == {"wait"}


def test_a_build_tells_that_it_takes_long():
    assert set(told(machine(python("2.9.1+cu130")), Goal.TRITON, route=RouteKind.SOURCE)) == {"admin", "build"}


def test_an_ordinary_change_has_nothing_of_it():
    assert told(machine(portable()), Goal.TRITON) == {}


def test_the_promise_is_only_what_is_kept():
    assert promise(plan(machine(wsl=wsl()), route=RouteKind.WSL2)).code == "page.review.promise-wsl"
    assert promise(plan(machine(python()))).code == "page.review.promise"
