"""The job that finishes purges: what is hidden already is deleted, and the files are swept of what that leaves."""

from __future__ import annotations

import time
from datetime import datetime

from django.db.models import QuerySet

from memories.maintain.run import Run
from memories.models import Purge
from memories.store import writing
from memories.store.erase import settle, stages
from memories.store.sweep import sweep
from memsite.tenancy.models import App

ACTOR = "system:purge"
PAUSE_SECONDS = 0.05
"""SQLite asks for its lock anew after 100 ms at most: who waits comes in within some batches."""


def purge(app: App, now: datetime, run: Run) -> None:
    """Deletes what the app's open purges have hidden, batch by batch; then sweeps, if anything was deleted anywhere.

    Counts rows by kind. To be run for apps that are not active, too: see `apps_to_purge`.
    """
    while Purge.objects.for_app(app).open().exists() and not erase_hidden(app, now, run, PAUSE_SECONDS):
        pass
    sweep(now)


def erase_hidden(app: App, now: datetime, run: Run, pause_seconds: float = 0.0) -> bool:
    """Whether that was all of it: False if more was hidden meanwhile. Between batches others can write."""
    for name, delete in stages(app):
        is_over = False
        while not is_over:
            with writing(app, ACTOR, now) as write:
                count = delete(write)
                is_over = not count
                if count:
                    run.done({name: count})
            if count:
                time.sleep(pause_seconds)
    with writing(app, ACTOR, now) as write:
        return settle(write)


def apps_to_purge() -> QuerySet[App]:
    """The apps with an open purge, whatever their status. One query."""
    return App.objects.filter(pk__in=Purge.objects.open().order_by().values("app")).select_related("policy")
