"""One probe's trouble is its own: time-outs, failures, cancelling, and what an earlier scan lends."""

import threading
import time

import pytest

from app.host.recording import RecordedHost, Recording
from app.model.cancel import Cancel
from app.model.problem import Cancelled
from app.model.unknown import UNKNOWN
from app.probes.look import Look
from app.probes.scanning import Probe, run_probes
from tests.machines.layout import Windows

HOST = RecordedHost(Recording(family="linux", captured_at="2026-11-30T00:00:00Z"))


def gaps_of(*probes: Probe, host: RecordedHost = HOST):
    result = run_probes(probes, host, lambda _: None, Cancel(), None)
    return result.facts, [(gap.probe, gap.code) for gap in result.facts.gaps]


def hangs(look: Look) -> None:
    look.put("memory.total_bytes", 5)
    threading.Event().wait(30)


def fails(look: Look) -> None:
    raise RuntimeError("odd layout")


def answers(look: Look) -> None:
    look.put("disks", ())


def test_a_hanging_probe_keeps_what_it_had_and_costs_nothing_else() -> None:
    begun = time.monotonic()
    facts, gaps = gaps_of(Probe("slow", ("memory.total_bytes", "memory.commit_limit_bytes"), hangs, 0.3), Probe("quick", ("disks",), answers))
    assert time.monotonic() - begun < 10
    assert facts.disks == ()
    assert facts.memory.total_bytes == 5
    assert gaps == [("memory.commit_limit_bytes", "timed-out")]


def test_a_failing_probe_is_a_gap_with_its_reason() -> None:
    facts, gaps = gaps_of(Probe("bad", ("toolkits", "compilers"), fails), Probe("quick", ("disks",), answers))
    assert facts.toolkits is UNKNOWN
    assert gaps == [("toolkits", "failed"), ("compilers", "failed")]
    assert "odd layout" in facts.gaps[0].detail


def test_what_a_probe_leaves_out_silently_becomes_a_gap() -> None:
    assert gaps_of(Probe("lazy", ("vc_runtime",), lambda look: None))[1] == [("vc_runtime", "no-answer")]


def test_a_gap_for_the_whole_covers_its_parts() -> None:
    assert gaps_of(Probe("net", ("network.online", "network.proxy"), lambda look: look.gap("network", "not-asked")))[1] == [("network", "not-asked")]


def test_cancel_ends_a_scan_that_waits() -> None:
    cancel = Cancel()
    threading.Timer(0.2, cancel.set).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        run_probes((Probe("slow", ("disks",), lambda look: threading.Event().wait(20) and None),), HOST, lambda _: None, cancel, None)
    assert time.monotonic() - begun < 5


def test_probes_of_another_system_do_not_run() -> None:
    facts, gaps = gaps_of(Probe("registry", ("vc_runtime",), fails, families=("windows",)))
    assert gaps == []
    assert facts.vc_runtime is UNKNOWN


def test_events_come_as_probes_end() -> None:
    order: list[str] = []
    release = threading.Event()

    def late(look: Look) -> None:
        release.wait(10)
        look.put("toolkits", ())

    def emit(event) -> None:
        order.append(event.probe)
        if event.probe == "quick":
            release.set()

    run_probes((Probe("late", ("toolkits",), late), Probe("quick", ("disks",), answers)), HOST, emit, Cancel(), None)
    assert order == ["quick", "late"]


def test_a_machine_that_answers_nothing_is_all_gaps() -> None:
    """A recording without answers: every question is a miss, no probe fails."""
    from app.probes import scan

    result = scan(RecordedHost(Recording(family="windows")), lambda _: None, Cancel())
    assert [gap for gap in result.facts.gaps if gap.code == "failed"] == []
    assert {gap.probe for gap in result.facts.gaps} >= {"os.version", "os.arch", "driver", "gpus", "disks", "memory.total_bytes"}
    assert result.facts.memory is UNKNOWN


def test_details_of_a_second_family() -> None:
    machine = Windows()
    facts, _ = gaps_of(Probe("quick", ("disks",), answers), host=RecordedHost(machine.recording()))
    assert facts.os.family == "windows"
    assert facts.source == "recording"
