"""Looking for a newer version from the window: asked for, allowed once more, told; its page is opened if wanted."""

import urllib.parse
from collections.abc import Callable
from typing import TYPE_CHECKING

from app import __version__
from app.host.own import own_environment, release_address
from app.model.cancel import Cancel

if TYPE_CHECKING:
    from app.host.releases import Release
    from app.qt.window import Window


def can_look_for_updates() -> bool:
    """Whether this build knows a place to ask."""
    return release_address(own_environment()) is not None


def look_for_update(window: "Window", tell: Callable[[tuple[str, ...]], None]) -> None:
    """Asks first. `tell` gets the sentences of what was found; a Problem is told by the window."""
    address = release_address(own_environment())
    if address is None or window.is_busy:
        return
    host = urllib.parse.urlsplit(address).hostname or address
    if not window.ask(window.say("release.ask"), window.say("release.ask-body", host=host), window.say("release.ask-yes"), window.say("release.ask-no")):
        return

    def work(_cancel: Cancel) -> "Release":
        from app.host.releases import fetch_release

        return fetch_release(address)

    def done(release: "Release") -> None:
        tell(_news(window, release))

    window.run(work, done, "update")


def _news(window: "Window", release: "Release") -> tuple[str, ...]:
    from app.current_tables import current_tables
    from app.host.releases import is_newer
    from app.tables.fresh import date_of

    news = []
    if is_newer(release.version, __version__):
        news.append(window.say("release.newer", version=release.version, date=release.date, own=__version__))
        news.append(window.say("release.get", page=release.page))
    else:
        news.append(window.say("release.newest", own=__version__))
    own_date = date_of(current_tables(window.session.places.data))
    if release.tables_date is not None and release.tables_date > own_date:
        news.append(window.say("release.tables", date=release.tables_date, own=own_date))
    return tuple(news)
