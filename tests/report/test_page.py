"""The page: self-contained, well-formed, in both languages, and the answer stands at its top."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest

from app.model.events import LogLine, Outcome, RunFinished
from app.model.findings import Diagnosis
from app.model.plan import Verdict
from app.model.proof import Proof, ProofVerdict
from app.model.report import Report
from app.report import render_html, summary_markdown
from app.report.html import policy, style
from app.report.html_parts import number, seconds, size
from app.report.story import tell_story
from app.resources import assets
from app.texts import say
from tests.report import samples
from tests.report.markup import Page, faults

REPORTS = {"failed": samples.failed_report(), "good": samples.good_report(), "facts": samples.facts_report()}


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", REPORTS)
def test_a_page_is_well_formed_and_loads_nothing(name: str, language: str) -> None:
    page = render_html(REPORTS[name], language)
    assert faults(page) == []
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)[^<]*\.css", page)


def test_the_policy_allows_this_style_sheet_and_nothing_else() -> None:
    page = render_html(REPORTS["failed"])
    sheet = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert sheet is not None
    digest = base64.b64encode(hashlib.sha256(sheet[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page
    assert policy().startswith("default-src 'none'; ")
    assert "unsafe" not in policy()


def test_every_sentence_stands_in_both_languages() -> None:
    page = render_html(REPORTS["failed"])
    assert page.count('lang="en"') == page.count('lang="zh-Hans"') + 1  # the page itself is English
    assert say("report.story.run-failed-put-back", "zh_CN") in page
    assert say("report.story.run-failed-put-back", "en") in page
    assert not re.search(r"\{[a-z_]+\}", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)), "a placeholder was not filled"


def test_the_answer_stands_first() -> None:
    """How it ended, the cause with its code, what shows it and what to do come before anything else."""
    page = Page(render_html(REPORTS["failed"]))
    top = "".join(page.text)[:4000]
    for expected in (
        say("report.story.run-failed-put-back"),
        "vc-runtime-stale",
        "DLL load failed while importing libtriton",
        say("report.html.remedy"),
        "NVIDIA GeForce RTX 4070",
        "572.16",
        "2.8.0+cu128",
        "3.12.10",
    ):
        assert expected in top, expected
    assert top.index(say("report.story.run-failed-put-back")) < top.index("vc-runtime-stale") < top.index(say("report.html.findings"))


def test_all_that_maintainers_ask_for_is_on_the_page() -> None:
    text = " ".join(Page(render_html(REPORTS["failed"])).text)
    for expected in (
        "10.0.26200",
        "14.44.35211.0",
        "14.29.30139.0",
        "8.9",
        "WDDM",
        "12.8",
        "D:\\AI\\ComfyUI_windows_portable\\python_embeded\\python.exe",
        "einops",
        "transformers",
        "4.57.1",
        "comfyui-portable",
        "sm_120",
        "14.44.35207",
        "CUDA_PATH",
        "2.6.3.0",
        "Ubuntu-24.04",
        "timed-out",
        "triton-windows",
        "3.4.0.post21",
        "put back 41 files",
        "import triton",
        "wsl.exe gave no answer",
    ):
        assert expected in text, expected


def test_lines_that_prove_it_are_marked() -> None:
    page = render_html(REPORTS["failed"])
    marked = re.findall(r'<span class="line tells"><b>(\d+)</b>([^<]*)', page)
    assert [int(line) for line, _ in marked] == [6, 7]
    assert "libtriton" in marked[0][1]


def test_bars_stay_in_their_frame() -> None:
    page = render_html(REPORTS["good"])
    widths = [float(width) for width in re.findall(r'class="bar-(?:triton|other)" width="([\d.]+)" height="12"', page)]
    assert len(widths) == 6
    assert all(0 < width <= 320 for width in widths)
    assert "459 GB/s" in page
    assert "91%" in page
    proof = REPORTS["good"].proof
    assert proof is not None
    absurd = replace(proof, benchmarks=tuple(replace(benchmark, value=1e300, ceiling=1e-300) for benchmark in proof.benchmarks))
    assert faults(render_html(replace(REPORTS["good"], proof=absurd))) == []


def test_a_long_log_is_cut_on_the_page_and_says_so() -> None:
    report = samples.failed_report(lines=[f"line {index}" for index in range(9000)])
    page = render_html(report)
    assert len(page) < 1_500_000
    assert "line 8999" in page
    assert "line 100<" not in page
    assert say("report.html.log-cut", count=5000) in page


def test_colours_are_those_of_the_look() -> None:
    sheet = style()
    light, dark = (re.search(pattern, sheet, re.DOTALL) for pattern in (r":root\{(.*?)\}", r"prefers-color-scheme:dark\)\{:root\{(.*?)\}"))
    assert light is not None
    assert dark is not None
    names = [set(re.findall(r"--([\w-]+):", found[1])) for found in (light, dark)]
    assert names[0] == names[1]
    assert set(re.findall(r"var\(--([\w-]+)\)", sheet)) <= names[0]


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_text_can_be_read_in_every_theme(scheme: str) -> None:
    sheet = style()
    pattern = {"light": r"^:root\{(.*?)\}", "dark": r"prefers-color-scheme:dark\)\{:root\{(.*?)\}", "print": r"@media print\{\s*:root\{(.*?)\}"}[scheme]
    found = re.search(pattern, sheet, re.DOTALL)
    assert found is not None
    colours = dict(re.findall(r"--([\w-]+):(#[0-9a-f]{3,6})", found[1]))
    for text, grounds in {
        "text": ("window", "card", "sunken", "log", "chip", "bad-tint", "good-tint", "warn-tint"),
        "text-2": ("window", "card", "sunken", "chip"),
        "text-3": ("card", "log"),
        "accent": ("card", "accent-tint"),
        "good": ("card", "good-tint"),
        "warn": ("card", "warn-tint", "log"),
        "bad": ("card", "bad-tint"),
        "on-accent": ("accent",),
    }.items():
        for ground in grounds:
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


def contrast(first: str, second: str) -> float:
    def luminance(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(sign * 2 for sign in colour[1:])
        parts = [int(digits[index : index + 2], 16) / 255 for index in (0, 2, 4)]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ended(outcome: Outcome, *, put_back: bool = False, restart: bool = False) -> Report:
    report = samples.failed_report()
    return replace(report, events=(*report.events[:-1], RunFinished("x", outcome, 1.0, put_back=put_back, restart_required=restart)))


def proved(verdict: ProofVerdict, backend: str = "cuda") -> Report:
    proof = samples.good_report().proof
    assert isinstance(proof, Proof)
    return replace(samples.good_report(), proof=replace(proof, verdict=verdict, backend=backend))


@pytest.mark.parametrize(
    ("report", "state", "code"),
    [
        (ended(Outcome.FAILED), "bad", "run-failed"),
        (ended(Outcome.FAILED, put_back=True), "bad", "run-failed-put-back"),
        (ended(Outcome.CANCELLED), "warn", "run-cancelled"),
        (ended(Outcome.CANCELLED, put_back=True), "warn", "run-cancelled-put-back"),
        (ended(Outcome.RESTART_NEEDED), "warn", "restart-needed"),
        (ended(Outcome.DONE, restart=True), "warn", "restart-needed"),
        (replace(samples.good_report(), proof=None), "good", "run-done"),
        (proved(ProofVerdict.FAST), "good", "proof-fast"),
        (proved(ProofVerdict.WORKS), "good", "proof-works"),
        (proved(ProofVerdict.WORKS, "interpreter"), "good", "proof-works-interpreter"),
        (proved(ProofVerdict.SLOW), "warn", "proof-slow"),
        (proved(ProofVerdict.WRONG), "bad", "proof-wrong"),
        (proved(ProofVerdict.FAILS), "bad", "proof-fails"),
        (replace(samples.facts_report(), plan=samples.plan()), "good", "plan-ready"),
        (replace(samples.facts_report(), plan=samples.plan(verdict=Verdict.NEEDS_ACTION)), "warn", "plan-needs-action"),
        (replace(samples.facts_report(), plan=samples.plan(verdict=Verdict.BLOCKED)), "bad", "plan-blocked"),
        (replace(samples.facts_report(), diagnosis=samples.failed_report().diagnosis), "warn", "cause-found"),
        (replace(samples.facts_report(), diagnosis=Diagnosis((), healthy=True)), "good", "healthy"),
        (replace(samples.facts_report(), diagnosis=Diagnosis((), healthy=False)), "info", "not-recognised"),
        (samples.facts_report(), "info", "facts-only"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_ending_is_told(report: Report, state: str, code: str) -> None:
    story = tell_story(report)
    assert (story.state, story.title.code) == (state, f"report.story.{code}")
    assert faults(render_html(report)) == []


def test_steps_are_told_as_they_ran() -> None:
    story = tell_story(samples.failed_report())
    assert [(step.id, step.outcome) for step in story.steps] == [("download", Outcome.DONE), ("install", Outcome.DONE), ("test", Outcome.FAILED)]
    assert story.failed_step == "test"
    cut = replace(samples.failed_report(), events=samples.failed_report().events[:3])
    assert [step.outcome for step in tell_story(cut).steps] == [Outcome.DONE, None, None]


def test_without_a_diagnosis_the_last_lines_of_the_failed_step_stand_there() -> None:
    story = tell_story(replace(samples.failed_report(), diagnosis=None, plan=None))
    assert [line.text for line in story.evidence][-1] == "put back 41 files"
    assert not any(line.tells for line in story.evidence)


def test_a_line_that_overwrites_takes_the_place_of_the_one_before() -> None:
    report = samples.failed_report()
    events = (*report.events[:6], LogLine("test", "10 %", "t"), LogLine("test", "20 %", "t", replaces=True), *report.events[6:])
    assert tell_story(replace(report, events=events)).line_count == tell_story(report).line_count + 1


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", REPORTS)
def test_the_summary_is_short_and_tells_it(name: str, language: str) -> None:
    summary = summary_markdown(REPORTS[name], language)
    assert len(summary.splitlines()) <= 60
    assert len(summary) < 8000
    assert "`NVIDIA GeForce RTX 4070` `8.9`" in summary
    assert "`2.8.0+cu128`" in summary
    assert not re.search(r"\{[a-z_]+\}", summary.replace("\\", ""))
    if name == "failed":
        assert "vc-runtime-stale" in summary
        assert "DLL load failed while importing libtriton" in summary


def test_numbers_are_written_for_people() -> None:
    assert [number(value) for value in (0, 0.0123, 1.5, 54.9, 459.0, 98432000.0, 2.57)] == ["0", "0.0123", "1.50", "54.9", "459", "9.84e+07", "2.57"]
    assert [size(value) for value in (0, 900, 46_100_000, 212_000_000, 99_857_989_632)] == ["0 B", "900 B", "46.1 MB", "212 MB", "99.9 GB"]
    assert [seconds(value) for value in (0.21, 21.4, 600)] == ["210 ms", "21.4 s", "10 min"]


def test_the_sheet_is_small() -> None:
    assert (assets() / "report" / "report.css").stat().st_size < 20_000
