"""Who does it, once: a row per job, app and period, claimed by one worker at a time.

`fire` may be called by anybody, any number of times: beat, a heartbeat, the start of a session, a button, a command.
The unique row makes it one run. `claim` gives the run to one worker until its lease runs out; the token of the claim
is asked for in every transaction of the work, so that a worker thought dead undoes its own batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta, tzinfo
from functools import cache, partial
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from memsite.db.transactions import BUSY, is_busy
from memsite.jobs.models import JobRun, JobRunQuerySet, JobSchedule, RunStatus
from memsite.jobs.schedule import Schedule
from memsite.ops.storage_errors import TOLD, why_unwritable
from memsite.tenancy.models import App

log = structlog.get_logger("memsite.jobs")
LEASE = timedelta(minutes=5)
SET_BACK = timedelta(days=1)
"""What was due later than that from now is of a clock that was wrong: it holds nothing up."""
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
UNWRITABLE_WAIT = timedelta(minutes=10)
MOST_ATTEMPTS = 5
SLICE_SECONDS = 600.0
"""After so long a run lets others have the worker, and is continued when it is its turn again."""
KILLED = "each worker that ran this was killed"


class ClaimLost(Exception):
    """Somebody else has taken the run over; the batch is undone."""


class Stopped(Exception):
    """An operator asked for it. What was done so far is committed."""


class TimeUp(Exception):
    """It has gone on for a slice of time. What was done so far is committed."""


def zone_of(app: App | None) -> tzinfo:
    zone: tzinfo = app.policy.time_zone if app else ZoneInfo(settings.TIME_ZONE)
    return zone


# --- firing


def fire(
    job: str, app: App | None, schedule: Schedule, now: datetime, by: str, *, by_hand: bool = False
) -> JobRun | None:
    """Fire the last period that is due; return the run if it is new, None when it was fired before.

    One run for all periods that were missed. Unless by hand, nothing is due from before the app was there.
    """
    period = schedule.latest(now, zone_of(app))
    if app and period.until <= app.created_at and not by_hand:
        return None
    runs = JobRun.objects.of(job, app).order_by()
    # A later one, too: a clock that was set back brings nothing up again. Not by OR: SQLite would read all of them.
    if runs.filter(until__range=(period.until, now + SET_BACK)).union(runs.filter(period=period.key)).exists():
        return None
    try:
        with transaction.atomic():
            return JobRun.objects.create(
                app=app, job=job, period=period.key, until=period.until, fired_by=by[:120], next_at=now, created_at=now
            )
    except IntegrityError:
        return None


def fire_all(
    job: str, apps: Iterable[App], schedule: Schedule, now: datetime, by: str, *, by_hand: bool = False
) -> list[JobRun]:
    """Fire a job for some hundred apps in one transaction; return the new runs. One query if none is."""
    latest = cache(partial(schedule.latest, now))
    periods = {app: latest(zone_of(app)) for app in apps}
    due = {app: period for app, period in periods.items() if period.until > app.created_at or by_hand}
    if not due:
        return []
    since = min(period.until for period in due.values())
    # By its app each, as the index has it: of all apps at once, SQLite would read all that the job has ever done.
    runs = JobRun.objects.filter(job=job, app__in=[app.pk for app in due]).order_by("until")
    fired = dict(runs.filter(until__range=(since, now + SET_BACK)).values_list("app_id", "until"))
    due = {app: period for app, period in due.items() if app.pk not in fired or fired[app.pk] < period.until}
    done = set(runs.filter(period__in={period.key for period in due.values()}).values_list("app_id", "period"))
    new = [
        JobRun(app=app, job=job, period=period.key, until=period.until, fired_by=by[:120], next_at=now, created_at=now)
        for app, period in due.items()
        if (app.pk, period.key) not in done
    ]
    if not new:
        return []
    with transaction.atomic():
        # Who else fires at this moment has written some of them: theirs stay, and ours are passed over.
        JobRun.objects.bulk_create(new, ignore_conflicts=True)
        return list(JobRun.objects.filter(uid__in=[run.uid for run in new]))


def schedule_of(job: str, default: Schedule) -> Schedule:
    """Return the schedule as operators have set it, or as it would be if it were not switched off."""
    row = JobSchedule.objects.filter(job=job).first()
    return row.schedule if row else default


def schedules(defaults: Mapping[str, Schedule]) -> dict[str, Schedule]:
    """Return the schedule of each job, as operators have set it; without those that are switched off. One query."""
    rows = {row.job: row for row in JobSchedule.objects.filter(job__in=defaults)}
    return {
        job: rows[job].schedule if job in rows else schedule
        for job, schedule in defaults.items()
        if job not in rows or rows[job].enabled
    }


def note_defaults(defaults: Mapping[str, Schedule]) -> None:
    """Add a row for each job that has none, so that operators may change it. One query if none is missing."""
    known = set(JobSchedule.objects.values_list("job", flat=True))
    missing = [JobSchedule.of(job, schedule) for job, schedule in defaults.items() if job not in known]
    if missing:
        JobSchedule.objects.bulk_create(missing, ignore_conflicts=True)


# --- claiming


class Claim:
    """A run that is ours until the lease runs out."""

    def __init__(self, row: JobRun, slice_seconds: float) -> None:
        self.row, self.since, self.until = row, row.since, row.until
        self.cursor: dict[str, Any] = dict(row.cursor)
        self.counts: dict[str, int] = dict(row.counts)
        self.ends_at = monotonic() + slice_seconds

    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        for name, count in counts.items():
            self.counts[name] = self.counts.get(name, 0) + count
        self.cursor.update(cursor)
        self.update(counts=self.counts, cursor=self.cursor, lease_until=timezone.now() + LEASE)
        # After the commit, so that no work is undone for it.
        transaction.on_commit(self.end_early)

    def end_early(self) -> None:
        if JobRun.objects.filter(pk=self.row.pk, stop_asked=True).exists():
            raise Stopped
        if monotonic() >= self.ends_at:
            raise TimeUp

    def update(self, **fields: Any) -> None:
        if not ours(self.row).update(**fields):
            raise ClaimLost

    @contextmanager
    def timed(self) -> Iterator[None]:
        begun = monotonic()
        try:
            yield
        finally:
            ours(self.row, any_status=True).update(seconds=F("seconds") + monotonic() - begun)


def ours(row: JobRun, *, any_status: bool = False) -> JobRunQuerySet:
    rows = JobRun.objects.filter(pk=row.pk, token=row.token)
    return rows if any_status else rows.filter(status=RunStatus.RUNNING)


def claim(job: str, app: App | None, now: datetime, slice_seconds: float = SLICE_SECONDS) -> Claim | None:
    """Return the run to be worked on now: one that was begun, or else the latest, which covers those before it.

    None if there is none, if another one of the job is under way for the app, or if it is not yet time to try again.
    """
    with transaction.atomic():
        rows = list(JobRun.objects.open().of(job, app).select_for_update().order_by("until"))
        chosen = choose(rows, now)
        if chosen is None:
            return None
        before = [row.pk for row in rows if row.until < chosen.until and row.started_at is None]
        JobRun.objects.filter(pk__in=before).update(
            status=RunStatus.COVERED, finished_at=now, reason=f"covered by {chosen.period}"
        )
        chosen.status, chosen.token, chosen.attempts = RunStatus.RUNNING, chosen.token + 1, chosen.attempts + 1
        chosen.lease_until, chosen.started_at = now + LEASE, chosen.started_at or now
        runs = JobRun.objects.of(chosen.job, chosen.app).filter(until__lt=chosen.until, started_at__isnull=False)
        chosen.since = runs.order_by("-until").values_list("until", flat=True).first()
        chosen.stop_asked, chosen.reason = False, ""
        chosen.save()
    return Claim(chosen, slice_seconds)


def choose(rows: list[JobRun], now: datetime) -> JobRun | None:
    """Claim one job's oldest open run. Gives those up whose workers were killed again and again."""
    for row in rows:
        if row.status == RunStatus.RUNNING:
            if row.lease_until and row.lease_until > now:
                return None
            if row.attempts >= MOST_ATTEMPTS:
                row.status, row.finished_at, row.lease_until, row.reason = RunStatus.DEAD, now, None, KILLED
                row.save()
                continue
            return row
        if row.started_at is not None:
            return row if row.next_at <= now else None
    fresh = [row for row in rows if row.status in (RunStatus.PENDING, RunStatus.FAILED)]
    return fresh[-1] if fresh and fresh[-1].next_at <= now else None


# --- ending


def finish(claimed: Claim, now: datetime) -> None:
    claimed.update(status=RunStatus.DONE, finished_at=now, lease_until=None, reason="")


def pause(claimed: Claim, now: datetime) -> None:
    """Leave the run to be continued; it was not its fault, so it counts as no attempt."""
    claimed.update(status=RunStatus.PENDING, lease_until=None, next_at=now, attempts=F("attempts") - 1)


def stop(claimed: Claim, now: datetime) -> None:
    claimed.update(status=RunStatus.STOPPED, lease_until=None, stop_asked=False, finished_at=now)


def fail(claimed: Claim, error: Exception, now: datetime) -> None:
    """Leave the run to be tried again, later each time; given up after so many attempts.

    A full disk is waited for, however long, and so is a database that is busy.
    """
    attempts = claimed.row.attempts
    if why_unwritable(error):
        claimed.update(
            status=RunStatus.FAILED,
            lease_until=None,
            next_at=now + UNWRITABLE_WAIT,
            attempts=F("attempts") - 1,
            reason=describe_error(error)[:500],
        )
        return
    is_over = attempts >= MOST_ATTEMPTS and not is_busy(error)
    claimed.update(
        status=RunStatus.DEAD if is_over else RunStatus.FAILED,
        lease_until=None,
        next_at=now + min(LONGEST_WAIT, FIRST_WAIT * (1 << min(attempts - 1, 10))),
        finished_at=now if is_over else None,
        reason=describe_error(error)[:500],
    )


def describe_error(error: Exception) -> str:
    """Return what an operator reads. Only our own errors may speak: others may quote what was said."""
    if type(error).__module__.startswith(("memories.", "memsite.")):
        return str(error) or type(error).__name__
    if why := why_unwritable(error):
        return TOLD[why]
    return BUSY if is_busy(error) else f"unexpected {type(error).__name__}"


# --- by hand


def retry(run: JobRun, now: datetime) -> bool:
    """Retry by hand: due at once, with all its attempts, from where it was. False if done or under way."""
    ended = JobRun.objects.filter(
        pk=run.pk, status__in=(RunStatus.FAILED, RunStatus.DEAD, RunStatus.STOPPED, RunStatus.PENDING)
    )
    return bool(ended.update(status=RunStatus.PENDING, attempts=0, next_at=now, finished_at=None, stop_asked=False))


def ask_to_stop(run: JobRun, now: datetime) -> bool:
    """Stop by hand: at once if nobody is at it, else after the batch under way. False if it has ended."""
    waiting = JobRun.objects.filter(pk=run.pk, status__in=(RunStatus.PENDING, RunStatus.FAILED))
    if waiting.update(status=RunStatus.STOPPED, finished_at=now):
        return True
    return bool(JobRun.objects.filter(pk=run.pk, status=RunStatus.RUNNING).update(stop_asked=True))
