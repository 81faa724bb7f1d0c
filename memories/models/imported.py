"""A file that is being taken in: how far that is, and the rows of it that wait."""

from __future__ import annotations

import zlib
from typing import Any, Self

import orjson
from django.db import models
from django.utils import timezone

from memsite.db.expressions import Literal
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet


class ImportStatus(models.TextChoices):
    READING = "reading", "reading: nothing of it is kept yet"
    WAITING = "waiting", "waiting: what is left is being taken in"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class ImportQuerySet(ScopedQuerySet["Import"]):
    def open(self) -> Self:
        return self.filter(status=Literal(ImportStatus.WAITING))


class Import(Scoped, Identified):
    """`counts` says per type what was new, known before, or left out; `done` is how many of `lines` that were."""

    source = models.CharField(max_length=20)
    agent = models.CharField(max_length=64, blank=True, default="", help_text="Whose conversations they become.")
    user_id = models.CharField(max_length=200, null=True, blank=True, help_text="The end user they were with.")
    status = models.CharField(max_length=8, choices=ImportStatus, default=ImportStatus.READING)
    is_fresh = models.BooleanField(default=False, help_text="The app held nothing when it began.")
    lines = models.PositiveBigIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=dict)
    reason = models.CharField(max_length=500, blank=True, default="")
    asked_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ImportQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="import_uid_is_unique_in_app")]
        indexes = [models.Index(fields=["app"], condition=models.Q(status="waiting"), name="import_open")]

    def __str__(self) -> str:
        return f"{self.source}: {self.done} of {self.lines}"


class ImportPart(Scoped):
    """Some lines of one type, compressed. Gone in the transaction that takes them in."""

    of = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="parts")
    lines = models.PositiveIntegerField()
    data = models.BinaryField()

    objects = ScopedQuerySet["ImportPart"].as_manager()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.lines} lines of import {self.of_id}"

    def read(self) -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = orjson.loads(zlib.decompress(bytes(self.data)))
        return lines


def packed(lines: list[dict[str, Any]]) -> bytes:
    return zlib.compress(orjson.dumps(lines), level=1)
