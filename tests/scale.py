"""How much of a long test is done: a tenth by every run, all of it with `TEST_SCALE=1 make test-long`."""

from __future__ import annotations

import os

SCALE = float(os.environ.get("TEST_SCALE", "0.1"))


def scaled(number: int, least: int = 1) -> int:
    """Return so much of the number, but not less than `least`."""
    return max(least, round(number * SCALE))
