"""The compact report: what fits into a QR picture on the screen, for a photo, and is read back from pasted text.

`TS1:` and base45 of a check sum and deflated JSON, so that a QR picture holds it in its dense alphanumeric mode and any reader
shows it as text. The order of the values and the words known beforehand are fixed for `TS1:`; a change of either takes a new prefix.
It holds codes and versions only: no names, no paths.
"""

import io
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Final

import segno

from app.model import codec
from app.model.events import Outcome, RunFinished, StepFinished
from app.model.facts import MachineFacts
from app.model.problem import ExitCode, Problem
from app.model.report import Report
from app.model.text import Text
from app.model.unknown import known
from app.report.code import CodeMeaning, cause_text, chief_finding, chosen_python, explain_code, packages_now, system_name
from app.report.load import harmless
from app.resources import assets

PREFIX: Final = "TS1:"
MAX_TEXT: Final = 4000
MAX_PIXELS: Final = 100_000_000
"""Of a photo: twice what telephones take."""

MAX_INFLATED_BYTES: Final = 1 << 14
_SIGNS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
_TOLD_PACKAGES: Final = (
    "torch",
    "triton-windows",
    "triton",
    "sageattention",
    "sageattn3",
    "flash-attn",
    "xformers",
    "vllm",
    "torchvision",
    "torchaudio",
    "numpy",
    "bitsandbytes",
)
_MAX_FINDINGS: Final = 8


@dataclass(frozen=True, slots=True)
class CompactGpu:
    name: str
    capability: str | None = None
    memory_gb: float | None = None


@dataclass(frozen=True, slots=True)
class CompactReport:
    """The few values a supporter asks for first. Versions as the software prints them; empty texts are not known."""

    created: str
    program: str
    system: str
    build: str
    gpus: tuple[CompactGpu, ...] = ()
    driver: str = ""
    driver_cuda: str = ""
    python: str = ""
    python_kind: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    route: str = ""
    verdict: str = ""
    findings: tuple[str, ...] = ()
    failed_step: str = ""
    exit_code: int | None = None
    proof: str = ""
    failed_checks: tuple[str, ...] = ()
    vc_runtime: str = ""
    schema: str = "compact/1"

    def lines(self) -> tuple[Text, ...]:
        """The meaning as sentences."""
        found = [
            Text("code.compact.made", {"created": self.created, "program": self.program or "?"}),
            Text("code.compact.system", {"system": f"@code.system.{self.system}", "build": self.build}),
        ]
        found += [
            Text("code.compact.gpu", {"name": g.name, "capability": g.capability or "?", "memory": g.memory_gb if g.memory_gb is not None else "?"})
            for g in self.gpus
        ]
        if self.driver:
            found.append(Text("code.compact.driver", {"version": self.driver, "cuda": self.driver_cuda or "?"}))
        if self.python:
            found.append(Text("code.compact.python", {"version": self.python, "kind": self.python_kind}))
        found += [Text("code.compact.package", {"name": name, "version": version}) for name, version in self.packages.items()]
        if self.verdict:
            found.append(Text(f"code.verdict.{self.verdict}"))
        if self.route:
            found.append(Text(f"code.route.{self.route}"))
        found += [cause_text(code) for code in self.findings]
        if self.failed_step:
            found.append(Text("code.compact.failed", {"step": self.failed_step, "exit_code": self.exit_code if self.exit_code is not None else "?"}))
        if self.proof:
            found.append(Text(f"code.proof.{self.proof}"))
        return (*found, *(Text("code.compact.check", {"check": code}) for code in self.failed_checks))


def make_compact(report: Report) -> CompactReport:
    """The compact form of a report, redacted or not: it takes over nothing that could be private."""
    facts, plan, proof = report.facts, report.plan, report.proof
    python = chosen_python(facts, plan)
    packages = packages_now(report)
    driver = known(facts.driver, None)
    failed = next((event for event in reversed(report.events) if isinstance(event, StepFinished) and event.outcome is Outcome.FAILED), None)
    ended_well = any(isinstance(event, RunFinished) and event.outcome is Outcome.DONE for event in report.events[-3:])
    chief = chief_finding(plan, report.diagnosis)
    findings = dict.fromkeys([*([chief] if chief else []), *(finding.code for finding in (plan.findings if plan else ()))])
    return CompactReport(
        created=report.created_at[:16],
        program=report.program_version,
        system=system_name(facts),
        build=facts.os.version,
        gpus=_gpus(facts),
        driver=known(driver.version, "") if driver else "",
        driver_cuda=(known(driver.cuda, None) or "") if driver else "",
        python=python.version if python else "",
        python_kind=python.kind if python else "",
        packages={name: packages[name] for name in _TOLD_PACKAGES if name in packages},
        route=plan.route.value if plan and plan.route else "",
        verdict=plan.verdict.value if plan else "",
        findings=tuple(findings)[:_MAX_FINDINGS],
        failed_step=failed.step_id if failed and not ended_well else "",
        exit_code=failed.exit_code if failed and not ended_well else None,
        proof=proof.verdict.value if proof else "",
        failed_checks=tuple(check.code for check in (proof.checks if proof else ()) if check.outcome == "failed")[:_MAX_FINDINGS],
        vc_runtime=known(facts.vc_runtime, None) or "",
    )


def write_compact(report: Report) -> str:
    """The text of the QR picture."""
    document = codec.dump(make_compact(report))
    packed = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _words())
    content = json.dumps(_values(document), ensure_ascii=False, separators=(",", ":")).encode()
    return PREFIX + _base45(zlib.crc32(content).to_bytes(4, "big") + packed.compress(content) + packed.flush())


def _values(document: Mapping[str, Any]) -> list[Any]:
    """The values in the order of their names: a picture has no room for names."""
    gpus = [[gpu["name"], gpu["capability"], gpu["memory_gb"]] for gpu in document["gpus"]]
    return [gpus if name == "gpus" else document[name] for name in _ORDER]


def _named(values: Any) -> Any:
    """The document again; what is no list of ours is left to the codec to refuse."""
    if not isinstance(values, list) or len(values) != len(_ORDER):
        return values
    document = dict(zip(_ORDER, values, strict=True))
    if isinstance(document["gpus"], list):
        document["gpus"] = [dict(zip(("name", "capability", "memory_gb"), gpu, strict=False)) if isinstance(gpu, list) else gpu for gpu in document["gpus"]]
    return document


def read_compact(text: str) -> CompactReport:
    """The compact report in pasted text, wherever in it and however wrapped. Problem (exit code 2) if there is none."""
    start = text.find(PREFIX)
    if start == -1 or len(text) > 20 * MAX_TEXT:
        raise Problem(Text("code.no-compact"), ExitCode.BAD_INPUT)
    signs = re.sub(r"[\r\n\t]", "", text[start + len(PREFIX) : start + len(PREFIX) + MAX_TEXT])
    run = re.match(rf"[{re.escape(_SIGNS)}]*", signs)
    body = (run[0] if run else "").rstrip(" ")
    for candidate in (body, body + " "):  # a blank at the end is a sign too, and is lost where text is pasted
        content = _inflated(_from_base45(candidate))
        if content is not None:
            return codec.load(_named(harmless(codec.parse(content, PREFIX))), CompactReport, PREFIX)
    raise Problem(Text("code.damaged-compact"), ExitCode.BAD_INPUT)


def read_text(text: str) -> CodeMeaning | CompactReport:
    """What a person typed or pasted: a support code, or the text of a QR picture. Problem (exit code 2) if neither."""
    return read_compact(text) if PREFIX in text else explain_code(text)


def read_picture(pixels: bytes, width: int, height: int) -> CompactReport:
    """The compact report in a photo of the QR picture, given as rows of grey values (0 black, 255 white, one byte each, no padding).

    Problem (exit code 2) if no picture of ours can be read in it.
    """
    if width < 1 or height < 1 or not width * height == len(pixels) <= MAX_PIXELS:
        raise Problem(Text("code.no-picture"), ExitCode.BAD_INPUT)
    import zxingcpp

    found = zxingcpp.read_barcodes(memoryview(pixels).cast("B", (height, width)))
    text = next((barcode.text for barcode in found if barcode.text.startswith(PREFIX)), None)
    if text is None:
        raise Problem(Text("code.no-picture"), ExitCode.BAD_INPUT)
    return read_compact(text)


def qr_matrix(report: Report) -> tuple[tuple[bool, ...], ...]:
    """The picture as rows of dark (true) and light squares, without the quiet zone."""
    return tuple(tuple(bool(square) for square in row) for row in _picture(report).matrix)


def qr_svg(report: Report) -> str:
    """The picture as an SVG element, black on white with its quiet zone, in any theme."""
    out = io.BytesIO()
    _picture(report).save(out, kind="svg", xmldecl=False, svgns=True, border=4, dark="#000", light="#fff", omitsize=True, nl=False)
    return out.getvalue().decode()


def _picture(report: Report) -> segno.QRCode:
    return segno.make(write_compact(report), error="l", micro=False, boost_error=True)


def _gpus(facts: MachineFacts) -> tuple[CompactGpu, ...]:
    return tuple(
        CompactGpu(gpu.name[:60], known(gpu.compute_capability, None), round(memory / 1e9, 1) if (memory := known(gpu.memory_bytes, None)) else None)
        for gpu in known(facts.gpus, ())[:4]
    )


def _base45(content: bytes) -> str:
    out = []
    for index in range(0, len(content) - 1, 2):
        number = content[index] * 256 + content[index + 1]
        out.append(_SIGNS[number % 45] + _SIGNS[number // 45 % 45] + _SIGNS[number // 2025])
    if len(content) % 2:
        out.append(_SIGNS[content[-1] % 45] + _SIGNS[content[-1] // 45])
    return "".join(out)


def _from_base45(signs: str) -> bytes | None:
    if len(signs) % 3 == 1:
        return None
    out = bytearray()
    for index in range(0, len(signs), 3):
        group = [_SIGNS.index(sign) for sign in signs[index : index + 3]]
        number = sum(value * 45**power for power, value in enumerate(group))
        size = len(group) - 1
        if number >= 256**size:
            return None
        out += number.to_bytes(size, "big")
    return bytes(out)


def _inflated(packed: bytes | None) -> bytes | None:
    """The whole content, its check sum proven; None where it is damaged or larger than any of ours."""
    if not packed or len(packed) < 5:
        return None
    stream = zlib.decompressobj(-15, _words())
    try:
        content = stream.decompress(packed[4:], MAX_INFLATED_BYTES)
    except zlib.error:
        return None
    whole = stream.eof and not stream.unused_data and zlib.crc32(content) == int.from_bytes(packed[:4], "big")
    return content if whole else None


@cache
def _words() -> bytes:
    """What compact reports have in common, so that it need not be in each: fixed for good under this prefix."""
    return (assets() / "report" / "compact_words.txt").read_bytes()


_ORDER: Final = tuple(field.name for field in fields(CompactReport))
