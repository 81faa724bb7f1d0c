"""Upkeep as rows: one run per job, app and period, claimed with a lease; and when each job is due."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Concat
from django.db.models.lookups import In
from django.utils import timezone

from memsite.db.expressions import Literal, literals
from memsite.jobs.schedule import WEEKDAYS, Calendar, Every, Schedule
from memsite.tenancy.models import App
from memsite.tenancy.scoping import new_uid


class RunStatus(models.TextChoices):
    PENDING = "pending", "waits for a worker"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed", "failed: will be tried again"
    DEAD = "dead", "given up: retry by hand"
    STOPPED = "stopped", "stopped by hand"
    COVERED = "covered", "done by a later one"


OPEN = (RunStatus.PENDING, RunStatus.RUNNING, RunStatus.FAILED)
STUCK = (RunStatus.FAILED, RunStatus.DEAD, RunStatus.STOPPED)
"""Of these a retry is worth while."""
OVERDUE_AFTER = timedelta(minutes=5)


class JobRunQuerySet(models.QuerySet["JobRun"]):
    def of(self, job: str, app: App | None) -> Self:
        """Return the runs of one job for one app, or (None) for the whole site."""
        return self.filter(job=job, app=app) if app else self.filter(job=job, app=None)

    def for_app(self, app: App) -> Self:
        return self.filter(app=app)

    def open(self) -> Self:
        """Select what is still to be done."""
        return self.filter(status__in=literals(*OPEN))

    def given_up(self) -> Self:
        return self.filter(status=Literal(RunStatus.DEAD))

    def named(self, jobs: Iterable[str]) -> Self:
        """Return runs of these jobs. Not by an index of jobs: that leads to all that there ever was, or is, of each."""
        return self.filter(In(Concat("job", Value("")), list(jobs)))

    def claimable(self, now: datetime) -> Self:
        """Select what is to be worked on now: new, to be tried again, or left behind by a worker that is gone."""
        fresh = Q(status__in=(RunStatus.PENDING, RunStatus.FAILED), next_at__lte=now)
        return self.open().filter(fresh | Q(status=RunStatus.RUNNING, lease_until__lte=now))

    def overdue(self, now: datetime) -> Self:
        """Select what no worker took for five minutes."""
        return self.claimable(now - OVERDUE_AFTER).filter(finished_at=None)


class JobRun(models.Model):
    """One run. `token` rises with every claim: a worker that was thought dead cannot write any more."""

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    app = models.ForeignKey(
        App,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="Empty: the whole site.",
    )
    job = models.CharField(max_length=32)
    period = models.CharField(max_length=32)
    since = models.DateTimeField(null=True, blank=True, help_text="Where the run before this one ended.")
    until = models.DateTimeField(help_text="When it was due.")
    fired_by = models.CharField(max_length=120)
    status = models.CharField(max_length=8, choices=RunStatus, default=RunStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    token = models.PositiveIntegerField(default=0, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    next_at = models.DateTimeField(default=timezone.now, help_text="Not tried before this time.")
    stop_asked = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)
    cursor = models.JSONField(default=dict)
    seconds = models.FloatField(default=0, help_text="Of work, all attempts together.")
    reason = models.CharField(max_length=500, blank=True, default="", help_text="Why it failed, or waits.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobRunQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [
            models.Index(fields=["job", "app", "-until"], name="job_run_latest"),
            models.Index(fields=["app", "-uid"], name="job_run_app_latest"),
            models.Index(fields=["next_at"], condition=Q(status__in=OPEN), name="job_run_open"),
            models.Index(fields=["job", "app", "until"], condition=Q(status__in=OPEN), name="job_run_open_of"),
            models.Index(fields=["lease_until"], condition=Q(status="running"), name="job_run_under_way"),
            models.Index(fields=["job", "-finished_at"], name="job_run_finished"),
            models.Index(fields=["app"], condition=Q(status="dead"), name="job_run_given_up"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "app", "period"], condition=Q(app__isnull=False), name="job_run_once_per_app_and_period"
            ),
            models.UniqueConstraint(fields=["job", "period"], condition=Q(app=None), name="job_run_once_per_period"),
            models.UniqueConstraint(
                fields=["job", "app"],
                condition=Q(app__isnull=False, status="running"),
                name="job_run_one_at_a_time_per_app",
            ),
            models.UniqueConstraint(
                fields=["job"], condition=Q(app=None, status="running"), name="job_run_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.period}"

    @property
    def did(self) -> str:
        """Return what it has done so far, in words; empty for nothing."""
        return ", ".join(in_words(name, count) for name, count in self.counts.items() if count)

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    @property
    def is_stuck(self) -> bool:
        return self.status in STUCK


def in_words(name: str, count: int) -> str:
    """Return ("words_put_back", 1) as "1 word put back"."""
    first, *rest = name.split("_")
    return " ".join([f"{count:,}", first.removesuffix("s") if count == 1 else first, *rest])


class JobSchedule(models.Model):
    """When a job is due, as operators have set it: on the clock of each app, or every so many minutes."""

    job = models.CharField(max_length=32, unique=True, editable=False)
    enabled = models.BooleanField(default=True, help_text="Off: it runs by hand only.")
    at = models.TimeField(null=True, blank=True, help_text="Time of day where the app lives (the policy's time zone).")
    weekday = models.PositiveSmallIntegerField(
        null=True, blank=True, choices=list(enumerate(WEEKDAYS)), help_text="Weekly, on this day."
    )
    day = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(28)],
        help_text="Monthly, on this day: 1 to 28, which every month has.",
    )
    minutes = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(1440)],
        help_text="Every so many minutes, instead of at a time of day.",
    )

    class Meta:
        ordering = ["job"]

    def __str__(self) -> str:
        return f"{self.job}: {self.when if self.enabled else 'off'}"

    @property
    def when(self) -> str:
        """Describe the schedule, also of a row that clean() refuses: the admin names it above its form."""
        return str(self.schedule) if self.minutes or self.at is not None else "at no time"

    @classmethod
    def of(cls, job: str, schedule: Schedule) -> JobSchedule:
        if isinstance(schedule, Every):
            return cls(job=job, minutes=schedule.minutes)
        assert isinstance(schedule, Calendar), "there are two kinds"
        return cls(job=job, at=schedule.at, weekday=schedule.weekday, day=schedule.day)

    @property
    def schedule(self) -> Schedule:
        if self.minutes:
            return Every(self.minutes)
        assert self.at is not None, "refused by clean()"
        return Calendar(self.at, self.weekday, self.day)

    def clean(self) -> None:
        if bool(self.minutes) == (self.at is not None):
            raise ValidationError("Either a time of day, or every so many minutes.")
        if self.weekday is not None and self.day is not None:
            raise ValidationError("A day of the week or a day of the month, not both.")
        if self.minutes and (self.weekday is not None or self.day is not None):
            raise ValidationError("Every so many minutes is on every day.")
