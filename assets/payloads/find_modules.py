"""Says where the modules named on the command line would come from, as one JSON line. Imports none of them. Standard library only."""

import importlib.util
import json
import site
import sys


def place_of(name):
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.origin and spec.origin not in ("built-in", "frozen", "namespace"):
        return spec.origin
    return next(iter(spec.submodule_search_locations or ()), None)


def main():
    # Not the folder of this file: the person's own programs lie elsewhere.
    del sys.path[0]
    user_site = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    print(json.dumps({"modules": {name: place_of(name) for name in sys.argv[1:]}, "user_site": user_site}), flush=True)


if __name__ == "__main__":
    main()
