"""Run upkeep without a pause until the process is ended.

Prints a line when it begins, and how many rounds there were.

What runs once a night, a week and a month runs over and over here. The files are swept at the pace of a real site: a
database that is rewritten all the time lets nobody write. Arguments: the app; name and password of a superuser, who is
made first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from threading import Event, Thread

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402  # Django first
from django.db import OperationalError  # noqa: E402
from django.utils import timezone  # noqa: E402

from memories.jobs import JOBS  # noqa: E402
from memories.store.vacuum import sweep  # noqa: E402
from memories.tasks import upkeeper  # noqa: E402
from memsite.db.transactions import is_busy  # noqa: E402
from memsite.jobs.job import Unclaimed  # noqa: E402
from memsite.tenancy.models import App  # noqa: E402
from memsite.tenancy.purge_residue import note_residue  # noqa: E402

NAMES = ("nightly", "decay", "weekly", "summaries", "embedding", "monthly")


def compact(app: App, is_over: Callable[[], bool]) -> int:
    """One round at least, and always a whole one."""
    rounds = 0
    while not (rounds and is_over()):
        for name in NAMES:
            do(partial(work_on, name, app))
        do(partial(note_residue, app.pk))
        sweep(timezone.now())
        rounds += 1
    return rounds


def work_on(name: str, app: App) -> None:
    JOBS[name].work(upkeeper(app), Unclaimed(until=timezone.now()))


def do(work: Callable[[], object]) -> None:
    """Do one round. What waited in vain to write is for the next round, as it is for a worker's next try."""
    try:
        work()
    except OperationalError as error:
        if not is_busy(error):
            raise


def main(app_id: str, login: str, password: str) -> None:
    over = Event()

    def wait() -> None:
        sys.stdin.read()
        over.set()

    Thread(target=wait, daemon=True).start()
    User.objects.create_superuser(login, password=password)
    app = App.objects.select_related("policy").get(app_id=app_id)
    print("ready", flush=True)
    print(compact(app, over.is_set))


if __name__ == "__main__":
    main(*sys.argv[1:])
