"""The command line of the contract, as a parser whose errors are one line."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from app import __version__
from app.cli.argument_words import argument_text
from app.model.plan import Goal, ModelFolders, RouteKind, TorchChange
from app.model.problem import ExitCode, Problem
from app.model.proof import Level

WIZARD = "wizard"
"""The command that is meant when none is named."""


class Parser(argparse.ArgumentParser):
    """Raises Problem instead of printing usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise Problem(argument_text(message, self.prog), ExitCode.BAD_INPUT)


def goals(text: str) -> tuple[Goal, ...]:
    """`triton,sageattention` as goals, in the order named, each once."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = {goal.value: goal for goal in Goal}
    wrong = [name for name in names if name not in known]
    if wrong or not names:
        raise argparse.ArgumentTypeError(f"invalid choice: {', '.join(wrong) or '(none)'} (choose from {', '.join(known)})")
    return tuple(dict.fromkeys(known[name] for name in names))


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The parsed command line; Problem (exit code 2) if it does not fit."""
    parser = Parser(prog="triton-setup", description="Sets up Triton, proves that it works, undoes what it did.")
    parser.add_argument("--version", action="version", version=f"triton-setup {__version__}")
    parser.add_argument("--machine", type=Path, metavar="FILE", help="walk a recorded or exported machine; nothing is changed")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="an answer file from support: shown, confirmed and planned anew here")
    parser.add_argument("--theme", choices=["light", "dark", "system"], default="system")
    parser.add_argument("--continue", dest="continue_run", metavar="ID", help="show the run that waited for a restart; Windows starts this once by itself")
    parser.add_argument("--yes", action="store_true", help="terminal walk: do not ask before changing anything")
    _language(parser, None)
    parser.set_defaults(json=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        parser = commands.add_parser(name, help=text, description=text)
        # Options of the wizard may stand before or behind the command, as people type them: no default overwrites what stood before.
        _language(parser, argparse.SUPPRESS)
        return parser

    _scan(command("scan", "read this machine, print facts"))
    _plan_options(command("plan", "facts, diagnosis and plan; changes nothing")).add_argument(
        "--script", type=Path, metavar="FILE", help="write the plan as a script (.cmd or .sh)"
    )
    _install(command("install", "run a plan with live log"))
    undo = command("undo", "put an environment back to what it was before a run")
    undo.add_argument("--run", metavar="ID", help="the run to undo; without it, the newest one")
    undo.add_argument("--yes", action="store_true", help="do not ask")
    undo.add_argument("--json", action="store_true", help="events, one JSON object a line")
    _prove(command("prove", "check and measure an environment"))
    diagnose = command("diagnose", "find the cause in a log or an error text")
    diagnose.add_argument("file", metavar="FILE", help="the log, or - for standard input")
    diagnose.add_argument("--machine", type=Path, metavar="FILE", default=argparse.SUPPRESS, help="facts of the machine the log comes from")
    diagnose.add_argument("--json", action="store_true")
    report = command("report", "write the diagnostic report")
    report.add_argument("-o", "--output", type=Path, metavar="FILE.zip")
    report.add_argument("--json", action="store_true")
    bundle = _plan_options(command("bundle", "download all that a plan needs, for a machine without a network"))
    bundle.add_argument("-o", "--output", type=Path, metavar="DIR", required=True)
    tour = command("tour", "render every wizard page to PNG; needs no display")
    tour.add_argument("--machine", type=Path, metavar="FILE", default=argparse.SUPPRESS)
    tour.add_argument("--theme", choices=["light", "dark"], default=argparse.SUPPRESS)
    tour.add_argument("-o", "--output", type=Path, metavar="DIR", default=Path("tour"))
    _code(command("code", "explain a support code, or the text or a photo of a QR picture"))
    _forget(command("forget", "show and remove what this program left on this machine"))
    _tables(command("tables", "which version tables decide here; take fresher ones, checked"))
    _update(command("update", "ask whether a newer version is out; tells, changes nothing"))
    server = command("vllm", "run, ask or schedule the vLLM server that was set up")
    server.add_argument("action", choices=["run", "status", "stop", "logon-on", "logon-off", "remove"])
    compare = command("compare", "two reports side by side")
    compare.add_argument("first", type=Path, metavar="A.zip")
    compare.add_argument("second", type=Path, metavar="B.zip")
    compare.add_argument("--json", action="store_true")
    compare.add_argument("--markdown", action="store_true", help="a block to paste into an issue")
    options = parser.parse_args(arguments)
    options.command = options.command or WIZARD
    return options


def language_in(arguments: Sequence[str]) -> str | None:
    """The language that a command line asks for, before it is known whether the rest fits."""
    wanted = Parser(add_help=False, allow_abbrev=False)
    _language(wanted, None)
    try:
        return wanted.parse_known_args(list(arguments))[0].lang  # type: ignore[no-any-return]  # a namespace holds anything
    except Problem:
        return None


def _language(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument("--lang", choices=["en", "zh_CN"], default=default, help="language of all texts")


def _scan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the facts there as JSON")
    parser.add_argument("--folder", action="append", default=[], metavar="DIR", help="a further place to look for Pythons and apps")
    parser.add_argument("--recording", type=Path, metavar="FILE", help="also write the raw answers of the probes")


def _plan_options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    # The wizard takes these two as well: what stands before the command must not be lost behind it.
    parser.add_argument("--machine", type=Path, metavar="FILE", default=argparse.SUPPRESS, help="a facts document or a report instead of this machine")
    parser.add_argument("--route", choices=["auto", *(route.value for route in RouteKind)], default="auto")
    parser.add_argument("--python", metavar="EXE", help="the Python to set up")
    parser.add_argument("--new-env", metavar="DIR", help="make a new environment in this folder")
    parser.add_argument("--goal", type=goals, metavar="GOALS", help="triton,sageattention,comfyui,vllm")
    parser.add_argument("--comfyui", metavar="DIR", help="the ComfyUI folder to serve")
    parser.add_argument("--torch", choices=[change.value for change in TorchChange], default=None, help="may a torch that is there be replaced?")
    parser.add_argument("--torch-version", metavar="VERSION", help="the torch to take where one is taken anew, such as 2.10.0+cu128")
    parser.add_argument("--distro", metavar="NAME", help="the WSL distro to use")
    parser.add_argument("--index-url", metavar="URL", help="the package index to use")
    parser.add_argument("--wheelhouse", metavar="DIR", help="a folder made by bundle, instead of the network")
    parser.add_argument("--models", choices=[one.value for one in ModelFolders], default=None, help="models of Windows for a ComfyUI in WSL: read or copied")
    parser.add_argument("--model", metavar="NAME", help="the model that vLLM is to serve")
    parser.add_argument("--answers", type=Path, metavar="FILE", default=argparse.SUPPRESS, help="the choices of an answer file; options named here win")
    parser.add_argument("--json", action="store_true")
    return parser


def _install(parser: argparse.ArgumentParser) -> None:
    _plan_options(parser)
    parser.add_argument("--plan", type=Path, metavar="FILE", help="a plan printed by plan --json; it is made again here and must come out the same")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="go through every step without changing anything")
    parser.add_argument("--fail-step", metavar="ID", help="with --dry-run: let this step fail")
    parser.add_argument("--resume", nargs="?", const="", metavar="ID", help="go on with an interrupted run")


def _code(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="*", metavar="CODE", help="twelve signs, the text that begins with TS1:, or - for standard input")
    parser.add_argument("--image", type=Path, metavar="FILE", help="a photo or screenshot (PNG, JPEG) that shows the QR picture")
    parser.add_argument("--json", action="store_true")


def _forget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--environments", action="store_true", help="remove the environments it made, too")
    parser.add_argument("--distro", metavar="NAME", help="remove this distro of ours with all that is in it; its name must be typed")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _tables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--take", metavar="FILE|URL", help="a package of tables (zip, https address): checked, shown, kept if you agree")
    parser.add_argument("--sha256", metavar="HASH", help="the hash of the package as its maker publishes it")
    parser.add_argument("--shipped", action="store_true", help="go back to the tables of this program")
    parser.add_argument("--yes", action="store_true", help="do not ask; needs --sha256")
    parser.add_argument("--json", action="store_true")


def _update(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask before the question goes out")
    parser.add_argument("--json", action="store_true")


def _prove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--python", metavar="EXE", help="the Python to prove; without it, the one set up last")
    parser.add_argument("--level", choices=[level.value for level in Level], default=Level.KERNEL.value)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--prometheus", type=Path, metavar="FILE", help="also write the results in the text exposition format")
    parser.add_argument("--against", type=Path, metavar="FILE", help="an earlier proof, or a report with one; says what got worse")
    parser.add_argument("--check", metavar="NAME,…", help="only these checks, and the imports that all of them need")
    parser.add_argument("--comfyui-log", type=Path, metavar="FILE", help="a log of ComfyUI; says whether SageAttention was really used")
