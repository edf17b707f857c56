"""The proof: does it work, is it right, is it used, is it fast? Starts payloads in the target Python and judges them."""

from app.proof.document import load_proof, proof_document
from app.proof.prove import prove

__all__ = ["load_proof", "proof_document", "prove"]
