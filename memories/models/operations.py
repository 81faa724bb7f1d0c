"""Operations that take long: imports, purges and rollbacks, by whom they were started and how far they are.

Beside them the filters that people keep for what they do again and again.
"""

from __future__ import annotations

import zlib
from typing import Any, Self

import orjson
from django.conf import settings
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


class PurgeWhat(models.TextChoices):
    APP = "app", "everything that the app knows and was told"
    MEMORIES = "memories", "all memories of the app"
    USER = "user", "an end user"
    SESSION = "session", "a session"


class PurgeStatus(models.TextChoices):
    OPEN = "open", "open: hidden from everyone, being deleted"
    DONE = "done"


class PurgeQuerySet(ScopedQuerySet["Purge"]):
    def open(self) -> Self:
        return self.filter(status=Literal(PurgeStatus.OPEN))


class Purge(Scoped, Identified):
    """`counts` is how many rows of what it found when it was asked for; from then on nobody could see them.

    The rows say themselves that they are to go (`purged_at`); of an app in the status `purging`, all do.
    """

    what = models.CharField(max_length=10, choices=PurgeWhat)
    asked_by = models.CharField(max_length=200)
    asked_at = models.DateTimeField(default=timezone.now, editable=False)
    status = models.CharField(max_length=8, choices=PurgeStatus, default=PurgeStatus.OPEN)
    counts = models.JSONField(default=dict)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = PurgeQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [models.Index(fields=["app"], condition=models.Q(status="open"), name="purge_open")]
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="purge_uid_is_unique_in_app")]

    def __str__(self) -> str:
        return f"{self.what}, {self.asked_at:%Y-%m-%d %H:%M}: {self.status}"


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


class SavedView(Scoped, Identified):
    """A filter of the list of memories that one person has named. `query` holds its fields as in the address."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=80)
    query = models.JSONField(default=dict)

    objects = ScopedQuerySet["SavedView"].as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="saved_view_uid_is_unique_in_app"),
            models.UniqueConstraint(fields=["app", "user", "name"], name="saved_view_name_is_unique"),
        ]

    def __str__(self) -> str:
        return self.name
