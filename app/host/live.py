"""This machine: real readings and real changes."""

from app.host.live_changes import LiveChanges
from app.host.live_readings import LiveReadings


class LiveHost(LiveReadings, LiveChanges):
    """The whole door, open."""
