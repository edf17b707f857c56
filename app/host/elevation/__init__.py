"""The few small steps that need administrator rights: a fixed list of typed operations, asked for and performed.

The wizard itself never runs elevated. It writes a request, starts its own program once with the verb `runas`, and reads
the exit code; the elevated side accepts one operation of the list and writes no file that the request could name.
"""

from app.host.elevation.ask import ask_elevated
from app.host.elevation.operations import (
    EnableLongPaths,
    EnableWslFeatures,
    InstallSigned,
    InstallWslPackage,
    Operation,
    Request,
    StartHypervisorAtBoot,
    load_request,
)
from app.host.elevation.perform import ElevatedResult, perform_request

__all__ = [
    "ElevatedResult",
    "EnableLongPaths",
    "EnableWslFeatures",
    "InstallSigned",
    "InstallWslPackage",
    "Operation",
    "Request",
    "StartHypervisorAtBoot",
    "ask_elevated",
    "load_request",
    "perform_request",
]
