"""Fresher tables for a program that is already out: a folder of table files with a manifest of their hashes.

They are taken only as a whole and only after every check; the shipped ones stand behind them. `app.current_tables` keeps them.
"""

import hashlib
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

from app.model import codec
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.tables.check import FILES, disagreements, faults, hosts
from app.tables.load import Tables, load_tables

MANIFEST: Final = "manifest.json"
TABLES_SCHEMA: Final = "tables/1"
MAX_FILE_BYTES: Final = 262_144
MAX_FILES: Final = 32
MAX_PACKAGE_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """`date` of the tables, and the SHA-256 of every file by its name (torch.toml)."""

    schema: str
    date: str
    files: Mapping[str, str]


def date_of(tables: Tables) -> str:
    """The newest date of any row."""
    return max(str(row["date"]) for file in FILES for rows in tables.document(file).values() if isinstance(rows, list) for row in rows)


def check_fresher(files: Mapping[str, bytes], shipped: Tables, sha256: str | None = None) -> Tables:
    """Tables from files that came from outside (with `manifest.json` among them). Problem names what is wrong with them.

    `sha256` is the hash of the manifest as a trusted place publishes it; None where the manifest itself came over a trusted way.
    """
    manifest = _manifest(files, sha256)
    documents = {}
    for name, expected in manifest.files.items():
        content = files.get(name, b"")
        if name.removesuffix(".toml") not in FILES or len(content) > MAX_FILE_BYTES or hashlib.sha256(content).hexdigest() != expected:
            raise _refused(name, "its hash is another")
        try:
            documents[name.removesuffix(".toml")] = tomllib.loads(content.decode("utf-8"))
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise _refused(name, str(error)) from error
    fresher = shipped.with_documents(documents)
    for wrong in (fault for file in documents for fault in faults(fresher, file)):
        raise _refused(MANIFEST, wrong)
    for wrong in disagreements(fresher):
        raise _refused(MANIFEST, wrong)
    if strange := hosts(fresher) - hosts(shipped):
        raise _refused(MANIFEST, f"a host that is not known: {min(strange)}")
    if manifest.date < date_of(shipped):
        raise _refused(MANIFEST, f"older than the shipped tables: {manifest.date}")
    return fresher


def difference(old: Tables, new: Tables) -> list[tuple[str, str, int]]:
    """File, array of tables, and how many of its rows are new or changed in `new`, or are gone from it."""
    found = []
    for file, arrays in FILES.items():
        for table in arrays:
            before, after = old.document(file).get(table, []), new.document(file).get(table, [])
            changed = sum(row not in before for row in after) + max(0, len(before) - len(after))
            if changed:
                found.append((file, table, changed))
    return found


def pack(files: Mapping[str, bytes], date: str) -> dict[str, bytes]:
    """A package of table files (by name, torch.toml) with its manifest."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return {**files, MANIFEST: codec.dumps(Manifest(TABLES_SCHEMA, date, hashes)).encode()}


def read_package(stream: BinaryIO, name: str) -> dict[str, bytes]:
    """The files of a package; Problem (exit code 2) for one that is none, too large, or holds other than plain files."""
    try:
        with zipfile.ZipFile(stream) as package:
            entries = package.infolist()
            too_much = len(entries) > MAX_FILES or sum(entry.file_size for entry in entries) > MAX_PACKAGE_BYTES
            strange = {entry.filename for entry in entries} - {MANIFEST, *(f"{file}.toml" for file in FILES)}
            if too_much or strange:
                raise _refused(name, f"not a table: {min(strange)}" if strange else "too large")
            return {entry.filename: package.read(entry) for entry in entries}
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError) as error:
        raise _refused(name, str(error)[:160]) from error


def tables_from(files: Mapping[str, bytes] | None) -> Tables:
    """The tables of files that were kept before, or the shipped ones where there are none or they do not pass."""
    shipped = load_tables()
    try:
        return check_fresher(files, shipped) if files else shipped
    except Problem:
        return shipped


def _manifest(files: Mapping[str, bytes], sha256: str | None) -> Manifest:
    content = files.get(MANIFEST, b"")
    if len(content) > MAX_FILE_BYTES or (sha256 is not None and hashlib.sha256(content).hexdigest() != sha256):
        raise _refused(MANIFEST, "its hash is another")
    manifest = codec.load(codec.parse(content, MANIFEST), Manifest, MANIFEST)
    if manifest.schema != TABLES_SCHEMA or not manifest.files:
        raise _refused(MANIFEST, f"schema {manifest.schema}")
    return manifest


def _refused(file: str, where: str) -> Problem:
    return Problem(Text("plan.tables-refused", {"file": file, "where": where}), ExitCode.BAD_INPUT)
