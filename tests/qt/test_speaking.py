import pytest

from app.model.text import Text
from app.qt.speaking import say_bytes, say_bytes_of, say_date, say_download, say_duration, say_left, spoken
from tests.pages.samples import PLAN


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 B"), (999, "999 B"), (12_345, "12 KB"), (46_100_000, "46.1 MB"), (5_800_000_000, "5.8 GB"), (1_500_000_000_000, "1,500.0 GB")],
)
def test_sizes(count, shown):
    assert say_bytes(count, "en") == say_bytes(count, "zh_CN") == shown


def test_an_unknown_size_is_said():
    assert say_bytes(None, "en") == "Not known yet"


def test_part_of_a_size_shares_the_unit():
    assert say_bytes_of(15_100_000, 46_100_000, "en") == "15.1 of 46.1 MB"
    assert say_bytes_of(400_000, 46_100_000, "zh_CN") == "0.4 / 46.1 MB"
    assert say_bytes_of(400_000, None, "en") == "400 KB"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "1 s left"), (7.4, "7 s left"), (26, "25 s left"), (61, "about 1 minute left"), (720, "about 12 minutes left"), (5400, "about 1.5 hours left")],
)
def test_time_left_is_rounded_and_never_nothing(seconds, shown):
    assert say_left(seconds, "en") == shown


def test_durations():
    assert say_duration(3.14, "en") == "3.1 s"
    assert say_duration(161, "en") == "2 min 41 s"
    assert say_duration(161, "zh_CN") == "2 分 41 秒"


def test_dates():
    assert say_date("2026-11-29T16:42:00+00:00", "en") == "29 Nov 2026, 16:42"
    assert say_date("2026-11-29T16:42:00+00:00", "zh_CN") == "2026 年 11 月 29 日 16:42"
    assert say_date("some day", "en") == "some day"


def test_a_text_of_a_newer_report_shows_its_code():
    assert spoken(Text("no-such-area.code", {"a": 1}), "en") == "no-such-area.code 1"


def test_what_is_downloaded_is_said_as_far_as_it_is_known():
    from app.model.plan import Download

    assert say_download(PLAN.download, "en") == "74.0 MB"
    assert say_download(Download(74_000_000, is_whole=False), "en") == "≥ 74.0 MB"
    assert say_download(Download(2_602_768_778, is_estimate=True), "en") == "about 2.6 GB"
    assert say_download(Download(2_602_768_778, is_estimate=True), "zh_CN") == "约 2.6 GB"
    assert say_download(Download(2_602_768_778, is_estimate=True, is_whole=False), "en") == "≥ about 2.6 GB"
    assert say_download(Download(is_whole=False), "en") == "Not known yet"
    assert say_download(Download(), "en") == "0 B"
