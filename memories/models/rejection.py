"""What was refused and why, so that an operator can look at it."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memsite.tenancy.scoping import Scoped, ScopedQuerySet
from sessions.models import AgentSession, Resource


class Rejection(Scoped):
    """A candidate that did not become a memory."""

    session = models.ForeignKey(AgentSession, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    resource = models.ForeignKey(Resource, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    turn_number = models.PositiveIntegerField(null=True, blank=True)
    category = models.CharField(max_length=64, blank=True, default="")
    content = models.TextField(blank=True, default="")
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Rejection"].as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["app", "-id"], name="rejection_app_latest")]

    def __str__(self) -> str:
        return self.reason
