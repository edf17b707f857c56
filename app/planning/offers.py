"""What the environment page offers: every Python or distro with how well it fits, why, and what would change; a new one besides."""

import enum
from dataclasses import dataclass, replace

from app.model.facts import Distro, MachineFacts, Python
from app.model.plan import Choice, Reason, RouteKind, TorchChange
from app.model.text import Text
from app.model.unknown import known
from app.planning.apps import app_name
from app.planning.packages import work_in
from app.planning.situation import Situation
from app.planning.target import Standing, find_target, new_folder, standings, work_in_a_new_one
from app.planning.vllm import is_vllm_alone
from app.planning.work import Work
from app.planning.wsl import choose_distro, is_healthy
from app.tables import Tables
from app.tables.builds import minor_of
from app.tables.judge import TorchState
from app.tables.machine import environment_folder


class Fit(enum.Enum):
    RECOMMENDED = "recommended"
    FITS = "fits"
    FITS_WITH_CHANGES = "fits-with-changes"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class EnvironmentOffer:
    """One line of the page. `python` and `distro` None: a new environment in `folder`. `choice` is the choice that takes it.

    `changes` says in one line what would change. `place` is the Python's place in the facts.
    """

    fit: Fit
    folder: str
    reasons: tuple[Reason, ...]
    changes: Text
    choice: Choice
    python: Python | None = None
    place: int | None = None
    distro: Distro | None = None


_ORDER = {fit: place for place, fit in enumerate(Fit)}


def offer_environments(facts: MachineFacts, choice: Choice, tables: Tables, environments_root: str | None = None) -> tuple[EnvironmentOffer, ...]:
    """All environments for the goals and the route, the recommendation first, then by fit, then as the facts list them."""
    free = replace(choice, python=None, comfyui=None, new_env=None, distro=None, torch_change=TorchChange.ASK)
    case = Situation(facts, free, tables)
    offers = _distros(case) if choice.route is RouteKind.WSL2 else _pythons(case, environments_root)
    return tuple(sorted(offers, key=lambda offer: _ORDER[offer.fit]))


def _pythons(case: Situation, environments_root: str | None) -> list[EnvironmentOffer]:
    folder = new_folder(case.facts, environments_root, "vllm" if is_vllm_alone(case) else "triton")
    target = find_target(case.facts, case.choice, case.tables, folder)
    best = target.standing.place if target.standing else None
    offers = [_existing(case, standing, standing.place == best, target.why) for standing in standings(case.facts, case.choice, case.tables)]
    return [*offers, _new(case, folder, best is None and target.trouble is None, target.why)]


def _existing(case: Situation, standing: Standing, is_best: bool, why: str) -> EnvironmentOffer:
    python = standing.python
    folder = environment_folder(case.facts, python)
    choice = replace(case.choice, python=python.executable)
    if is_vllm_alone(case):
        return EnvironmentOffer(Fit.IMPOSSIBLE, folder, (_reason("vllm-own"),), _changes("impossible"), choice, python, standing.place)
    if standing.flaws:
        reasons = tuple(_reason(f"flaw-{flaw.value}", version=minor_of(python.version)) for flaw in standing.flaws)
        return EnvironmentOffer(Fit.IMPOSSIBLE, folder, reasons, _changes("impossible"), choice, python, standing.place)
    work = work_in(case, python)
    reasons = (*((_why(case, standing, why),) if is_best else ()), *_cautions(standing, work))
    must_change = standing.cost >= 3 or work.decision
    fit = Fit.IMPOSSIBLE if work.impossible else Fit.RECOMMENDED if is_best else Fit.FITS_WITH_CHANGES if must_change else Fit.FITS
    return EnvironmentOffer(fit, folder, reasons, _line(standing, work), choice, python, standing.place)


def _why(case: Situation, standing: Standing, why: str) -> Reason:
    return Reason(f"target-{why}", Text(f"route.target-{why}", {"app": app_name(known(standing.python.app, None)), "folder": ""}))


def _cautions(standing: Standing, work: Work) -> tuple[Reason, ...]:
    """What a person should know before taking it."""
    python = standing.python
    told = []
    if work.impossible:
        told.append(_reason(work.impossible))
    if not standing.is_writable:
        told.append(_reason("not-writable"))
    if users := known(python.in_use_by, ()):
        told.append(_reason("in-use", program=users[0]))
    if standing.lies_badly:
        told.append(_reason("lies-badly"))
    if standing.torch.state is TorchState.UNKNOWN:
        told.append(_reason("unknown"))
    elif work.decision == "torch" and standing.torch.torch:
        told.append(_reason("torch-must-change", torch=standing.torch.torch.text))
    elif work.decision == "sage" and standing.torch.torch:
        told.append(_reason("no-sage", torch=standing.torch.torch.text))
    if known(python.has_headers, True) is False:
        told.append(_reason("headers"))
    return tuple(told)


def _line(standing: Standing, work: Work) -> Text:
    if work.unknown:
        return _changes("unknown" if work.unknown in {"packages", "torch"} else "later")
    if work.impossible:
        return _changes("impossible")
    added = ", ".join(f"{pin.name} {pin.version.partition('+')[0]}" for pin in work.pins if pin.name != "torch")
    torch = work.packages.get("torch", "")
    before = standing.torch.torch.text if standing.torch.torch else ""
    if not work.pins and not work.removes:
        return _changes("none")
    if before and torch != before:
        return _changes("torch", before=before, after=torch, added=added)
    return _changes("add", added=added or torch, torch=torch) if before else _changes("new", torch=torch, added=added)


def _new(case: Situation, folder: str, is_best: bool, why: str) -> EnvironmentOffer:
    work = work_in_a_new_one(case)
    choice = replace(case.choice, new_env=folder)
    reasons = (Reason(f"target-{why}", Text(f"route.target-{why}", {"app": "", "folder": folder})),) if is_best else (_reason("apart"),)
    if code := work.impossible or (f"unknown-{work.unknown}" if work.unknown else None):
        fit = Fit.IMPOSSIBLE if work.impossible else Fit.FITS_WITH_CHANGES
        return EnvironmentOffer(fit, folder, (Reason(code, Text(f"route.{code}")),), _changes("impossible" if work.impossible else "later"), choice)
    added = ", ".join(f"{pin.name} {pin.version.partition('+')[0]}" for pin in work.pins if pin.name != "torch")
    line = _changes("new", torch=work.packages.get("torch", ""), added=added)
    return EnvironmentOffer(Fit.RECOMMENDED if is_best else Fit.FITS, folder, reasons, line, choice)


def _distros(case: Situation) -> list[EnvironmentOffer]:
    """WSL2: the person's distros, and one of our own."""
    wsl = known(case.facts.wsl, None)
    best = choose_distro(case)
    rules = case.tables.wsl
    offers = []
    for distro in known(wsl.distros, ()) if wsl else ():
        fit = Fit.RECOMMENDED if best and distro.name == best.name else Fit.FITS if is_healthy(case, distro) else Fit.IMPOSSIBLE
        reasons = (_reason("distro-fits"),) if fit is not Fit.IMPOSSIBLE else _distro_troubles(case, distro)
        line = _changes("distro", distro=distro.name)
        offers.append(EnvironmentOffer(fit, rules.folder, reasons, line, replace(case.choice, distro=distro.name), distro=distro))
    own = Fit.RECOMMENDED if best is None else Fit.FITS
    offers.append(EnvironmentOffer(own, rules.folder, (_reason("distro-new"),), _changes("distro-new", image=rules.image), case.choice))
    return offers


def _distro_troubles(case: Situation, distro: Distro) -> tuple[Reason, ...]:
    told = []
    if known(distro.wsl_version, 2) == 1:
        told.append(_reason("distro-version-1"))
    if known(distro.driver_in_distro, False):
        told.append(_reason("distro-driver"))
    elif known(distro.gpu_visible, None) is not True:
        told.append(_reason("distro-no-gpu"))
    return tuple(told) or (_reason("distro-python", oldest=case.tables.wsl.oldest_python),)


def _reason(code: str, **params: str) -> Reason:
    return Reason(code, Text(f"environment.{code}", params))


def _changes(key: str, **params: str) -> Text:
    return Text(f"environment.changes-{key}", params)
