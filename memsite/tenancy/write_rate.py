"""How fast an agent may write: never more memories than its app's policy allows within any minute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from django.db import connection
from django.utils import timezone
from rest_framework.exceptions import Throttled

from memsite.db.prepared import fetch_all
from memsite.tenancy.models import Agent, App, WriteRate

WINDOW_MS = 60_000
SLOTS = 61
"""Of an agent: one for each second of the window and the one that has begun. A row serves a second every 61 seconds."""

Counted = tuple[int, int]
"""When the last writes of a second were made, in Unix milliseconds, and how many were made in it."""

WITHIN = f"agent_id = %s AND ABS(last_ms - %s) < {WINDOW_MS}"  # a clock that is set back frees nobody for long
RECENT = f"SELECT last_ms, written FROM tenancy_writeslot WHERE {WITHIN} ORDER BY last_ms"  # noqa: S608  # our own
# One statement decides and counts: what would be too many changes no row. Call it with the app's row locked.
TAKE = f"""
INSERT INTO tenancy_writeslot AS rate (agent_id, slot, last_ms, written)
SELECT %s, %s, %s, %s WHERE %s + (SELECT COALESCE(SUM(written), 0) FROM tenancy_writeslot WHERE {WITHIN}) <= %s
ON CONFLICT (agent_id, slot) DO UPDATE SET
    last_ms = excluded.last_ms, written = excluded.written
    + CASE WHEN ABS(rate.last_ms - excluded.last_ms) < {WINDOW_MS} THEN rate.written ELSE 0 END
RETURNING written
"""  # noqa: S608


def now_ms() -> int:
    return round(timezone.now().timestamp() * 1_000)


def check_writes(agent: Agent, count: int, limit: int) -> None:
    """Raise Throttled if so many writes would be too many now. One query; nothing is counted."""
    now = now_ms()
    if wait := seconds_to_wait(fetch_all(RECENT, [agent.pk, now], is_planned=True), count, limit, now):
        raise Throttled(wait)


def take_writes(agent: Agent, count: int, limit: int) -> None:
    """Count the writes in the transaction that stores them; raise Throttled, and count none, if they are too many."""
    now = now_ms()
    slot = now // 1_000 % SLOTS
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [agent.pk, slot, now, count, count, agent.pk, now, limit])
        is_taken = cursor.fetchone() is not None
    if not is_taken:
        raise Throttled(seconds_to_wait(fetch_all(RECENT, [agent.pk, now]), count, limit, now))


def seconds_to_wait(recent: Iterable[Counted], count: int, limit: int, now: int) -> float:
    """Return how long until so many writes are allowed; `recent` are those of the last minute, the oldest first."""
    rows = list(recent)
    surplus = sum(written for _, written in rows) + count - limit
    for last_ms, written in rows if surplus > 0 else ():
        surplus -= written
        if surplus <= 0:
            return (last_ms + WINDOW_MS - now) / 1_000
    return 0


def agents_at_limit(app: App) -> Iterator[tuple[str, int, float]]:
    """Yield (name, memories written within a minute, seconds to wait) of the agents that may not write now. One query.

    `app` has its policy.
    """
    now, limit = now_ms(), app.policy.writes_per_minute
    recent = WriteRate.objects.filter(agent__app=app, last_ms__gt=now - WINDOW_MS).order_by("agent__name", "last_ms")
    for name, rows in groupby(recent.values_list("agent__name", "last_ms", "written"), key=itemgetter(0)):
        counted = [(last_ms, written) for _, last_ms, written in rows]
        if wait := seconds_to_wait(counted, 1, limit, now):
            yield name, sum(written for _, written in counted), wait
