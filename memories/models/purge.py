"""That something was to be removed for good, by whom, and how far that is: nothing of what it was."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils import timezone

from memsite.db.expressions import Literal
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet


class PurgeWhat(models.TextChoices):
    APP = "app", "everything that the app knows and was told"
    MEMORIES = "memories", "all memories of the app"
    USER = "user", "an end user"
    SESSION = "session", "a session"


class PurgeStatus(models.TextChoices):
    OPEN = "open", "open: hidden from everyone, being deleted"
    DONE = "done"


class PurgeQuerySet(ScopedQuerySet["Purge"]):
    def open(self) -> Self:
        return self.filter(status=Literal(PurgeStatus.OPEN))


class Purge(Scoped, Identified):
    """`counts` is how many rows of what it found when it was asked for; from then on nobody could see them.

    The rows say themselves that they are to go (`purged_at`); of an app in the status `purging`, all do.
    """

    what = models.CharField(max_length=10, choices=PurgeWhat)
    asked_by = models.CharField(max_length=200)
    asked_at = models.DateTimeField(default=timezone.now, editable=False)
    status = models.CharField(max_length=8, choices=PurgeStatus, default=PurgeStatus.OPEN)
    counts = models.JSONField(default=dict)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = PurgeQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [models.Index(fields=["app"], condition=models.Q(status="open"), name="purge_open")]
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="purge_uid_is_unique_in_app")]

    def __str__(self) -> str:
        return f"{self.what}, {self.asked_at:%Y-%m-%d %H:%M}: {self.status}"
