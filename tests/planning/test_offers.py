"""What the environment page offers: every place says why it is offered, or why it cannot be."""

from dataclasses import replace

from hypothesis import given

from app.model.facts import MachineFacts
from app.model.plan import Choice, RouteKind
from app.model.unknown import UNKNOWN
from app.planning import EnvironmentOffer, Fit, offer_environments
from app.texts import LANGUAGES, words
from tests.planning.build import TABLES, machine, python, with_os
from tests.planning.test_properties import decide, quick
from tests.planning.worlds import choices, windows


def offer_of(facts: MachineFacts, executable: str) -> EnvironmentOffer:
    return next(one for one in offer_environments(facts, Choice(), TABLES) if one.python and one.python.executable == executable)


@quick
@given(windows(), choices())
def test_what_cannot_be_chosen_says_why(facts: MachineFacts, choice: Choice) -> None:
    for offer in offer_environments(facts, choice, TABLES):
        for language in LANGUAGES:
            assert all(words(reason.text, language) for reason in offer.reasons)
        if offer.fit is Fit.IMPOSSIBLE:
            assert offer.reasons, offer.folder
            assert offer.changes.code != "environment.changes-none"


@quick
@given(windows(), choices())
def test_at_most_one_is_recommended_and_it_is_where_the_plan_acts(facts: MachineFacts, choice: Choice) -> None:
    if choice.route not in {None, RouteKind.NATIVE}:
        return
    recommended = [one for one in offer_environments(facts, choice, TABLES) if one.fit is Fit.RECOMMENDED]
    assert len(recommended) <= 1
    plan = decide(facts, choice)
    if recommended and recommended[0].python and plan.route is RouteKind.NATIVE and choice.new_env is None:
        assert plan.python is not None
        assert plan.python.executable == recommended[0].python.executable


def test_a_python_that_no_torch_fits_is_offered_with_the_reason() -> None:
    facts = machine(python(None, version="3.9.13"), capability="12.1", driver_version="616.58")
    offer = offer_of(facts, "D:\\work\\venv\\Scripts\\python.exe")
    assert offer.fit is Fit.IMPOSSIBLE
    assert [reason.code for reason in offer.reasons] == ["no-torch"]
    assert offer.changes.code == "environment.changes-impossible"


def test_on_arm_every_place_without_nvidias_torch_says_so() -> None:
    facts = with_os(machine(python(None, arch="arm64"), capability="12.1", driver_version="616.58"), arch="arm64")
    offers = offer_environments(facts, Choice(), TABLES)
    assert {one.fit for one in offers} == {Fit.IMPOSSIBLE}
    assert all(one.reasons for one in offers)


def test_a_card_that_is_not_known_is_not_laid_on_the_packages() -> None:
    unread = replace(machine(python(None)), gpus=UNKNOWN)
    assert {one.changes.code for one in offer_environments(unread, Choice(), TABLES)} == {"environment.changes-later"}
    unread = machine(replace(python(None), packages=UNKNOWN))
    assert offer_of(unread, "D:\\work\\venv\\Scripts\\python.exe").changes.code == "environment.changes-unknown"
