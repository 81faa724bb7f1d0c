"""One clock for all hosts of a site: the database's.

What one host writes another one judges: leases, when work is due, codes and tokens that run out, who came first. So a
process whose clock differs from the database's goes by that one, as far as it can be known: each new connection asks
for it. A difference of less than two seconds is left alone.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import structlog
from django.utils import timezone

log = structlog.get_logger("memsite.db.clock")
NOTED_SECONDS = 2.0
NONE = (timedelta(0), 0.0)
_ahead = NONE
"""How far the database is ahead of us, and by how much our clock was ahead of the monotonic one when that was seen."""


def follow() -> None:
    """Let `timezone.now` go by the database's clock. Call it before models are imported, whose defaults it is."""
    timezone.now = now


def now() -> datetime:
    moment = datetime.now(UTC)
    ahead, since_boot = _ahead
    # Once our clock was set, nothing is known of it until the next connection.
    if ahead and abs(time.time() - time.monotonic() - since_boot) < NOTED_SECONDS:
        return moment + ahead
    return moment


def note(theirs: float, sent: float, answered: float) -> None:
    """Note what the database's clock says (Unix seconds), which was sent for and answered at these times of ours."""
    global _ahead
    seconds = theirs - (sent + answered) / 2
    is_apart = abs(seconds) > NOTED_SECONDS + (answered - sent) / 2
    if is_apart and abs(seconds - _ahead[0].total_seconds()) > NOTED_SECONDS:
        log.warning("clock_differs", seconds=round(seconds, 1))
    _ahead = (timedelta(seconds=seconds), answered - time.monotonic()) if is_apart else NONE
