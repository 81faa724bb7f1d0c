"""Celery's beat, with its schedule in the database, on machines whose clock was wrong."""

from datetime import datetime

from celery.schedules import schedstate
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry


class Entry(ModelEntry):  # type: ignore[misc]  # untyped
    last_run_at: datetime

    def is_due(self) -> schedstate:
        # Last run at a time that is yet to come: the clock was ahead. Nothing waits until it is there again.
        self.last_run_at = min(self.last_run_at, self._default_now())
        state: schedstate = super().is_due()
        return state


class Beat(DatabaseScheduler):  # type: ignore[misc]  # untyped
    Entry = Entry
