"""Recorded machines. `layout.py` lays out answers, `listed*.py` describe machines with the facts expected of them.

`python -m tests.machines` writes them to `recordings/`, one JSON file each; tests replay these files.
"""
