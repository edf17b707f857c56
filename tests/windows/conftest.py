"""Tests of a Windows Python: elsewhere their modules cannot even be imported."""

import sys

collect_ignore_glob = [] if sys.platform == "win32" else ["test_probes_*.py"]
