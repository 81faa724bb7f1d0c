"""A file whose passages are found beside memories."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models.memory import Memory, Source
from memsite.db.expressions import Literal
from memsite.tenancy.access import Users, of_users
from memsite.tenancy.models import Agent
from memsite.tenancy.origin import Origin
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet, where_given

NAME_CHARACTERS = 200
EDITION_DIGITS = 12


class DocumentStatus(models.TextChoices):
    WAITING = "waiting", "waiting: to be read by a worker"
    READY = "ready"
    FAILED = "failed", "failed: upload it again"


class DocumentQuerySet(ScopedQuerySet["Document"]):
    def due(self, now: datetime) -> Self:
        """To be read now, and by nobody else."""
        waiting = self.filter(status=Literal(DocumentStatus.WAITING))
        return waiting.filter(Q(lease_until=None) | Q(lease_until__lte=now))

    def of_users(self, users: Users) -> Self:
        return self.filter(of_users(users))


class Document(Scoped, Identified):
    """A file. `data` is held until it is read; then its text is in passages, which are memories of this status.

    Its passages name it by `external_id`, and by the first digits of its `fingerprint` what they were read from.
    """

    name = models.CharField(max_length=NAME_CHARACTERS)
    external_id = models.CharField(max_length=200, null=True, blank=True, help_text="The uploader's own name for it.")
    content_type = models.CharField(max_length=100, blank=True, default="", help_text="Known once it is read.")
    size = models.PositiveIntegerField(help_text="Bytes.")
    fingerprint = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the file.")
    data = models.BinaryField(null=True, editable=False)
    status = models.CharField(max_length=8, choices=DocumentStatus, default=DocumentStatus.WAITING)
    reason = models.CharField(max_length=500, blank=True, default="", help_text="Why it could not be read.")
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    pages = models.PositiveIntegerField(null=True, blank=True)
    passages = models.PositiveIntegerField(default=0)
    withheld_count = models.PositiveIntegerField(default=0, help_text="Passages that no agent should read.")
    tags = models.JSONField(default=list, blank=True)
    user_id = models.CharField(max_length=200, null=True, blank=True)
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.AGENT, help_text="Whose words it has.")
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [
            models.Index(fields=["app"], condition=Q(status="waiting"), name="document_waiting"),
            where_given("document_agent", "agent"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="document_uid_is_unique_in_app"),
            models.UniqueConstraint(
                fields=["app", "external_id"],
                condition=Q(external_id__isnull=False),
                name="document_external_id_is_unique_in_app",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def edition(self) -> str:
        return self.fingerprint[:EDITION_DIGITS]


def citation_of(memory: Memory) -> dict[str, Any] | None:
    """Return the document a passage is quoted from, and where it stands in it; None for what is no passage."""
    if memory.source != Source.DOCUMENT:
        return None
    name, page, heading = (memory.metadata.get(part) for part in ("name", "page", "heading"))
    parts = [name, f"page {page}" if page else "", heading]
    citation = ", ".join(str(part) for part in parts if part)
    return {"id": memory.external_id, "name": name, "page": page, "heading": heading, "citation": citation}
