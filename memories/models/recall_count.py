"""How often which tier answered: what hit rates are made of."""

from __future__ import annotations

from datetime import date

from django.db import models

from memsite.db.inserts import Statement
from memsite.tenancy.models import App
from memsite.tenancy.scoping import Scoped, ScopedQuerySet

COUNT = """
INSERT INTO memories_recallcount AS row (app_id, day, mode, tier, searches, found, seconds)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (app_id, day, mode, tier) DO UPDATE
SET searches = row.searches + excluded.searches, found = row.found + excluded.found,
    seconds = row.seconds + excluded.seconds
"""


class RecallCount(Scoped):
    """Searches of one day. `tier` is what answered: summaries, items, or none."""

    day = models.DateField()
    mode = models.CharField(max_length=10)
    tier = models.CharField(max_length=10)
    searches = models.PositiveIntegerField(default=0)
    found = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0)

    objects = ScopedQuerySet["RecallCount"].as_manager()

    class Meta:
        ordering = ["-day"]
        constraints = [models.UniqueConstraint(fields=["app", "day", "mode", "tier"], name="recall_count_is_unique")]

    def __str__(self) -> str:
        return f"{self.day} {self.mode} {self.tier}"


def recall_note(
    app: App, day: date, mode: str, tier: str, searches: int, found: int, seconds: float
) -> Statement:  # fmt: skip
    """What counts so many searches, of which some found something, and the seconds they took together."""
    return COUNT, [app.pk, day.isoformat(), mode, tier, searches, found, seconds]
