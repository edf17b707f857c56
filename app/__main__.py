"""The program's entry: `python -m app`, the console script and the packaged exe."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code of the contract."""
    try:
        from app.cli.front import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        # Before anything listened to Ctrl-C, and so before anything was begun.
        sys.stderr.write("triton-setup: cancelled\n")
        return 4


if __name__ == "__main__":
    sys.exit(main())
