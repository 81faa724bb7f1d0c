"""Celery's beat, with its schedule in the database, which may be away, on machines whose clock was wrong."""

from datetime import datetime
from typing import Any

import structlog
from celery.schedules import schedstate
from django.db import DatabaseError, InterfaceError
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

log = structlog.get_logger("memsite.jobs.beat")


class Entry(ModelEntry):  # type: ignore[misc]  # untyped
    last_run_at: datetime

    def is_due(self) -> schedstate:
        # Last run at a time that is yet to come: the clock was ahead. Nothing waits until it is there again.
        self.last_run_at = min(self.last_run_at, self._default_now())
        state: schedstate = super().is_due()
        return state


class Beat(DatabaseScheduler):  # type: ignore[misc]  # untyped
    Entry = Entry

    def all_as_schedule(self) -> dict[str, Any]:
        """Return the schedule as read last while the database is away.

        It is read every five minutes, and what goes wrong there would end the beat.
        """
        try:
            schedule: dict[str, Any] = super().all_as_schedule()
        except (DatabaseError, InterfaceError) as error:
            if self._schedule is None:
                raise
            log.warning("schedule_unreadable", error=str(error))
            return dict(self._schedule)
        return schedule
