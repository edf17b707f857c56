"""The checks of the page "Your PC": facts and findings as rows. Pure; no widget here."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from app.model import codec
from app.model.facts import MachineFacts
from app.model.findings import Finding, Severity
from app.model.plan import Plan, RouteKind, Verdict
from app.model.scan import Reading, ScanResult
from app.model.unknown import UNKNOWN, known
from app.qt.speaking import GB, say_bytes, spoken
from app.texts import Language, has, say

Judgement = Literal["waiting", "looking", "read", "good", "better", "better-if-on", "will-fix", "must-fix", "optional", "later", "unknown"]

STATUS_LOOKS: Final[dict[Judgement, tuple[str, str]]] = {
    "waiting": ("waiting", "line_strong"),
    "looking": ("looking", "accent"),
    "read": ("check-circle", "text_2"),
    "good": ("check-circle", "good"),
    "better": ("warning", "warn"),
    "better-if-on": ("warning", "warn"),
    "will-fix": ("wrench", "accent"),
    "must-fix": ("octagon-x", "bad"),
    "optional": ("minus-circle", "text_2"),
    "later": ("clock", "text_2"),
    "unknown": ("help-circle", "text_2"),
}
"""Icon and colour of each judgement; its word is `ui.status.<judgement>`."""


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check. `evidence` are lines of name and value, for a supporter; `findings` what was found about it."""

    key: str
    icon: str
    required: bool
    title: str
    sentence: str
    judgement: Judgement
    explanation: str
    evidence: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    readings: tuple[Reading, ...] = ()

    def as_text(self, language: Language) -> str:
        """The row for the clipboard."""
        lines = [f"{self.title}: {self.sentence} ({say(f'ui.status.{self.judgement}', language)})", self.explanation]
        return "\n".join([*(line for line in lines if line), *(f"  {name} = {value}" for name, value in self.evidence)])


@dataclass(frozen=True, slots=True)
class _Check:
    key: str
    icon: str
    required: bool
    paths: tuple[str, ...]
    families: tuple[str, ...]
    sentence: Callable[[MachineFacts, Language], str | None]
    """None: not known."""


def check_rows(
    facts: MachineFacts, findings: tuple[Finding, ...], language: Language, scan: ScanResult | None = None, plan: Plan | None = None
) -> tuple[CheckRow, ...]:
    """Every check that makes sense on this system, required ones first.

    `scan` adds what was asked and answered, word for word. With a `plan`, what is wrong beside it is told, but needs
    nobody's help; and what it does not come to is not said to be fixed by it.
    """
    needs = _Needs.of(facts, plan)
    rows = (_row(check, facts, findings, language, needs) for check in _CHECKS if facts.os.family in check.families)
    return tuple(rows) if scan is None else tuple(replace(row, readings=_readings(scan, row.key)) for row in rows)


def _readings(scan: ScanResult, key: str) -> tuple[Reading, ...]:
    paths = next(check.paths for check in _CHECKS if check.key == key)
    found = dict.fromkeys(reading for path in paths for reading in scan.readings_of(path))
    return tuple(found)


def rows_to_come(family: str, language: Language) -> tuple[CheckRow, ...]:
    """The rows of a system before anything is known."""
    return tuple(
        CheckRow(check.key, check.icon, check.required, _title(check.key, family, language), "", "waiting", "", (), ())
        for check in _CHECKS
        if family in check.families
    )


def rows_of_probe(probe: str) -> tuple[str, ...]:
    """The rows that a probe fills; empty for one that fills none."""
    return _PROBES.get(probe, ())


def probes_of_row(scan: ScanResult, key: str) -> frozenset[str]:
    """The probes that fill a row, to run them again."""
    paths = next(check.paths for check in _CHECKS if check.key == key)
    return frozenset(run.probe for run in scan.probes if any(_lies_in(path, paths) or _lies_in(root, (path,)) for path in run.facts for root in paths))


def _row(check: _Check, facts: MachineFacts, findings: tuple[Finding, ...], language: Language, needs: "_Needs") -> CheckRow:
    own = tuple(f for f in findings if any(_lies_in(path, check.paths) for path in f.evidence))
    # A warning about long paths lies in the facts of the system too, but is a row of its own.
    own = tuple(f for f in own if _best_check(f, facts.os.family) == check.key)
    sentence = check.sentence(facts, language)
    judgement = _judge(check, tuple(finding for finding in own if needs.concern(finding)), sentence is None, facts, needs)
    gaps = [gap for gap in facts.gaps if _is_gap_of(gap.probe, check)]
    if sentence is None:
        detail = known(gaps[0].detail, "") if gaps else ""
        sentence = say("page.machine.gap" if detail else "page.machine.not-known", language, detail=detail)
    worst = sorted(own, key=lambda f: list(Severity).index(f.severity))
    explanation = "\n".join(_explain(finding, language) for finding in worst) or say(f"page.machine.about.{check.key}", language)
    evidence = (*_evidence(facts, check.paths), *((f"finding {f.severity.value}", f.code) for f in own), *((f"gap {g.probe}", g.code) for g in gaps))
    return CheckRow(
        check.key, check.icon, check.required, _title(check.key, facts.os.family, language), sentence, judgement, explanation, tuple(evidence), tuple(worst)
    )


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a plan has to do with. `others` are the Pythons it leaves alone."""

    others: frozenset[str] = frozenset()
    wants_wsl: bool = True
    is_possible: bool = True

    @classmethod
    def of(cls, facts: MachineFacts, plan: Plan | None) -> "_Needs":
        if plan is None:
            return cls()
        target = plan.python
        others = (f"pythons[{n}]" for n, python in enumerate(known(facts.pythons, ())) if target and python.executable != target.executable)
        return cls(frozenset(others), plan.route is RouteKind.WSL2, plan.verdict is not Verdict.BLOCKED)

    def concern(self, finding: Finding) -> bool:
        """Whether a finding matters to the plan. A Python that gives way to another one by the plan itself does."""
        if finding.evidence and all(_lies_in(path, ("wsl",)) for path in finding.evidence):
            return self.wants_wsl
        return not finding.evidence or self.is_cured(finding) or not all(path.partition(".")[0] in self.others for path in finding.evidence)

    def is_cured(self, finding: Finding) -> bool:
        """Whether the plan does away with it."""
        return self.is_possible and finding.remedy is not None and finding.remedy.automatic


def _judge(check: _Check, findings: tuple[Finding, ...], is_unknown: bool, facts: MachineFacts, needs: _Needs) -> Judgement:
    severities = {finding.severity for finding in findings}
    if Severity.BLOCKER in severities:
        return "will-fix" if all(needs.is_cured(finding) for finding in findings if finding.severity is Severity.BLOCKER) else "must-fix"
    if check.key == "long-paths" and facts.os.long_paths is False:
        return "better-if-on"
    if Severity.WARNING in severities:
        return "will-fix" if all(needs.is_cured(finding) for finding in findings if finding.severity is Severity.WARNING) else "better"
    if check.key == "network" and _is_asked_later(facts):
        return "later"
    if is_unknown:
        return "unknown"
    return "optional" if check.key == "wsl" or _is_absent(check.key, facts) else "good"


def _is_absent(key: str, facts: MachineFacts) -> bool:
    """Looked for, not there, and nothing was found to be wrong with that."""
    if key in ("tools", "build-tools"):
        return not _tools_there(facts)
    there = {"graphics-card": facts.gpus, "driver": facts.driver, "vc-runtime": facts.vc_runtime, "compiler": facts.compilers}
    return key in there and there[key] in (None, ())


def _explain(finding: Finding, language: Language) -> str:
    text = spoken(finding.text, language)
    remedy = spoken(finding.remedy.text, language) if finding.remedy else ""
    return f"{text} {remedy}".strip() if language == "en" else f"{text}{remedy}"


def _title(key: str, family: str, language: Language) -> str:
    if key == "system":
        return say("page.machine.row.system-windows" if family == "windows" else "page.machine.row.system-linux", language)
    return say(f"page.machine.row.{key}", language)


def _is_gap_of(probe: str, check: _Check) -> bool:
    """A gap names the fact that is missing, in older reports the probe."""
    return _lies_in(probe, check.paths) or check.key in _PROBES.get(probe, ())


def _lies_in(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith((f"{root}.", f"{root}[")) for root in roots)


def _best_check(finding: Finding, family: str) -> str:
    """The check that the first piece of evidence lies in; of two, the one with the longer path."""
    for path in finding.evidence:
        fitting = [(len(root), check.key) for check in _CHECKS if family in check.families for root in check.paths if _lies_in(path, (root,))]
        if fitting:
            return max(fitting)[1]
    return ""


def _evidence(facts: MachineFacts, roots: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    document = codec.dump(facts)
    for root in roots:
        value: object = document
        for part in root.split("."):
            value = value.get(part, UNKNOWN) if isinstance(value, Mapping) else UNKNOWN
        if value is not UNKNOWN:
            yield from _flatten(root, value)


def _flatten(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flatten(f"{path}.{name}", inner)
    elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping | list):
        for number, inner in enumerate(value):
            yield from _flatten(f"{path}[{number}]", inner)
    elif isinstance(value, list | tuple):
        yield path, ", ".join(str(inner) for inner in value) or "(none)"
    else:
        yield path, {True: "yes", False: "no", None: "(absent)"}.get(value, str(value)) if isinstance(value, bool | None) else str(value)


# --- sentences ------------------------------------------------------------------------------------------------------


def _graphics_card(facts: MachineFacts, language: Language) -> str | None:
    if facts.gpus is UNKNOWN:
        return None
    if not facts.gpus:
        return say("page.machine.no-card", language)
    first = next((gpu for gpu in facts.gpus if gpu.vendor == "nvidia"), facts.gpus[0])
    memory = known(first.memory_bytes, None)
    name = say("page.machine.card", language, name=first.name, memory=f"{memory / 1024**3:.0f} GB") if memory else first.name
    more = len(facts.gpus) - 1
    return say("page.machine.card-and-more", language, card=name, count=more) if more else name


def _driver(facts: MachineFacts, language: Language) -> str | None:
    if facts.driver is UNKNOWN:
        return None
    if facts.driver is None:
        return say("page.machine.no-driver", language)
    version, cuda = known(facts.driver.version, ""), known(facts.driver.cuda, None)
    if not version:
        return None
    return say("page.machine.driver-cuda", language, version=version, cuda=cuda) if cuda else version


def _system(facts: MachineFacts, language: Language) -> str | None:
    name = known(facts.os.name, "") or f"{facts.os.family.capitalize()} {facts.os.version}"
    bits = {"x86_64": "page.machine.bits-64", "arm64": "page.machine.bits-arm", "x86": "page.machine.bits-32"}[facts.os.arch]
    return say("page.machine.system", language, name=name, bits=say(bits, language))


def _vc_runtime(facts: MachineFacts, language: Language) -> str | None:
    if facts.vc_runtime is UNKNOWN:
        return None
    if facts.vc_runtime is None:
        return say("page.machine.not-installed", language)
    return say("page.machine.installed", language, version=".".join(facts.vc_runtime.split(".")[:2]))


def _disk(facts: MachineFacts, language: Language) -> str | None:
    if facts.disks is UNKNOWN or not facts.disks:
        return None
    most = max(facts.disks, key=lambda disk: disk.free_bytes)
    root = most.root.rstrip("\\") or most.root
    free = f"{most.free_bytes / GB:,.0f} GB" if most.free_bytes >= 10 * GB else say_bytes(most.free_bytes, language)
    return say("page.machine.free", language, free=free, root=root)


def _is_asked_later(facts: MachineFacts) -> bool:
    """A scan sends nothing, so whether the internet answers shows when something is fetched."""
    asked = facts.network is not UNKNOWN and facts.network.online is not UNKNOWN
    return not asked and any(gap.probe == "network.online" and gap.code == "not-asked" for gap in facts.gaps)


def _network(facts: MachineFacts, language: Language) -> str | None:
    if _is_asked_later(facts):
        return say("page.machine.network-later", language)
    if facts.network is UNKNOWN or facts.network.online is UNKNOWN:
        return None
    if not facts.network.online:
        return say("page.machine.offline", language)
    return say("page.machine.online-proxy" if known(facts.network.proxy, None) else "page.machine.online", language)


def _long_paths(facts: MachineFacts, language: Language) -> str | None:
    if facts.os.long_paths is UNKNOWN:
        return None
    return say("page.machine.long-paths-on" if facts.os.long_paths else "page.machine.long-paths-off", language)


def _wsl(facts: MachineFacts, language: Language) -> str | None:
    if facts.wsl is UNKNOWN:
        return None
    distros = known(facts.wsl.distros, ()) if facts.wsl else ()
    if facts.wsl is None or not distros:
        return say("page.machine.wsl-none", language)
    return say("page.machine.wsl-there", language, name=distros[0].name, count=len(distros))


def _compiler(facts: MachineFacts, language: Language) -> str | None:
    if facts.compilers is UNKNOWN:
        return None
    if not facts.compilers:
        return say("page.machine.no-compiler", language)
    first = facts.compilers[0]
    version = known(first.version, "") or ""
    return say("page.machine.installed", language, version=f"{first.kind} {version}".strip())


def _pythons(facts: MachineFacts, language: Language) -> str | None:
    if facts.pythons is UNKNOWN:
        return None
    apps = {known(python.app_root, None) or python.app for python in facts.pythons if known(python.app, None)}
    if not facts.pythons:
        return say("page.machine.no-pythons", language)
    if not apps:
        return say("page.machine.pythons-one" if len(facts.pythons) == 1 else "page.machine.pythons", language, count=len(facts.pythons))
    return say("page.machine.pythons-in-app" if len(apps) == 1 else "page.machine.pythons-in-apps", language, count=len(facts.pythons), apps=len(apps))


def _tools_there(facts: MachineFacts) -> list[str]:
    """A compiler counts here only where it is not a check of its own."""
    compilers = known(facts.compilers, ())[:1] if facts.os.family == "windows" else ()
    there = [f"{compiler.kind.upper()} {known(compiler.version, '') or ''}".strip() for compiler in compilers]
    there += [f"CUDA {toolkit.version}" for toolkit in known(facts.toolkits, ())]
    return there + sorted(name for name, version in known(facts.tools, {}).items() if version is not None)


def _tools(facts: MachineFacts, language: Language) -> str | None:
    if facts.toolkits is UNKNOWN and facts.tools is UNKNOWN:
        return None
    return ", ".join(_tools_there(facts)) or say("page.machine.no-tools", language)


_ALL: Final = ("windows", "linux", "wsl")
_CHECKS: Final = (
    _Check("graphics-card", "chip", True, ("gpus",), _ALL, _graphics_card),
    _Check("driver", "monitor", True, ("driver",), _ALL, _driver),
    _Check("system", "layers", True, ("os", "cpu", "memory", "environment_variables"), _ALL, _system),
    _Check("vc-runtime", "package", True, ("vc_runtime",), ("windows",), _vc_runtime),
    _Check("compiler", "wrench", True, ("compilers",), ("linux", "wsl"), _compiler),
    _Check("disk", "save", True, ("disks",), _ALL, _disk),
    _Check("network", "network", True, ("network",), _ALL, _network),
    _Check("pythons", "picture", False, ("pythons",), _ALL, _pythons),
    _Check("long-paths", "folder", False, ("os.long_paths",), ("windows",), _long_paths),
    _Check("wsl", "terminal", False, ("wsl",), ("windows",), _wsl),
    _Check("build-tools", "code", False, ("compilers", "toolkits", "tools"), ("windows",), _tools),
    _Check("tools", "code", False, ("toolkits", "tools"), ("linux", "wsl"), _tools),
)
_PROBES: Final = {
    "gpus": ("graphics-card", "driver"),
    "system": ("system", "long-paths"),
    "vc-runtime": ("vc-runtime",),
    "compilers": ("compiler", "build-tools"),
    "toolkits": ("tools", "build-tools"),
    "tools": ("tools", "build-tools"),
    "disks": ("disk",),
    "network": ("network",),
    "pythons": ("pythons",),
    "wsl": ("wsl",),
}
"""The rows that a probe fills."""


def verdict_title(row: CheckRow, language: Language) -> str:
    """What must be put right, as the title of the page: by its cause where there are words for it, else by its row."""
    for finding in row.findings:
        code = f"page.machine.cause.{finding.code}"
        if has(code):
            return say(code, language)
    return say(f"page.machine.verdict.{row.key}", language)
