"""The terminal front: the same session as the window, in words and JSON."""
