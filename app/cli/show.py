"""The boxes of the line in words, for the terminal."""

from collections.abc import Iterator

from app.cli.terminal import Terminal
from app.model import codec
from app.model.events import Event, LogLine, Outcome, ProofArrived, RunFinished, StepFinished, StepProgress, StepStarted
from app.model.facts import MachineFacts, Python
from app.model.findings import Diagnosis, Severity
from app.model.plan import Plan, RouteStatus
from app.model.proof import Proof
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.session import Session
from app.texts import has

MARKS = {Severity.BLOCKER: "✗", Severity.WARNING: "!", Severity.NOTE: "·"}
ROUTE_MARKS = {RouteStatus.READY: "✓", RouteStatus.NEEDS_ACTION: "!", RouteStatus.IMPOSSIBLE: "✗"}
LIKELY = 0.5
"""Above this a cause is shown without being asked for."""

CHECK_MARKS = {"passed": "✓", "failed": "✗", "skipped": "–", "running": "…"}
OUTCOME_MARKS = {Outcome.DONE: "✓", Outcome.SKIPPED: "–", Outcome.FAILED: "✗", Outcome.CANCELLED: "–", Outcome.RESTART_NEEDED: "!"}


def megabytes(count: int | float) -> str:
    """Bytes as MB or GB, powers of 1,000, one decimal."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def card_memory(count: int | None) -> str:
    """Memory of a card as its maker counts it: powers of 1,024, in whole GB."""
    return f"{count / 1024**3:.0f} GB" if count else "@cli.unknown"


def show_facts(facts: MachineFacts, terminal: Terminal) -> None:
    """What was found, one line a subject; unknown is said as unknown."""
    unknown = "@cli.unknown"
    terminal.say("cli.facts-os", name=known(facts.os.name, facts.os.family), version=facts.os.version, arch=facts.os.arch)
    if facts.cpu is not UNKNOWN and facts.memory is not UNKNOWN:
        terminal.say("cli.facts-cpu", name=known(facts.cpu.name, "?"), cores=known(facts.cpu.cores, 0), memory=megabytes(known(facts.memory.total_bytes, 0)))
    if facts.gpus is UNKNOWN:
        terminal.say("cli.facts-gpus-unknown")
    elif not facts.gpus:
        terminal.say("cli.facts-no-gpu")
    for gpu in known(facts.gpus, ()):
        terminal.say("cli.facts-gpu", name=gpu.name, capability=known(gpu.compute_capability, None) or "?", memory=card_memory(known(gpu.memory_bytes, None)))
    if facts.driver is not UNKNOWN and facts.driver is not None:
        terminal.say("cli.facts-driver", version=known(facts.driver.version, "?"), cuda=known(facts.driver.cuda, None) or "?")
    compilers = terminal.listed(f"{c.kind} {known(c.version, '')}".strip() for c in known(facts.compilers, ()))
    terminal.say("cli.facts-compilers", compilers=compilers or (unknown if facts.compilers is UNKNOWN else "–"))
    for python in known(facts.pythons, ()):
        terminal.line("  " + _python_line(python))
    _show_gaps(facts, terminal)


def _show_gaps(facts: MachineFacts, terminal: Terminal) -> None:
    """What is not known, one line for each reason."""
    probes: dict[str, list[str]] = {}
    for gap in facts.gaps:
        detail = known(gap.detail, "")
        probes.setdefault(gap.code, []).append(f"{gap.probe} ({detail})" if detail else gap.probe)
    for code, names in probes.items():
        reason = terminal.words_of(f"gap.{code}") if has(f"gap.{code}") else code
        terminal.say("cli.facts-gap", reason=reason, probes=terminal.listed(names))


def _python_line(python: Python) -> str:
    packages = known(python.packages, {})
    wanted = [f"{name} {packages[name]}" for name in ("torch", "triton", "triton-windows", "sageattention") if name in packages]
    app = f", {python.app}" if known(python.app, None) else ""
    return f"Python {python.version} ({python.kind}{app})  {python.executable}" + (f"  [{', '.join(wanted)}]" if wanted else "")


def show_plan(plan: Plan, terminal: Terminal) -> None:
    """The answer first, then the ways, the findings, the changes, the steps."""
    terminal.line()
    terminal.say(f"cli.verdict-{plan.verdict.value}")
    if plan.summary and plan.summary.code != "plan.summary-blocked":  # the verdict has said it already
        terminal.line("  " + terminal.words(plan.summary))
    for route in plan.routes:
        chosen = " ←" if route.route is plan.route else ""
        terminal.line(f"  {ROUTE_MARKS[route.status]} {terminal.words_of('cli.route-' + route.route.value)}{chosen}")
        for reason in route.reasons:
            terminal.line(f"      {terminal.words(reason.text)}")
    for finding in plan.findings:
        terminal.line(f"  {MARKS[finding.severity]} {terminal.words(finding.text)}  [{finding.code}]")
        if finding.remedy:
            terminal.line(f"      → {terminal.words(finding.remedy.text)}")
    if plan.python:
        terminal.say("cli.plan-python-new" if plan.python.is_new else "cli.plan-python", python=plan.python.executable, version=plan.python.version)
    for change in plan.changes:
        if change.before != change.after:
            terminal.line(f"    {change.name}: {change.before or '–'} → {change.after or '–'}")
    for index, step in enumerate(plan.steps, 1):
        terminal.line(f"  {index}. {terminal.words(step.title)}")
    if plan.steps:
        download = terminal.words(Text(f"plan.download-{plan.download.wording}", {"size": megabytes(plan.download.bytes)}))
        terminal.say("cli.plan-size" if plan.disk_bytes else "cli.plan-size-download", download=download, disk=megabytes(plan.disk_bytes))
    if plan.keeps:
        terminal.say("cli.plan-keeps", keeps=terminal.listed(plan.keeps))


def show_run(session: Session, terminal: Terminal) -> None:
    """Prints the events of the session from now on: as JSON, one object a line, or in words."""
    if terminal.json_wanted:
        session.subscribe(lambda event: terminal.record(event_document(event, terminal)))
    else:
        session.subscribe(_EventPrinter(terminal))


def event_document(event: Event, terminal: Terminal) -> dict[str, object]:
    """An event as JSON object; its texts in words, with their codes beside them."""
    document = codec.dump(event)
    for name in ("title", "problem"):
        text = getattr(event, name, None)
        if isinstance(text, Text):
            document[name] = terminal.words(text)
            document[f"{name}_code"] = text.code
    return dict(document)


class _EventPrinter:
    """Steps and results as lines; progress as one line that redraws itself, or every tenth where nobody looks."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._tenth = -1

    def __call__(self, event: Event) -> None:
        for line in self._lines(event):
            self._terminal.line(line)

    def _lines(self, event: Event) -> Iterator[str]:
        from app.proof import check_title

        words = self._terminal.words
        match event:
            case StepStarted():
                self._tenth = -1
                yield f"→ {words(event.title)}"
            case LogLine() if event.replaces:
                self._terminal.redraw("    " + event.line)
            case LogLine():
                yield f"    {event.line}"
            case StepProgress():
                yield from self._progress(event)
            case StepFinished() if event.outcome is not Outcome.DONE:
                yield f"  {OUTCOME_MARKS[event.outcome]} {words(event.problem) if event.problem else event.outcome.value}"
            case ProofArrived() if event.outcome != "running":
                yield f"  {CHECK_MARKS[event.outcome]} {words(check_title(event.code))}"
            case RunFinished():
                yield f"{OUTCOME_MARKS[event.outcome]} " + self._terminal.words_of(f"cli.run-{event.outcome.value}", seconds=f"{event.seconds:.0f}")
                if event.problem:
                    yield f"  {words(event.problem)}"
                if event.put_back:
                    yield "  " + self._terminal.words_of("cli.run-put-back")
                yield from (f"  ! {words(note)}" for note in event.notes)

    def _progress(self, event: StepProgress) -> Iterator[str]:
        if event.done_bytes is None or event.item is None:
            return
        of = f" / {megabytes(event.total_bytes)}" if event.total_bytes else ""
        speed = f"  {megabytes(event.bytes_per_second)}/s" if event.bytes_per_second else ""
        line = f"    {event.item}  {megabytes(event.done_bytes)}{of}{speed}"
        tenth = int(10 * event.done_bytes / event.total_bytes) if event.total_bytes else event.done_bytes >> 26
        if self._terminal.redraw(line) or tenth == self._tenth:
            return
        self._tenth = tenth
        yield line


def show_proof(proof: Proof, terminal: Terminal) -> None:
    """The verdict, then its lines with what stands behind each."""
    from app.proof import proof_text

    terminal.line()
    for line in proof_text(proof, terminal.language).splitlines():
        terminal.line(line)
    for bench in proof.benchmarks:
        ratio = f"  × {bench.ratio_to_reference:.2f} {bench.reference}" if bench.ratio_to_reference is not None else ""
        terminal.line(f"  {bench.kernel} {bench.implementation} {bench.shape} {bench.dtype}: {bench.median_ms:.3f} ms  {bench.value:.0f} {bench.unit}{ratio}")


def show_diagnosis(diagnosis: Diagnosis, terminal: Terminal) -> None:
    """The likeliest cause with its remedy; the others by name. Where none is sure, first what to send and where to ask."""
    from app.diagnosis.logs import advice

    if diagnosis.healthy:
        terminal.say("cli.diagnosis-healthy")
    else:
        for text in advice(diagnosis):
            terminal.line(terminal.words(text))
    for index, finding in enumerate(diagnosis.findings):
        terminal.line(f"{finding.confidence:.0%}  {terminal.words(finding.title)}  [{finding.code}]")
        if index:
            continue
        terminal.line(f"  {terminal.words(finding.explanation)}")
        if finding.lines:
            terminal.line("  " + _seen(finding.lines, terminal))
        for number, step in enumerate(finding.remedy.steps, 1):
            terminal.line(f"  {number}. {terminal.words(step)}")
        terminal.line(f"  {terminal.words(finding.verify)}")
        for source in finding.sources:
            terminal.line(f"  {source}")


def _seen(lines: tuple[tuple[int, int], ...], terminal: Terminal) -> str:
    """One sentence with the numbers of all lines that show a cause."""
    numbers = terminal.listed(str(first) if first == last else terminal.words_of("cli.line-range", first=first, last=last) for first, last in lines)
    is_one = len(lines) == 1 and lines[0][0] == lines[0][1]
    return terminal.words_of("cli.diagnosis-line" if is_one else "cli.diagnosis-lines", lines=numbers)


def show_failure(session: Session, run_id: str, terminal: Terminal) -> None:
    """What the log of a failed run tells of its cause; nothing where it tells none for sure."""
    path = session.places.logs / f"{run_id}.log"
    if not path.is_file():
        return
    with path.open("rb") as log:
        diagnosis = session.diagnose(log, is_own_run=True)
    if diagnosis.findings and diagnosis.findings[0].confidence > LIKELY:
        terminal.line()
        show_diagnosis(diagnosis, terminal)
