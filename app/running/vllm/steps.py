"""The steps of a vLLM plan: keep the settings and a key, then prove a first start."""

import secrets

from app.host.secrets_store import keep_secret, read_secret
from app.model.events import LogLine
from app.model.plan import Step
from app.running.journal import now
from app.running.run import Run
from app.running.vllm.serving import HEALTH, READY_S, prove_server, serve
from app.running.vllm.settings import SECRET, dump_settings, settings_file, settings_of
from app.running.wsl.linux import wsl_program


def configure_vllm(step: Step, run: Run) -> None:
    """Writes the settings; makes a key where there is none and keeps it in the system's credential store."""
    if read_secret(SECRET) is None:
        keep_secret(SECRET, secrets.token_urlsafe(32))
        run.say(step, "made a key and kept it in the credential store")
    run.write_file(settings_file(run.places), dump_settings(settings_of(step)))


def start_vllm(step: Step, run: Run) -> None:
    """Starts the server once, asks for a completion with and without the key, and stops it again."""
    settings, key = settings_of(step), read_secret(SECRET) or ""

    def on_line(line: object) -> None:
        text = getattr(line, "text", "")
        run.send(LogLine(step.id, text.replace(key, "***") if key else text, now(), getattr(line, "stream", "stdout")))

    with serve(settings, key, run.host, on_line, wsl_program(run)) as server:
        server.wait_until_ready(settings.port, HEALTH, run.cancel, READY_S)
        text = run.answer(lambda: prove_server(settings, key))
    run.say(step, f"the server answered: {text!r}")
