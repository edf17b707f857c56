"""What the pages write to disk for the person: the plan, its commands, an answer file, a report."""

from pathlib import Path

from app.model.plan import Plan, Where
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.qt.speaking import spoken
from app.session import Session
from app.texts import Language


def command_text(plan: Plan, language: Language) -> str:
    """The steps with the commands that a person would type, as one text."""
    lines: list[str] = []
    for number, step in enumerate(plan.steps, 1):
        lines.append(f"{number}. {spoken(step.title, language)}")
        if step.argv:
            prefix = "[WSL] " if step.where is Where.WSL else ""
            lines.append(f"   {prefix}{' '.join(_quoted(part) for part in step.argv)}")
        if step.undo is not None:
            lines.append(f"   ({spoken(step.undo, language)})")
        lines.append("")
    return "\n".join(lines).rstrip()


def write_plan(session: Session, path: str, language: Language) -> None:
    """The plan as JSON, as `plan --json` prints it."""
    import json

    from app.planning import plan_document

    assert session.plan is not None
    _write(path, json.dumps(plan_document(session.plan, language), ensure_ascii=False, indent=1))


def write_proof(session: Session, path: str, language: Language) -> None:
    """The proof as JSON, as `prove --json` prints it."""
    import json

    from app.proof.document import proof_document

    assert session.proof is not None
    _write(path, json.dumps(proof_document(session.proof, language), ensure_ascii=False, indent=1))


def write_answer(session: Session, path: str) -> None:
    """The choice, for the wizard on the other PC to take over and plan anew."""
    from app.report.answers import save_answers

    save_answers(session.choice, session.report(), Path(path))


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise Problem(Text("ui.cannot-write", {"file": path}), ExitCode.FAILED) from error


def _quoted(part: str) -> str:
    return f'"{part}"' if " " in part or not part else part
