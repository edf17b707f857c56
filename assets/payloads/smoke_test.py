"""Imports the modules named on the command line; one JSON line for each, as soon as it is known. Standard library only."""

import importlib
import json
import sys
import time


def main() -> int:
    for name in sys.argv[1:]:
        began = time.perf_counter()
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            import traceback

            traceback.print_exc()
            print(json.dumps({"module": name, "error": f"{type(error).__name__}: {error}"[:500]}), flush=True)
            return 1
        answer = {
            "module": name,
            "version": str(getattr(module, "__version__", "")),
            "file": str(getattr(module, "__file__", "")),
            "seconds": f"{time.perf_counter() - began:.2f}",
        }
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
