"""That a memory is gone: its number, nothing of what it said."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memsite.tenancy.models import Agent
from memsite.tenancy.scoping import Scoped, ScopedQuerySet, where_given


class Forgotten(Scoped):
    """Tells every process that holds the app's memories in its own memory to drop this one."""

    memory_id = models.BigIntegerField()
    memory_uid = models.UUIDField(null=True)
    agent = models.ForeignKey(
        Agent,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="Who alone could see it; empty: everyone.",
    )
    change_number = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(default=timezone.now, null=True)

    objects = ScopedQuerySet["Forgotten"].as_manager()

    class Meta:
        verbose_name_plural = "forgotten"
        indexes = [
            models.Index(fields=["app", "change_number"], name="forgotten_changes"),
            where_given("forgotten_agent", "agent"),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id}"
