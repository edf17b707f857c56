"""The proof: does it work, is it right, is it used, is it fast? Starts payloads in the target Python and judges them."""

from app.proof.comfyui_log import read_comfyui_log
from app.proof.document import load_proof, proof_document, proof_text
from app.proof.judge import USED, judge
from app.proof.kept import earlier_proof, keep_proof, kept_proof, proofs_folder, read_proof
from app.proof.present import check_title, kernel_title, line_text, proof_charts, proof_lines, verdict_texts
from app.proof.prove import all_checks, merge, prove
from app.proof.used import AppStart, app_start, use_check, watch_use, with_check
from app.proof.watch import compare, prometheus_text

__all__ = [
    "USED",
    "AppStart",
    "all_checks",
    "app_start",
    "check_title",
    "compare",
    "earlier_proof",
    "judge",
    "keep_proof",
    "kept_proof",
    "kernel_title",
    "line_text",
    "load_proof",
    "merge",
    "prometheus_text",
    "proof_charts",
    "proof_document",
    "proof_lines",
    "proof_text",
    "proofs_folder",
    "prove",
    "read_comfyui_log",
    "read_proof",
    "use_check",
    "verdict_texts",
    "watch_use",
    "with_check",
]
