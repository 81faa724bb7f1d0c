"""How memories of one app stand to each other."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memories.models.memory import Memory
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet


class LinkKind(models.TextChoices):
    RELATED = "related"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    ELABORATES = "elaborates"
    DERIVED = "derived", "derived from"


SAYABLE = tuple(kind for kind in LinkKind if kind != LinkKind.DERIVED)
"""What anybody may say of two memories; what was derived from what, the server knows."""


class Link(Scoped, Identified):
    """`from_memory` KIND `to_memory`. The database keeps both ends in the link's app."""

    from_memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="links_out", db_index=False)
    to_memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="links_in")
    kind = models.CharField(max_length=12, choices=LinkKind)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Link"].as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="link_uid_is_unique_in_app"),
            models.UniqueConstraint(fields=["from_memory", "to_memory", "kind"], name="link_is_unique"),
            models.CheckConstraint(condition=~Q(from_memory=F("to_memory")), name="link_joins_two_memories"),
        ]
        indexes = [
            # Whether an app has any.
            models.Index(fields=["app"], condition=Q(kind="contradicts"), name="link_contradicts"),
        ]

    def __str__(self) -> str:
        return f"{self.from_memory_id} {self.kind} {self.to_memory_id}"
