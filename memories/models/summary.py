"""What is known in a category, written down: one Markdown text per category, its older versions kept."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils import timezone

from memories.models.memory import Memory
from memsite.tenancy.policy import is_category
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet


class SummaryQuerySet(ScopedQuerySet["Summary"]):
    def current(self) -> Self:
        """Return the latest version of each."""
        return self.filter(archived_at=None)


class Summary(Scoped, Identified):
    """One version. `user_id` "" is written from memories of no end user in particular.

    It holds nothing that only one agent may see. `made_by` names the model, such as "openai:gpt-x", or the rules.
    """

    category = models.CharField(max_length=64, validators=[is_category])
    user_id = models.CharField(max_length=200, blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    content = models.TextField()
    memory_count = models.PositiveIntegerField(default=0)
    made_by = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    as_of = models.DateTimeField(
        null=True, editable=False, help_text="When its facts were last read; empty: when it was made."
    )
    archived_at = models.DateTimeField(null=True, blank=True, help_text="When a newer version took its place.")

    objects = SummaryQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        verbose_name_plural = "summaries"
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="summary_uid_is_unique_in_app"),
            models.UniqueConstraint(fields=["app", "category", "user_id", "version"], name="summary_version_is_unique"),
            models.UniqueConstraint(
                fields=["app", "category", "user_id"],
                condition=models.Q(archived_at=None),
                name="summary_has_one_current_version",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.category} v{self.version}"


class Passage(Scoped):
    """A line of a summary that can be found by meaning, and the memory it stands on.

    `data` is a vector as in `memories.models.vector`; null where the embedder was away. `next_data` waits for the
    moment in which its model begins to serve the app.
    """

    summary = models.ForeignKey(Summary, on_delete=models.CASCADE, related_name="passages")
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="passages")
    text = models.TextField()
    model = models.CharField(max_length=120, blank=True, default="")
    data = models.BinaryField(null=True)
    next_model = models.CharField(max_length=120, blank=True, default="", db_default="")
    next_data = models.BinaryField(null=True)

    objects = ScopedQuerySet["Passage"].as_manager()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text if len(self.text) <= 80 else self.text[:79] + "…"


class SummaryDue(Scoped):
    """A summary that is to be written anew because memories changed: many changes, one row, one rewrite."""

    category = models.CharField(max_length=64)
    user_id = models.CharField(max_length=200, blank=True, default="")
    changes = models.PositiveIntegerField(default=1)
    since = models.DateTimeField(default=timezone.now)
    token = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)

    objects = ScopedQuerySet["SummaryDue"].as_manager()

    class Meta:
        ordering = ["since"]
        verbose_name_plural = "summaries due"
        constraints = [models.UniqueConstraint(fields=["app", "category", "user_id"], name="summary_due_is_unique")]

    def __str__(self) -> str:
        return f"{self.category}: {self.changes} changes"
