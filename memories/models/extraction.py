"""What is still to be learnt from what was said: durable, claimed with a lease, retried, visible."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet
from sessions.models import AgentSession, Resource


class What(models.TextChoices):
    FACTS = "facts", "the facts in one text"
    DIGEST = "digest", "one memory for a whole session"


class ExtractionStatus(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed", "failed: will be tried again"
    DEAD = "dead", "given up: retry by hand"


class ExtractionQuerySet(ScopedQuerySet["Extraction"]):
    def open(self) -> Self:
        """Not done and not given up."""
        return self.exclude(status__in=(ExtractionStatus.DONE, ExtractionStatus.DEAD))

    def due(self, now: datetime) -> Self:
        """To be worked on now: new, to be tried again, or left behind by a worker that is gone."""
        fresh = Q(status__in=(ExtractionStatus.PENDING, ExtractionStatus.FAILED), next_at__lte=now)
        return self.filter(fresh | Q(status=ExtractionStatus.RUNNING, lease_until__lte=now))


class Extraction(Scoped, Identified):
    """One piece of work. `token` rises with every claim: a worker that was thought dead cannot write any more."""

    what = models.CharField(max_length=8, choices=What, default=What.FACTS)
    session = models.ForeignKey(AgentSession, on_delete=models.PROTECT, related_name="extractions")
    resource = models.OneToOneField(
        Resource, null=True, blank=True, on_delete=models.PROTECT, related_name="extraction"
    )
    status = models.CharField(max_length=8, choices=ExtractionStatus, default=ExtractionStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    token = models.PositiveIntegerField(default=0, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    next_at = models.DateTimeField(default=timezone.now, help_text="Not tried before this time.")
    windows_read = models.PositiveIntegerField(
        default=0, help_text="Of a text that the budget cut short: windows that are read and kept."
    )
    is_gated = models.BooleanField(
        default=False, help_text="Of a text that the budget cut short: its next window was found worth reading."
    )
    reason = models.CharField(max_length=500, blank=True, default="", help_text="Why it failed, or waits.")
    made_by = models.CharField(max_length=120, blank=True, default="")
    stored = models.PositiveIntegerField(default=0)
    reinforced = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ExtractionQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [models.Index(fields=["status", "next_at"], name="extraction_due")]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="extraction_uid_is_unique_in_app"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(what="digest"), name="extraction_digests_a_session_once"
            ),
            models.CheckConstraint(
                condition=Q(what=What.DIGEST, resource=None) | Q(what=What.FACTS, resource__isnull=False),
                name="extraction_of_facts_has_a_text",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what}: {self.status}"
