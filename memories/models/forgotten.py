"""That a memory is gone: its number, nothing of what it said."""

from __future__ import annotations

from django.db import models

from memsite.tenancy.scoping import Scoped, ScopedQuerySet


class Forgotten(Scoped):
    """Tells every process that holds the app's memories in its own memory to drop this one."""

    memory_id = models.BigIntegerField()
    change_number = models.PositiveBigIntegerField()

    objects = ScopedQuerySet["Forgotten"].as_manager()

    class Meta:
        verbose_name_plural = "forgotten"
        indexes = [models.Index(fields=["app", "change_number"], name="forgotten_changes")]

    def __str__(self) -> str:
        return f"memory {self.memory_id}"
