"""That what came from one source was to be taken back, by whom and why, and how far that is."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils import timezone

from memsite.db.expressions import Literal
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet


class RollbackWhat(models.TextChoices):
    SESSION = "session", "a session, by its id"
    RESOURCE = "resource", "a text, by its id"
    AGENT = "agent", "an agent, by its name"
    ORIGIN = "origin", "whose words they are: web, tool …"
    IMPORT = "import", "a file of another system that was taken in, by its id"
    BRIDGE = "bridge", "a chat's bridge, by its name"


class RollbackStatus(models.TextChoices):
    OPEN = "open", "open: being taken back"
    DONE = "done"


class RollbackQuerySet(ScopedQuerySet["Rollback"]):
    def open(self) -> Self:
        return self.filter(status=Literal(RollbackStatus.OPEN))


class Rollback(Scoped, Identified):
    """`looked_to` is the last revision that was looked at for what the source did to other memories."""

    what = models.CharField(max_length=10, choices=RollbackWhat)
    source = models.CharField(max_length=200)
    since = models.DateTimeField(null=True, blank=True, help_text="Only what was stored from then on.")
    reason = models.CharField(max_length=400, blank=True, default="")
    asked_by = models.CharField(max_length=200)
    asked_at = models.DateTimeField(default=timezone.now, editable=False)
    status = models.CharField(max_length=8, choices=RollbackStatus, default=RollbackStatus.OPEN)
    counts = models.JSONField(default=dict)
    looked_to = models.PositiveBigIntegerField(default=0, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = RollbackQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [models.Index(fields=["app"], condition=models.Q(status="open"), name="rollback_open")]
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="rollback_uid_is_unique_in_app")]

    def __str__(self) -> str:
        return f"{self.what} {self.source}: {self.status}"
