"""A step that cannot go on before Windows has restarted."""


class RestartNeeded(Exception):
    """Raised by a step: the run stays unfinished, is continued after the restart, and begins again with this step."""
