"""Which card is there? Asks the driver alone, so that the answer needs neither torch nor Triton."""

import os
import platform
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import proof_device
import proof_events


def main():
    driver = proof_device.cuda_driver()
    proof_events.say("python", version=platform.python_version(), executable=sys.executable, system=platform.platform())
    proof_events.say("driver", numbers=driver)
    if driver["devices"]:
        proof_events.say("device", numbers=proof_device.describe_device())
    proof_events.finish()


if __name__ == "__main__":
    main()
