"""Which environment a plan works on: the named one, the one of the app the person uses, one that fits as it is, or a new one."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from app.model.facts import MachineFacts, Python
from app.model.plan import Choice, Goal
from app.model.unknown import UNKNOWN, known
from app.planning.packages import lacks_tensor_cores, work_in, work_in_new
from app.planning.situation import Situation
from app.planning.work import Work
from app.tables import Tables
from app.tables.builds import TorchBuild, minor_of
from app.tables.judge import (
    CHANGES_TORCH,
    PythonFlaw,
    SageState,
    TorchJudgement,
    TorchState,
    TritonState,
    blames_runtime,
    is_without_card,
    judge_sage,
    judge_torch,
    judge_triton,
    python_arch,
    python_flaws,
)
from app.tables.machine import environment_folder, is_windows, own_pythons, path, site_packages

COMFYUI_APPS: Final = frozenset({"comfyui", "comfyui-portable", "comfyui-desktop", "aki", "stability-matrix", "pinokio", "swarmui"})
PATH_LIMIT: Final = 259
BASE_KINDS: Final = frozenset({"system", "pyenv", "uv"})


@dataclass(frozen=True)
class Standing:
    """How an environment of the facts stands towards the goals."""

    facts: MachineFacts
    tables: Tables
    choice: Choice
    place: int
    python: Python

    @cached_property
    def flaws(self) -> tuple[PythonFlaw, ...]:
        return python_flaws(self.facts, self.python, self.tables)

    @cached_property
    def torch(self) -> TorchJudgement:
        return judge_torch(self.facts, self.python, self.tables)

    @property
    def changes_torch(self) -> bool:
        return self.torch.state in CHANGES_TORCH

    @cached_property
    def is_right(self) -> bool:
        """Nothing is to be installed for the goals."""
        if self.torch.state is not TorchState.RIGHT or self.torch.torch is None or self._fails_to_load("torch"):
            return False
        if self.choice.wants_triton and not self._has_triton(self.torch.torch):
            return False
        right_sage = {SageState.RIGHT, SageState.SELF_BUILT}
        has_sage = judge_sage(self.facts, self.python, self.torch.torch, self.tables) in right_sage and not self._fails_to_load("sageattention")
        return not self.choice.wants_sage or has_sage

    def _has_triton(self, torch: TorchBuild) -> bool:
        if self._fails_to_load("triton") or judge_triton(self.facts, self.python, torch, self.tables) is not TritonState.RIGHT:
            return False
        packages = known(self.python.packages, {})
        # Triton's interpreter, which runs where there is no card, imports numpy.
        return "triton" not in packages if is_windows(self.facts) else "numpy" in packages or not is_without_card(self.facts)

    def _fails_to_load(self, module: str) -> bool:
        return known(self.python.imports, {}).get(module, "ok") != "ok"

    @cached_property
    def cost(self) -> int:
        """How much would change: 0 nothing, 1 packages, 2 torch is added, 3 not known, 4 torch is replaced."""
        if self.is_right:
            return 0
        state = self.torch.state
        if self._fails_to_load("torch") and not blames_runtime(self.facts, self.python, "torch"):
            return 4
        return {TorchState.RIGHT: 1, TorchState.MISSING: 2, TorchState.UNKNOWN: 3}.get(state, 4)

    @cached_property
    def lies_badly(self) -> bool:
        """A place where a large new installation breaks: a cloud folder, or too deep without long paths."""
        folder = environment_folder(self.facts, self.python)
        place = path(self.facts, folder)
        in_cloud = any(place.is_in(root) for root in known(self.facts.os.cloud_roots, ()))
        longest = len(site_packages(self.facts, self.python)) + 1 + self.tables.room.longest_torch_path
        return is_windows(self.facts) and (in_cloud or (self.facts.os.long_paths is False and longest > PATH_LIMIT))

    @property
    def is_only_a_base(self) -> bool:
        """Not to be installed into, but good for making a new environment from, or no Python at all."""
        return set(self.flaws) <= {PythonFlaw.EXTERNALLY_MANAGED, PythonFlaw.STORE_ALIAS}

    @property
    def is_writable(self) -> bool:
        return known(self.python.writable, True)


class Target(NamedTuple):
    """Where the plan acts. `standing` None: a new environment, made in `folder`.

    `why` is the key of the reason in `plan.toml`. `trouble` names what the person must say first, if anything.
    `rejected` is a Python that was named or lay near and cannot be used; its findings are told.
    """

    why: str
    standing: Standing | None = None
    folder: str = ""
    trouble: str | None = None
    rejected: Standing | None = None


def standings(facts: MachineFacts, choice: Choice, tables: Tables) -> list[Standing]:
    return [Standing(facts, tables, choice, place, python) for place, python in own_pythons(facts)]


def find_target(facts: MachineFacts, choice: Choice, tables: Tables, folder: str) -> Target:
    """The environment for the goals. `folder` is where a new one goes unless the choice names a folder."""
    new_folder = choice.new_env or folder
    if choice.new_env:
        there = next((s for s in standings(facts, choice, tables) if _lies_in(facts, s, new_folder)), None)
        if there and there.flaws:
            return Target("new-asked", folder=new_folder, trouble="folder-taken", rejected=there)
        return Target("named", there) if there else Target("new-asked", folder=new_folder)
    if Goal.VLLM in choice.goals and len(choice.goals) == 1:
        return Target("new-vllm", folder=new_folder)
    if choice.python:
        return _named(facts, choice, tables, new_folder)
    if choice.comfyui:
        return _of_comfyui(facts, choice, tables, new_folder)
    if facts.pythons is UNKNOWN:
        return Target("new-none", folder=new_folder, trouble="pythons-unknown")
    return _recommended(facts, choice, tables, new_folder)


def _lies_in(facts: MachineFacts, standing: Standing, folder: str) -> bool:
    return path(facts, environment_folder(facts, standing.python)).key == path(facts, folder).key


def _named(facts: MachineFacts, choice: Choice, tables: Tables, folder: str) -> Target:
    assert choice.python is not None
    key = path(facts, choice.python).key
    standing = next((s for s in standings(facts, choice, tables) if path(facts, s.python.executable).key == key), None)
    if standing is None:
        return Target("named", folder=folder, trouble="python-not-known")
    if standing.flaws:
        return Target("new-named-unusable", folder=folder, trouble="named-unusable", rejected=standing)
    return Target("named", standing)


def _of_comfyui(facts: MachineFacts, choice: Choice, tables: Tables, folder: str) -> Target:
    """The Python whose app lies in the named folder, or which lies in it itself; the nearest one where several do."""
    assert choice.comfyui is not None
    wanted = choice.comfyui
    near = []
    for standing in standings(facts, choice, tables):
        root = known(standing.python.app_root, None)
        if root and (path(facts, root).is_in(wanted) or path(facts, wanted).is_in(root)):
            near.append((abs(len(root) - len(wanted)), standing.place, standing))
        elif path(facts, standing.python.executable).is_in(wanted):
            near.append((len(standing.python.executable) - len(wanted), standing.place, standing))
    usable = [entry for entry in near if not entry[2].flaws]
    if usable:
        return Target("comfyui", min(usable, key=lambda entry: entry[:2])[2])
    return Target("comfyui", folder=folder, trouble="comfyui-not-known", rejected=near[0][2] if near else None)


def _recommended(facts: MachineFacts, choice: Choice, tables: Tables, folder: str) -> Target:
    ranked = []
    near: list[tuple[int, int, Standing]] = []
    for standing in standings(facts, choice, tables):
        if standing.flaws:
            if not standing.is_only_a_base:
                near.append((0 if known(standing.python.app, None) else 1 if standing.python.kind in {"venv", "conda"} else 2, standing.place, standing))
            continue
        group = _group(facts, standing)
        if group is None:
            if standing.changes_torch or (standing.lies_badly and standing.python.kind in {"venv", "conda"}):
                near.append((1, standing.place, standing))
            continue
        ranked.append(
            (
                group,
                not standing.is_writable,
                standing.cost >= 3,
                standing.lies_badly,
                _is_no_comfyui(standing, choice),
                standing.cost,
                standing.place,
                standing,
            )
        )
    case = Situation(facts, choice, tables)
    for group, *_, best in sorted(ranked, key=lambda entry: entry[:7]):
        if best.cost > 1 and work_in(case, best.python).impossible:
            near.append((0 if group == 0 else 1, best.place, best))
            continue
        why = {0: "app", 1: "fits", 2: "fits"}.get(group, "only")
        return Target(why if best.cost else "right", best)
    trouble = "no-comfyui" if Goal.COMFYUI in choice.goals else None
    return Target("new-none", folder=folder, trouble=trouble, rejected=min(near, key=lambda entry: entry[:2])[2] if near else None)


def _is_no_comfyui(standing: Standing, choice: Choice) -> bool:
    return choice.wants_sage and known(standing.python.app, None) not in COMFYUI_APPS


def _group(facts: MachineFacts, standing: Standing) -> int | None:
    """Apps, then environments whose torch works, then empty ones, then those whose torch would have to change. None: not of use."""
    state, kind = standing.torch.state, standing.python.kind
    if not is_windows(facts) and is_without_card(facts):
        return 1 if standing.is_right else None
    if known(standing.python.app, None):
        return 0
    if state is TorchState.RIGHT:
        return 1 if kind in {"venv", "conda"} else 2
    if kind not in {"venv", "conda"}:
        return None
    if state is TorchState.MISSING:
        return None if standing.lies_badly else 3
    return 5 if state is TorchState.UNKNOWN else 4


def bases(facts: MachineFacts, tables: Tables) -> list[Python]:
    """Pythons that a new environment can be made from, as the tables prefer them."""
    found = []
    for _, python in own_pythons(facts):
        flaws = set(python_flaws(facts, python, tables)) - {PythonFlaw.EXTERNALLY_MANAGED}
        plain = python.executable.isascii() and python_arch(facts, python) == facts.os.arch
        headers = known(python.has_headers, True) or not is_windows(facts)
        if python.kind in BASE_KINDS and not flaws and plain and headers and minor_of(python.version) in tables.preferred_pythons:
            found.append(python)

    def rank(python: Python) -> tuple[bool, int]:
        # On Linux the distribution's own Python stays when a version manager's is removed.
        return not is_windows(facts) and python.kind != "system", tables.preferred_pythons.index(minor_of(python.version))

    return sorted(found, key=rank)


def work_in_a_new_one(case: Situation) -> Work:
    """The work in an environment that does not exist yet, made from a Python that is here where one fits, else from one that is fetched."""
    minors = tuple(dict.fromkeys(minor_of(base.version) for base in bases(case.facts, case.tables)))
    work = work_in_new(case, minors) if minors else None
    if work and not work.impossible and not lacks_tensor_cores(case, work.torch):
        return work
    fetched = work_in_new(case, case.tables.preferred_pythons)
    return fetched if not work or work.impossible or not (fetched.impossible or lacks_tensor_cores(case, fetched.torch)) else work


def new_folder(facts: MachineFacts, environments_root: str | None, name: str) -> str:
    """Where a new private environment goes: below our own folder, in plain letters."""
    root = environments_root
    if root is None:
        profile = known(facts.os.user_profile, None)
        if is_windows(facts):
            root = f"{profile}\\AppData\\Local\\TritonSetup\\environments" if profile else "C:\\TritonSetup\\environments"
        else:
            root = f"{profile or '/root'}/.local/share/TritonSetup/environments"
    if is_windows(facts) and not root.isascii():
        root = f"{root[:2] if root[1:2] == ':' else 'C:'}\\TritonSetup\\environments"
    taken = {path(facts, environment_folder(facts, python)).key for _, python in own_pythons(facts)}
    folder = path(facts, root) / name
    number = 2
    while path(facts, folder).key in taken:
        folder = path(facts, root) / f"{name}-{number}"
        number += 1
    return folder


def executable_in(facts: MachineFacts, folder: str) -> str:
    """The Python of a new environment."""
    place = path(facts, folder)
    return place / "Scripts\\python.exe" if is_windows(facts) else place / "bin/python"
