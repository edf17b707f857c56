"""Texts of values into words, and quantities as each language writes them."""

from datetime import datetime

from app.model.plan import Download
from app.model.text import Text
from app.texts import Language, has, say, words

MB = 1_000_000
GB = 1_000_000_000


def spoken(text: Text, language: Language) -> str:
    """The words of a Text. One that no catalogue holds (a newer report) shows its code instead of stopping the page."""
    if has(text.code):
        return words(text, language)
    return " ".join([text.code, *(str(value) for value in text.params.values())])


def joined(texts: list[str], language: Language) -> str:
    """Small facts beside each other: "Python 3.12 · torch 2.8", in Chinese with a comma."""
    return say("ui.dot", language).join(text for text in texts if text)


def say_bytes(count: float | None, language: Language) -> str:
    """A size in powers of 1,000, one decimal from 1 MB on. None: not known yet."""
    if count is None:
        return say("ui.not-known-yet", language)
    number = _number_bytes(count)
    return f"{number[0]} {number[1]}"


def say_download(download: Download, language: Language) -> str:
    """How much is downloaded; where the size of a part is not known, about how much, or how much at least."""
    if download.wording in {"exact", "unknown"}:
        return say_bytes(download.bytes if download.is_whole else None, language)
    return say(f"ui.{download.wording}", language, size=say_bytes(download.bytes, language))


def say_app(code: str, language: Language) -> str:
    """The name of an app by its code in the facts; the code itself where nobody knows it."""
    return say(f"environment.app-{code}", language) if has(f"environment.app-{code}") else code


def say_bytes_of(done: float, total: float | None, language: Language) -> str:
    """ "15.1 of 46.1 MB"; only what is done where the total is not known."""
    if not total:
        return say_bytes(done, language)
    whole, unit = _number_bytes(total)
    scale = {"B": 1, "KB": 1_000, "MB": MB, "GB": GB}[unit]
    part = f"{done / scale:,.1f}" if unit in {"MB", "GB"} else f"{done / scale:,.0f}"
    return say("ui.of", language, done=part, total=whole, unit=unit)


def _number_bytes(count: float) -> tuple[str, str]:
    if count >= GB:
        return f"{count / GB:,.1f}", "GB"
    if count >= MB:
        return f"{count / MB:,.1f}", "MB"
    if count >= 1_000:
        return f"{count / 1_000:,.0f}", "KB"
    return f"{count:,.0f}", "B"


def say_speed(bytes_per_second: float, language: Language) -> str:
    """Always MB/s, so that the unit does not jump."""
    return f"{bytes_per_second / MB:,.1f} MB/s"


def say_left(seconds: float, language: Language) -> str:
    """Time left, rounded as people say it; never 0."""
    if seconds < 60:
        return say("ui.left-seconds", language, count=max(1, round(seconds)) if seconds < 10 else 5 * round(seconds / 5) or 5)
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return say("ui.left-one-minute" if minutes == 1 else "ui.left-minutes", language, count=minutes)
    return say("ui.left-hours", language, hours=f"{seconds / 3600:.1f}")


def say_duration(seconds: float, language: Language) -> str:
    """How long something took."""
    if seconds < 60:
        return say("ui.seconds", language, count=f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}")
    minutes, rest = divmod(round(seconds), 60)
    return say("ui.minutes-seconds", language, minutes=minutes, seconds=rest)


def say_date(stamp: str, language: Language) -> str:
    """An ISO time as a date and a time of day; what is no time stays as it is."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    month = say("ui.months", language).split(",")[moment.month - 1]
    return say("ui.date-time", language, day=moment.day, month=month, year=moment.year, time=f"{moment:%H:%M}")


def say_count(one: str, many: str, count: int, language: Language) -> str:
    """The sentence for one, or for any other number."""
    return say(one if count == 1 else many, language, count=f"{count:,}")
