"""Report files to open, and to spoil first."""

import json

from app.model import codec
from tests.report import samples


def report_json(**changes: object) -> bytes:
    document = json.loads(codec.dumps(samples.failed_report()))
    document.update(changes)
    return json.dumps(document).encode()
