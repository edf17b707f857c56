"""Starts programs for real, with the behaviour of the door: streamed lines, cancel by killing, an overlay environment."""

import os
import subprocess
import threading

from app.host.protocol import OutputLine
from app.model.problem import Cancelled, Problem
from app.model.text import Text


class SmallHost:
    family = "linux"

    def execute(self, argv, on_line, cancel, *, cwd=None, environment=None, timeout_s=None, encoding="utf-8"):
        try:
            process = subprocess.Popen(
                list(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, env={**os.environ, **(environment or {})}
            )
        except OSError as error:
            raise Problem(Text("host.cannot-start", {"program": argv[0], "reason": str(error)})) from error
        take_back = cancel.on_cancel(process.kill)

        def read(stream, name):
            for line in stream:
                on_line(OutputLine(line.decode(encoding, "replace").rstrip("\r\n"), name))

        with process:
            reader = threading.Thread(target=read, args=(process.stderr, "stderr"))
            reader.start()
            read(process.stdout, "stdout")
            reader.join()
            code = process.wait()
        take_back()
        if cancel.is_set:
            raise Cancelled
        return code
