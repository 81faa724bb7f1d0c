"""Count searches and accesses, and write the counts together a moment later.

A search only reads, and waits for no writer.

Counts, not facts: a process that is killed loses those of the last moment (`MEMSITE_COUNT_MILLISECONDS`).

The moment is the longer, the longer writing takes: what a busy process has found lies all over the table, and writing
it twice a second took a twentieth of the processor.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from threading import Lock, Thread, main_thread
from time import monotonic, perf_counter, sleep

import structlog
from django.db import DatabaseError, OperationalError, connection

from memories.ledger.energy import energy_note
from memories.models.usage import recall_note
from memsite.config.conf import get_conf
from memsite.db.transactions import Statement, count, execute_all
from memsite.ops.storage_errors import why_unwritable
from memsite.tenancy.models import App
from memsite.tenancy.row_level_security import confined

TOUCH = """
UPDATE memories_memory SET access_count = access_count + %s, accessed_at = %s WHERE app_id = %s AND id IN ({})
"""
TOUCHED_AT_ONCE = 500
"""Memories in a statement: SQLite takes some thousand parameters."""
MOST_OF_TIME, LONGEST_MOMENT = 0.01, 5.0
"""Writing takes no more of the time than this share, unless the moment would be longer than so many seconds."""
LAST_SECONDS, LAST_PAUSE = 2.0, 0.05
"""A process that ends tries for so long, where others write: they are waited for by whoever stops it."""
log = structlog.get_logger("memories.retrieve")


@dataclass(slots=True)
class AccessCounts:
    """Hold what searches in one app have to add to the counts in the database.

    `touched` has how often a memory was found and when last; `searches`, by day, mode and tier, how many there were,
    how many found something and the seconds they took.
    """

    app: App
    touched: dict[int, tuple[int, datetime]] = field(default_factory=dict)
    searches: dict[tuple[date, str, str], tuple[int, int, float]] = field(default_factory=dict)

    def add(self, other: AccessCounts) -> None:
        for pk, (times, moment) in other.touched.items():
            before, last = self.touched.get(pk, (0, moment))
            self.touched[pk] = before + times, max(last, moment)
        for kind, (searches, hits, seconds) in other.searches.items():
            so_far = self.searches.get(kind, (0, 0, 0.0))
            self.searches[kind] = so_far[0] + searches, so_far[1] + hits, so_far[2] + seconds

    def statements(self) -> Iterator[Statement]:
        alike = defaultdict[tuple[int, datetime], list[int]](list)
        # In order of their numbers: so two processes that write at once rarely wait for each other.
        for pk, touch in sorted(self.touched.items()):
            alike[touch].append(pk)
        for (times, moment), pks in alike.items():
            accessed_at = connection.ops.adapt_datetimefield_value(moment)
            for start in range(0, len(pks), TOUCHED_AT_ONCE):
                some = pks[start : start + TOUCHED_AT_ONCE]
                yield TOUCH.format(", ".join(["%s"] * len(some))), [times, accessed_at, self.app.pk, *some]
        by_day = defaultdict[date, int](int)
        for (day, mode, tier), (searches, hits, seconds) in self.searches.items():
            by_day[day] += searches
            yield recall_note(self.app, day, mode, tier, searches, hits, seconds)
        for day, searches in by_day.items():
            yield energy_note(self.app, "search", day, searches)


class DelayedThread(Thread):
    """Run work after so many seconds, or when the process is about to end, which waits for it."""

    def __init__(self, seconds: float, work: Callable[[], None]) -> None:
        # The web server's threads are daemons, and so is what they start.
        super().__init__(name="counts", daemon=False)
        self.seconds, self.work = seconds, work

    def run(self) -> None:
        main_thread().join(self.seconds)
        self.work()


class AccessCounters:
    """Hold what this process has not written yet, by app. Any thread may add."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop all counts: another process, of which this one is a copy, has them."""
        self.lock = Lock()
        self.unwritten: dict[int, AccessCounts] = {}
        self.is_due = False
        # What was written the last time took so many seconds.
        self.took = 0.0
        # Of a database that takes nothing; said once, and not each half a second until it does.
        self.is_told = False

    def add(self, counts: AccessCounts) -> None:
        self.keep(counts)
        if get_conf().count_milliseconds:
            self.write_soon()
        else:
            self.write()

    def keep(self, counts: AccessCounts) -> None:
        with self.lock:
            self.unwritten.setdefault(counts.app.pk, AccessCounts(counts.app)).add(counts)

    def write_soon(self) -> None:
        with self.lock:
            is_due, self.is_due = self.is_due, True
        if is_due:
            return
        try:
            seconds = max(get_conf().count_milliseconds / 1_000, min(self.took / MOST_OF_TIME, LONGEST_MOMENT))
            DelayedThread(seconds, self.write_apart).start()
        except RuntimeError as error:
            # No thread is to be had. That is no reason to refuse a search: the next one tries again.
            self.is_due = False
            log.warning("not_counted", error=str(error))

    def write_apart(self) -> None:
        """Write in a thread of its own; retry a moment later what cannot be written yet."""
        with self.lock:
            self.is_due = False
        started = perf_counter()
        try:
            self.write()
        finally:
            connection.close()
            self.took = perf_counter() - started
        if self.unwritten:
            self.write_soon() if main_thread().is_alive() else self.write_at_last()

    def write_at_last(self) -> None:
        """Write before the process ends.

        What is not written within `LAST_SECONDS` is lost, as is what an unavailable or read-only database has
        just refused.
        """
        until = monotonic() + LAST_SECONDS
        try:
            while self.unwritten and not self.is_told and monotonic() < until:
                sleep(LAST_PAUSE)
                self.write()
        finally:
            connection.close()

    def write(self) -> None:
        """Write all counts, in a transaction for each app."""
        with self.lock:
            pks = list(self.unwritten)
        for pk in pks:
            with self.lock:
                counts = self.unwritten.pop(pk, None)
            if counts:
                with confined(pk):
                    # Kept while the database is locked, away or read-only; what has no place any more is dropped.
                    try:
                        is_written = count(partial(execute_all, list(counts.statements())))
                    except DatabaseError as error:
                        if connection.in_atomic_block:
                            raise
                        is_written = not (isinstance(error, OperationalError) or why_unwritable(error))
                        if is_written or not self.is_told:
                            event = "counts_lost" if is_written else "not_counted"
                            log.warning(event, app=counts.app.app_id, error=str(error))
                        self.is_told = not is_written
                    else:
                        self.is_told = False
                    if not is_written:
                        self.keep(counts)


counters = AccessCounters()
os.register_at_fork(after_in_child=counters.forget)
