"""Machines of every kind, each with the plan that an expert would make for it.

Each row says in one line what is special. What it does not name is the plain PC of `tests.planning.build`: RTX 4090, a current driver,
a venv of Python 3.12 with torch 2.10.0+cu128.
"""

from tests.planning.variants.cards import CARDS, DRIVERS
from tests.planning.variants.packages import LEFTOVERS
from tests.planning.variants.pythons import ASKED, PYTHONS, TORCHES
from tests.planning.variants.routes import ROUTES
from tests.planning.variants.systems import APPS, FOLDERS, SYSTEMS

ROWS = (*CARDS, *DRIVERS, *PYTHONS, *ASKED, *TORCHES, *LEFTOVERS, *SYSTEMS, *FOLDERS, *APPS, *ROUTES)
