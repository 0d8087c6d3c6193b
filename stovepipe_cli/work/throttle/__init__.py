"""Throttles: reasons to pause before a batch, each with its value, limit, source and since when.

The first reason that is met wins, and any one suffices. What cannot be measured pauses as well, for a blind throttle
guards nothing. Waiting is bounded, holds no transaction open, and ends at once when the work is to stop.
"""

from stovepipe_cli.work.throttle.gauges import Gauge, HoldGauge, LagGauge, LoadGauge, PauseFileGauge
from stovepipe_cli.work.throttle.pace import Pace
from stovepipe_cli.work.throttle.pause import Pause
from stovepipe_cli.work.throttle.throttle import Throttle, ThrottledTooLong, no_throttle

__all__ = [
    "Gauge",
    "HoldGauge",
    "LagGauge",
    "LoadGauge",
    "Pace",
    "Pause",
    "PauseFileGauge",
    "Throttle",
    "ThrottledTooLong",
    "no_throttle",
]
