"""The charts of a proof reach report.html as the window shows them, and come back with the report."""

from dataclasses import replace
from pathlib import Path

from app.model.proof import Bar, BarGroup, Chart
from app.model.text import Text
from app.proof import proof_charts
from app.report import Identity, load_report, render_html, save_report
from app.session import Session
from app.texts import words
from tests.pages.samples import FACTS
from tests.proof.samples import good


def report_of(home: Path):
    session = Session(str(home))
    session.facts, session.proof = FACTS, good()
    return session.report()


def test_every_bar_stands_on_the_page_with_its_number_in_both_languages(own_home: Path):
    report = report_of(own_home)
    assert report.charts == proof_charts(good())
    page = render_html(report, "zh_CN")
    for chart in report.charts:
        for text in (chart.title, *(group.label for group in chart.groups), *(bar.text for group in chart.groups for bar in group.bars)):
            assert words(text, "en") in page
            assert words(text, "zh_CN") in page
    assert page.count('id="hatch"') == 1


def test_charts_survive_saving_and_opening(own_home: Path):
    report = report_of(own_home)
    saved = save_report(report, None, {}, Identity(), own_home / "report.zip")
    assert load_report(saved.path).report.charts == report.charts


def test_a_foreign_chart_cannot_leave_its_frame_or_the_page(own_home: Path):
    bars = tuple(Bar("triton", "<b>x</b>", share, Text("<script>")) for share in (float("inf"), float("nan"), -5.0, 1e9))
    page = render_html(replace(report_of(own_home), charts=(Chart("x", Text("<i>"), (BarGroup(Text("g"), bars),), 1.0),)))
    assert "<script>" not in page
    assert "<b>x</b>" not in page
    assert 'width="nan"' not in page
    assert 'width="inf"' not in page
