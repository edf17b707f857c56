"""The commands `code` and `compare`: what a supporter was told, sent or photographed, in words."""

import argparse
import sys
from pathlib import Path

from app.cli.files import read_input
from app.cli.terminal import Terminal
from app.model import codec
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.report.code import CodeMeaning
from app.report.compact import CompactReport, read_picture, read_text
from app.report.spoken import spoken

MAX_PASTED_BYTES = 1 << 18


def explain(options: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Says what a support code, the text of a QR picture or a photo of one means."""
    meaning = _meaning(" ".join(options.text), options.image)
    lines = [spoken(line, terminal.language) for line in meaning.lines()]
    if options.json:
        terminal.document({"schema": "code/1", "lines": lines, "values": codec.dump(meaning)})
    else:
        for line in lines:
            terminal.line(line)
    return ExitCode.DONE


def _meaning(text: str, image: Path | None) -> CodeMeaning | CompactReport:
    if image is not None:
        if text:
            raise Problem(Text("code.one-thing"), ExitCode.BAD_INPUT)
        from app.qt.photo import read_grey

        return read_picture(*read_grey(read_input(image), str(image)))
    if not text:
        raise Problem(Text("code.nothing-given"), ExitCode.BAD_INPUT)
    if text == "-":
        text = sys.stdin.buffer.read(MAX_PASTED_BYTES).decode("utf-8-sig", "replace").rstrip("\r\n")
    return read_text(text)


def compare_reports(options: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Says what differs between two reports or facts documents, what matters first."""
    from app.report import load_machine
    from app.report.compare import compare, comparison_document, comparison_markdown

    first, second = (load_machine(path).report for path in (options.first, options.second))
    if options.json:
        terminal.document(comparison_document(first, second, terminal.language))
    elif options.markdown:
        terminal.line(comparison_markdown(first, second, terminal.language).rstrip("\n"))
    else:
        differences = compare(first, second)
        for difference in differences:
            terminal.line(("! " if difference.matters else "  ") + spoken(difference.text, terminal.language))
        if not differences:
            terminal.say("cli.no-differences")
    return ExitCode.DONE
