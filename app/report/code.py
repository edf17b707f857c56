"""The support code: twelve signs that can be read over the phone and say page, verdict, cause, card and versions.

The 23 signs leave out every pair that is mixed up by eye (0 O, 1 I L, 2 Z, 5 S, 8 B, U V). 23 is prime, so one check sign over
sums with different weights notices every single wrong sign and every two that changed places.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.model.events import Outcome, RunFinished
from app.model.facts import Gpu, MachineFacts, Python
from app.model.findings import Diagnosis, Severity
from app.model.plan import Plan, RouteKind, Verdict
from app.model.problem import ExitCode, Problem
from app.model.proof import Proof, ProofVerdict
from app.model.report import Report
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.resources import assets

ALPHABET: Final = "34679ACDEFGHJKMNPQRTWXY"
LENGTH: Final = 12
_MIX: Final = 0x1A53B5C9D7E3
"""Odd, so that multiplying spreads small differences over all signs and can be undone."""

_BITS: Final = {"page": 5, "verdict": 2, "proof": 3, "finding": 9, "gpu": 5, "torch": 7, "cpu": 1, "triton": 6, "system": 3, "python": 5, "route": 3}
_TOTAL_BITS: Final = sum(_BITS.values())
_VERDICTS: Final = ("", *(verdict.value for verdict in Verdict))
_PROOFS: Final = ("", *(verdict.value for verdict in ProofVerdict))
_ROUTES: Final = ("", *(route.value for route in RouteKind))
_VERSION: Final = re.compile(r"^(\d{1,3})\.(\d{1,3})")
_SEVERITIES: Final = (Severity.BLOCKER, Severity.WARNING, Severity.NOTE)


@dataclass(frozen=True, slots=True)
class CodeMeaning:
    """What a support code says. Codes and versions as in facts; None: there is none, or it is not known."""

    page: str
    verdict: str | None
    proof: str | None
    finding: str | None
    gpu: str
    torch: str | None
    torch_is_cpu: bool
    triton: str | None
    system: str
    python: str | None
    route: str | None

    def lines(self) -> tuple[Text, ...]:
        """The meaning as sentences, the most telling first."""
        found: list[Text] = [Text(f"code.page.{self.page}")]
        if self.finding:
            found.append(cause_text(self.finding))
        elif self.verdict or self.proof:
            found.append(Text("code.no-finding"))
        if self.verdict:
            found.append(Text(f"code.verdict.{self.verdict}"))
        if self.proof:
            found.append(Text(f"code.proof.{self.proof}"))
        found.append(Text(f"code.gpu.{self.gpu.partition('-')[0]}", {"number": self.gpu.partition("-")[2]}))
        found.append(Text("code.torch-cpu" if self.torch_is_cpu else "code.torch", {"version": self.torch}) if self.torch else Text("code.no-torch"))
        found.append(Text("code.triton", {"version": self.triton}) if self.triton else Text("code.no-triton"))
        if self.python:
            found.append(Text("code.python", {"version": self.python}))
        if self.route:
            found.append(Text(f"code.route.{self.route}"))
        return (*found, Text(f"code.system.{self.system}"))


def cause_text(code: str) -> Text:
    """A cause with its title."""
    return Text("code.finding", {"title": f"@cause.{code}.title", "cause": code}) if code != "other" else Text("code.finding-other")


def support_code(page: str, facts: MachineFacts | None = None, plan: Plan | None = None, proof: Proof | None = None, diagnosis: Diagnosis | None = None) -> str:
    """The code of what is shown now. `page` is one of the pages of `assets/report/numbers.toml`."""
    numbers = _numbers()
    torch, triton = _versions(facts, plan)
    python = chosen_python(facts, plan)
    values = {
        "page": _index(numbers["pages"], page, "other"),
        "verdict": _VERDICTS.index(plan.verdict.value if plan else ""),
        "proof": _PROOFS.index(proof.verdict.value if proof else ""),
        "finding": _index(numbers["findings"], chief_finding(plan, diagnosis) or "", "other"),
        "gpu": _index(numbers["gpus"], gpu_generation(facts), "other"),
        "torch": _minor(torch, {1: 0, 2: 1}, 62),
        "cpu": int("+cpu" in (torch or "")),
        "triton": _minor(triton, {2: 0, 3: 1}, 31),
        "system": _index(numbers["systems"], system_name(facts), "other"),
        "python": _minor(python.version if python else None, {3: 0}, 30),
        "route": _ROUTES.index(plan.route.value if plan and plan.route else ""),
    }
    packed = 0
    for name, bits in _BITS.items():
        packed = packed << bits | values[name]
    return _grouped(_signs(packed * _MIX % (1 << _TOTAL_BITS)))


def explain_code(text: str) -> CodeMeaning:
    """What a code means. Problem (exit code 2) where a sign is missing, never used, wrong or swapped."""
    signs = re.sub(r"[\s\-–—_.,·]", "", text).upper()
    signs = "".join(chr(ord(sign) - 0xFEE0) if "\uff01" <= sign <= "\uff5e" else sign for sign in signs)
    strange = next((sign for sign in signs if sign not in ALPHABET), None)
    if strange is not None:
        raise Problem(Text("code.strange-sign", {"sign": strange[:1], "signs": " ".join(ALPHABET)}), ExitCode.BAD_INPUT)
    if len(signs) != LENGTH:
        raise Problem(Text("code.wrong-length", {"count": len(signs)}), ExitCode.BAD_INPUT)
    if signs[-1] != _check_sign(signs[:-1]):
        raise Problem(Text("code.wrong-sign"), ExitCode.BAD_INPUT)
    number = 0
    for sign in signs[:-1]:
        number = number * len(ALPHABET) + ALPHABET.index(sign)
    if number >= 1 << _TOTAL_BITS:
        raise Problem(Text("code.wrong-sign"), ExitCode.BAD_INPUT)
    packed = number * pow(_MIX, -1, 1 << _TOTAL_BITS) % (1 << _TOTAL_BITS)
    values = {}
    for name, bits in reversed(_BITS.items()):
        values[name], packed = packed & ((1 << bits) - 1), packed >> bits
    return _meaning(values)


def chief_finding(plan: Plan | None, diagnosis: Diagnosis | None) -> str | None:
    """The cause to act on first: of the log if there was one, else the gravest of the plan."""
    if diagnosis and diagnosis.findings:
        return diagnosis.findings[0].code
    if plan is None:
        return None
    # Notes tell what is; they are no cause.
    return next((finding.code for severity in _SEVERITIES[:2] for finding in plan.findings if finding.severity is severity), None)


def chosen_python(facts: MachineFacts | None, plan: Plan | None) -> Python | None:
    """The Python the plan works on, as the facts know it; without a plan the first that has torch."""
    pythons = known(facts.pythons, ()) if facts else ()
    if plan and plan.python:
        return next((python for python in pythons if python.executable == plan.python.executable), None)
    return next((python for python in pythons if "torch" in known(python.packages, {})), None)


def packages_now(report: Report) -> dict[str, str]:
    """The packages of the Python the report is about: as read, and after a run that went well as the plan left them."""
    python = chosen_python(report.facts, report.plan)
    installed = dict(known(python.packages, {})) if python else {}
    last = next((event for event in reversed(report.events) if isinstance(event, RunFinished)), None)
    return {**installed, **report.plan.packages} if report.plan and last and last.outcome is Outcome.DONE else installed


def gpu_generation(facts: MachineFacts | None) -> str:
    """The generation of the NVIDIA card that can do most, else the maker of the first card."""
    if facts is None or facts.gpus is UNKNOWN:
        return "unknown"
    gpus = known(facts.gpus, ())
    cards = [gpu for gpu in gpus if gpu.vendor == "nvidia"]
    if cards:
        return _generation(max(cards, key=_capability))
    if not gpus:
        return "none"
    return gpus[0].vendor if gpus[0].vendor in {"amd", "intel"} else "other"


def system_name(facts: MachineFacts | None) -> str:
    """Windows by its build (22000 and later are Windows 11, servers by their name), else the family."""
    if facts is None:
        return "other"
    if facts.os.family != "windows":
        return facts.os.family
    if "server" in known(facts.os.name, "").lower():
        return "windows-server"
    build = re.match(r"^10\.0\.(\d{1,6})", facts.os.version)
    return "other" if build is None else "windows-11" if int(build[1]) >= 22000 else "windows-10"


def _capability(gpu: Gpu) -> tuple[int, int]:
    parts = _VERSION.match(known(gpu.compute_capability, None) or "")
    return (int(parts[1]), int(parts[2])) if parts else (0, 0)


def _generation(gpu: Gpu) -> str:
    major, minor = _capability(gpu)
    if (major, minor) == (0, 0):
        return "nvidia-unknown"
    named = {5: "maxwell", 6: "pascal"}.get(major) or ({True: "volta", False: "turing"}[minor < 5] if major == 7 else None)
    if named:
        return named
    family = {8: "ada" if minor == 9 else "ampere", 9: "hopper", 10: "blackwell", 11: "blackwell", 12: "blackwell"}.get(major)
    name = f"{family}-{major}.{minor}"
    return name if name in _numbers()["gpus"] else "newer" if major >= 9 else "nvidia-unknown"


def _versions(facts: MachineFacts | None, plan: Plan | None) -> tuple[str | None, str | None]:
    """torch and Triton as they are installed; where there is none yet, as the plan will install them."""
    python = chosen_python(facts, plan)
    packages = {**(plan.packages if plan else {}), **(known(python.packages, {}) if python else {})}
    return packages.get("torch"), packages.get("triton-windows") or packages.get("triton")


@cache
def _numbers() -> dict[str, list[str]]:
    return tomllib.loads((assets() / "report" / "numbers.toml").read_text(encoding="utf-8"))


def _index(names: list[str], name: str, other: str) -> int:
    return names.index(name if name in names else other)


def _minor(version: str | None, majors: dict[int, int], per_major: int) -> int:
    """0: none. Else one of `per_major` minors of a known major; the last number stands for any other."""
    if not version:
        return 0
    found = _VERSION.match(version)
    major, minor = (int(found[1]), int(found[2])) if found else (-1, 0)
    last = per_major * len(majors) + 1
    return majors[major] * per_major + minor + 1 if major in majors and minor < per_major else last


def _version_of(number: int, majors: dict[int, int], per_major: int) -> str | None:
    if number == 0:
        return None
    position, minor = divmod(number - 1, per_major)
    major = next((major for major, index in majors.items() if index == position), None)
    return "?" if major is None else f"{major}.{minor}"


def _meaning(values: dict[str, int]) -> CodeMeaning:
    numbers = _numbers()
    try:
        return CodeMeaning(
            page=numbers["pages"][values["page"]],
            verdict=_VERDICTS[values["verdict"]] or None,
            proof=_PROOFS[values["proof"]] or None,
            finding=numbers["findings"][values["finding"]] or None,
            gpu=numbers["gpus"][values["gpu"]],
            torch=_version_of(values["torch"], {1: 0, 2: 1}, 62),
            torch_is_cpu=bool(values["cpu"]),
            triton=_version_of(values["triton"], {2: 0, 3: 1}, 31),
            system=numbers["systems"][values["system"]],
            python=_version_of(values["python"], {3: 0}, 30),
            route=_ROUTES[values["route"]] or None,
        )
    except IndexError as error:
        raise Problem(Text("code.newer"), ExitCode.BAD_INPUT) from error


def _signs(number: int) -> str:
    signs = ""
    for _ in range(LENGTH - 1):
        number, rest = divmod(number, len(ALPHABET))
        signs = ALPHABET[rest] + signs
    return signs + _check_sign(signs)


def _check_sign(signs: str) -> str:
    """Weights 2, 3, 4 ... are all different modulo 23 and none is 0, also against the check sign's own weight 1."""
    return ALPHABET[-sum((index + 2) * ALPHABET.index(sign) for index, sign in enumerate(signs)) % len(ALPHABET)]


def _grouped(signs: str) -> str:
    return "-".join(signs[start : start + 4] for start in range(0, LENGTH, 4))
