"""The values that travel down the line: frozen dataclasses, their codec and their schema versions."""
