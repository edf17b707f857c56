"""Where packages come from on this machine, in order, and whether what a plan needs can be reached."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from app.model.facts import MachineFacts
from app.model.findings import Finding, Remedy, Severity
from app.model.text import Text
from app.model.unknown import known
from app.planning.situation import Situation
from app.planning.work import Origin, Work

DEFAULT_INDEX = ""
"""Stands for the package index that pip and uv use when none is named."""


@dataclass(frozen=True, slots=True)
class Sources:
    """`torch`: indexes for the torch family, `index`: for all else, both in the order to try. `find_links`: a local folder, or ""."""

    torch: tuple[str, ...]
    index: tuple[str, ...]
    find_links: str = ""


def sources_for(case: Situation, work: Work) -> Sources:
    """The indexes to try. A wheelhouse replaces them all; a mirror that cannot be reached is left out."""
    if case.choice.wheelhouse:
        return Sources((), (), case.choice.wheelhouse)
    configured = _configured_index(case)
    index = (configured, DEFAULT_INDEX) if configured else (DEFAULT_INDEX,)
    torch: tuple[str, ...] = ()
    if any(pin.origin is Origin.TORCH_INDEX for pin in work.pins):
        torch = _torch_indexes(case, work.tag) or (() if work.tag == "cpu" else (torch_index(case, work.tag),))
    return Sources(torch, index)


def torch_index(case: Situation, tag: str) -> str:
    """The index to ask first for a build of torch; PyTorch's own where none is known to answer."""
    return next(iter(_torch_indexes(case, tag)), case.tables.torch_indexes[0].url.format(tag=tag))


def _configured_index(case: Situation) -> str | None:
    """The index that the person chose or set for pip, unless it is known not to answer."""
    network = known(case.facts.network, None)
    url = case.choice.index_url or (known(network.index_url, None) if network else None)
    return url if url and _reachable(case.facts).get(urlsplit(url).hostname or "") is not False else None


def _torch_indexes(case: Situation, tag: str) -> tuple[str, ...]:
    """PyTorch's own index first, mirrors behind it; in China the mirrors that answer come first."""
    reachable = _reachable(case.facts)
    in_china = known(case.facts.os.locale, None) in {"zh-CN", "zh_CN", "zh_CN.UTF-8"}
    rows = [row for row in case.tables.torch_indexes if reachable.get(row.reach, not row.region) is not False]
    answering = [row for row in rows if not row.region or reachable.get(row.reach)]
    ordered = sorted(answering, key=lambda row: (row.region != "CN") if in_china else bool(row.region))
    return tuple(row.url.format(tag=tag) for row in ordered)


def _reachable(facts: MachineFacts) -> dict[str, bool]:
    network = known(facts.network, None)
    return dict(known(network.reachable, {})) if network else {}


def unreachable(case: Situation, work: Work) -> tuple[Finding, ...]:
    """Hosts that the work needs and that are known not to answer; nothing where the machine is offline anyway or has a wheelhouse."""
    network = known(case.facts.network, None)
    if case.choice.wheelhouse or network is None or network.online is False:
        return ()
    reachable = _reachable(case.facts)
    if not reachable or not any(reachable.values()):
        return ()
    missing = []
    if any(pin.origin is Origin.INDEX for pin in work.pins) and _configured_index(case) is None:
        missing += [name for name in ("python-index", "python-index-files") if reachable.get(name) is False][:1]
    if any(pin.origin is Origin.TORCH_INDEX for pin in work.pins) and work.tag != "cpu" and not _torch_indexes(case, work.tag):
        missing.append(case.tables.torch_indexes[0].reach)
    hosts = {urlsplit(pin.url).hostname or "" for pin in work.pins if pin.origin is Origin.FILE}
    missing += [host for host in sorted(hosts) if reachable.get(host) is False]
    return tuple(_finding(host) for host in missing)


def _finding(host: str) -> Finding:
    text = Text("finding.network-failed.host", {"host": "@plan.package-index" if host.startswith("python-index") else host})
    return Finding("network-failed", Severity.BLOCKER, text, (f"network.reachable.{host}",), Remedy("bundle", Text("finding.network-failed.remedy"), False))
