"""An app's health as it was on a day."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memsite.tenancy.scoping import Scoped, ScopedQuerySet


class HealthReport(Scoped):
    """`content` is what `memories.maintain.health` found; `period` the month's run that wrote it down."""

    period = models.CharField(max_length=32)
    content = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["HealthReport"].as_manager()

    class Meta:
        ordering = ["-period"]
        constraints = [models.UniqueConstraint(fields=["app", "period"], name="health_report_is_unique")]

    def __str__(self) -> str:
        return f"health on {self.period}"
