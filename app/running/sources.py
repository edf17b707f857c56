"""From where packages come, in which order: a bundle, the person's own index, then those of the plan. Silent ones are left out."""

import urllib.parse
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.host.downloads import shown
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.running.run import Run, list_argument
from app.running.settings import Settings, read_settings
from app.running.target import Target
from app.running.wheels import name_of

_ANSWER_S: Final = 6.0
_REASONS: Final = (("certificate", "tls-inspection"), ("407", "proxy-failed"), ("proxy", "proxy-failed"))
"""What a library of ours says of a connection that failed, and the cause behind it."""


@dataclass(frozen=True, slots=True)
class Sources:
    """`indexes` are asked in this order, then `main`; None is the installers' own default. `offline`: nothing but the links is asked."""

    indexes: tuple[str, ...]
    main: str | None
    find_links: tuple[str, ...]
    constraints: tuple[str, ...]
    certificate: str | None
    offline: bool

    @property
    def listed(self) -> tuple[str, ...]:
        return tuple(index for index in (*self.indexes, self.main) if index)

    # Addresses travel in variables, never in arguments: they may hold a password, and arguments are public.

    def uv_variables(self) -> dict[str, str]:
        links = ",".join(_as_link(link) for link in self.find_links)
        variables = {"UV_FIND_LINKS": links, "UV_INDEX": " ".join(self.indexes), "UV_DEFAULT_INDEX": self.main or ""}
        variables |= {"SSL_CERT_FILE": self.certificate} if self.certificate else {"UV_SYSTEM_CERTS": "1"}
        # The older names of the same settings, which the person's environment may still hold.
        return variables | {"UV_INDEX_URL": "", "UV_EXTRA_INDEX_URL": ""}

    def uv_arguments(self) -> list[str]:
        return [*(["--no-index"] if self.offline else []), *(argument for path in self.constraints for argument in ("--constraint", path))]

    def pip_variables(self) -> dict[str, str]:
        variables = {"PIP_FIND_LINKS": " ".join(self.find_links), "PIP_EXTRA_INDEX_URL": " ".join(self.indexes)}
        variables |= {"PIP_INDEX_URL": self.main} if self.main else {}
        variables |= {"PIP_CERT": self.certificate} if self.certificate else {}
        return {name: value for name, value in variables.items() if value}

    def pip_arguments(self) -> list[str]:
        return [*(["--no-index"] if self.offline else []), *(argument for path in self.constraints for argument in ("-c", path))]


def choose_sources(step: Step, run: Run, target: Target | None, requirements: Iterable[str]) -> tuple[Sources, ...]:
    """The sources of this step, those to try first in front; several where another main index may have what the first lacks.

    Links without an index mean: no network. An index that the person chose for this plan stands alone; else their own settings of
    pip and uv count, with the plan's further indexes beside them. `""` in the plan stands for the installers' own default.
    """
    planned = list_argument(step, "sources")
    links = tuple(link for link in (*list_argument(step, "find_links"), run.plan.choice.wheelhouse) if link)
    chosen = run.plan.choice.index_url
    if links and not any(planned) and not chosen:
        offline = Sources((), None, tuple(dict.fromkeys(links)), (), None, offline=True)
        _tell(step, run, (offline,))
        return (offline,)
    settings = Settings() if chosen else read_settings(run.host, target.root if target else None)
    trust_configured(run, target)
    mains = _mains(chosen, settings.index, planned)
    others = (*list_argument(step, "torch_sources"), *(index for index in planned if index not in mains), *settings.extra_indexes)
    wanted = tuple(dict.fromkeys(_slashed(index) for index in others if index and index not in mains))
    indexes = _those_that_answer(step, run, wanted, _first_name(requirements))
    links = tuple(dict.fromkeys((*links, *_those_that_exist(step, run, settings.find_links))))
    found = tuple(Sources(indexes, main or None, links, settings.constraints, settings.certificate, offline=False) for main in mains)
    _tell(step, run, found)
    return found


def trust_configured(run: Run, target: Target | None) -> None:
    """What the person's pip trusts, we do too: a company's proxy is often made known to pip alone."""
    certificate = read_settings(run.host, target.root if target else None).certificate
    if certificate:
        run.host.trust(certificate)


def _those_that_exist(step: Step, run: Run, links: Iterable[str]) -> Iterator[str]:
    """Without folders that are gone: pip passes over them, uv fails."""
    for link in links:
        if urllib.parse.urlsplit(link).scheme in ("http", "https", "file") or Path(link).exists():
            yield link
        else:
            run.say(step, f"leaves out {link}: no such folder")


def _mains(chosen: str | None, configured: str | None, planned: tuple[str, ...]) -> tuple[str, ...]:
    """The main indexes to try one after another."""
    if chosen:
        return (chosen,)
    if configured is None:
        return ("",)
    return (configured, "") if "" in planned else (configured,)


def _tell(step: Step, run: Run, found: tuple[Sources, ...]) -> None:
    for index in dict.fromkeys(index for sources in found for index in sources.listed):
        run.say(step, f"asks {shown(index)}")
    for link in found[0].find_links:
        run.say(step, f"looks in {shown(link)}")


def _those_that_answer(step: Step, run: Run, indexes: tuple[str, ...], name: str) -> tuple[str, ...]:
    if not indexes:
        return ()
    reasons = run.answer(lambda: _reasons_of_silence(run, [_page(index, name) for index in indexes]))
    for index, reason in zip(indexes, reasons, strict=True):
        if reason is not None:
            run.say(step, f"leaves out {shown(index)}: {reason}")
    return tuple(index for index, reason in zip(indexes, reasons, strict=True) if reason is None)


def _reasons_of_silence(run: Run, pages: Sequence[str]) -> list[str | None]:
    """Asked all at once; None stands for a page that answers."""
    with ThreadPoolExecutor(len(pages)) as pool:
        return list(pool.map(lambda page: run.host.silence(page, _ANSWER_S), pages))


def no_answer(step: Step, run: Run, choices: Sequence[Sources], requirements: Iterable[str]) -> Problem | None:
    """Why a resolver found nothing, where the reason is that no main index can be reached; None if one answers.

    The installers' own default index is known by what they say they could not fetch (`run.unreached`).
    """
    name = _first_name(requirements)
    mains = [sources.main for sources in choices if not sources.offline]
    pages = {main: _page(main, name) for main in mains if main} | ({page: page for page in run.unreached} if None in mains else {})
    if not pages:
        return None
    reasons = []
    for index, reason in zip(pages, run.answer(lambda: _reasons_of_silence(run, tuple(pages.values()))), strict=True):
        if reason is None:
            return None
        run.say(step, f"no answer from {shown(index)}: {reason}")
        reasons.append(reason.lower())
    cause = next((cause for sign, cause in _REASONS if any(sign in reason for reason in reasons)), "network-failed")
    return Problem(Text("run.no-source-answers", {"sources": ", ".join(map(shown, pages))}), cause=cause)


def _page(index: str, name: str) -> str:
    # A folder has no page for a package that it does not hold; a server says so without failing.
    return index if index.startswith("file:") else f"{_slashed(index)}{name}/"


def _first_name(requirements: Iterable[str]) -> str:
    return next((name for requirement in requirements if "://" not in requirement and (name := name_of(requirement))), "pip")


def _slashed(index: str) -> str:
    return index.rstrip("/") + "/"


def _as_link(link: str) -> str:
    # uv takes a comma as the end of a link, so a folder with one goes in as an address.
    return Path(link).absolute().as_uri() if "," in link and not urllib.parse.urlsplit(link).scheme and Path(link).is_dir() else link
