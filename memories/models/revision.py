"""One recorded change of a memory. Append-only: from it come history, timeline, undo and `as_of`."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memories.models.memory import Memory
from memsite.tenancy.scoping import IndexedByApp, ScopedQuerySet


class Action(models.TextChoices):
    CREATED = "created"
    REINFORCED = "reinforced"
    CONTRADICTED = "contradicted"
    DECAYED = "decayed"
    EDITED = "edited"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FROZEN = "frozen", "frozen: moved to the cold archive"
    RESTORED = "restored"
    UNDONE = "undone"
    USED = "used", "used: the agent made use of it"
    IGNORED = "ignored", "ignored: shown and not used"
    PROMOTED = "promoted", "promoted: new that day"
    GATHERED = "gathered", "gathered into an insight"
    WITHDRAWN = "withdrawn", "withdrawn: its source was taken back"
    REVIEWED = "reviewed", "reviewed: a person has looked at it"


class Revision(IndexedByApp):
    """`before` and `after` hold the fields that changed, and only those; `before` is empty for a creation."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField()
    action = models.CharField(max_length=16, choices=Action)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    actor = models.CharField(max_length=200)
    reason = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Revision"].as_manager()

    class Meta:
        ordering = ["memory", "number"]
        constraints = [
            models.UniqueConstraint(fields=["memory", "number"], name="revision_number_is_unique_per_memory"),
        ]
        indexes = [models.Index(fields=["app", "-id"], name="revision_app_latest")]

    def __str__(self) -> str:
        return f"{self.action} by {self.actor}"
