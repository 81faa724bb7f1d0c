"""Exactly N writes per agent and minute, however many processes ask at once."""

import time
from dataclasses import dataclass

from django.db import connection, transaction

from memsite.tenancy.models import Agent

WINDOW_SECONDS = 60

# One statement decides and counts: a new minute starts at zero, and a full one changes no row.
TAKE = """
INSERT INTO tenancy_writerate (agent_id, "window", written) VALUES (%(agent)s, %(window)s, %(count)s)
ON CONFLICT (agent_id) DO UPDATE SET
    written = CASE WHEN tenancy_writerate."window" = excluded."window" THEN tenancy_writerate.written ELSE 0 END
              + excluded.written,
    "window" = excluded."window"
WHERE CASE WHEN tenancy_writerate."window" = excluded."window" THEN tenancy_writerate.written ELSE 0 END
      + excluded.written <= %(limit)s
RETURNING written
"""


@dataclass(frozen=True, slots=True)
class RateExceeded(Exception):
    retry_after_seconds: float


def take_writes(agent: Agent, count: int, limit: int) -> None:
    """Counts `count` writes, or raises RateExceeded with the seconds until the next minute and counts none."""
    seconds = time.time()
    window = int(seconds // WINDOW_SECONDS)
    if count > limit or not _take(agent.pk, count, limit, window):
        raise RateExceeded((window + 1) * WINDOW_SECONDS - seconds)


def _take(agent_id: int, count: int, limit: int, window: int) -> bool:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(TAKE, {"agent": agent_id, "window": window, "count": count, "limit": limit})
        return cursor.fetchone() is not None
