"""What is counted: calls to models and their cost, energy, searches, and an app's health by day."""

from __future__ import annotations

from datetime import date

from django.db import models
from django.utils import timezone

from memsite.db.transactions import Statement
from memsite.tenancy.models import App
from memsite.tenancy.scoping import IndexedByApp, Scoped, ScopedQuerySet, where_given
from sessions.models import AgentSession

COUNT = """
INSERT INTO memories_recallcount AS row (app_id, day, mode, tier, searches, found, seconds)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (app_id, day, mode, tier) DO UPDATE
SET searches = row.searches + excluded.searches, found = row.found + excluded.found,
    seconds = row.seconds + excluded.seconds
"""


class LedgerEntry(IndexedByApp):
    """One call to a model. `cost` in US dollars, null if the price is not known; `day` in the app's time zone."""

    operation = models.CharField(max_length=20)
    provider = models.CharField(
        max_length=20, null=True, blank=True, help_text="Whose service it was; empty: not written down."
    )
    model = models.CharField(max_length=120)
    session = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    turn_number = models.PositiveIntegerField(null=True, blank=True)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(default=0)
    outcome = models.CharField(max_length=20, default="ok")
    day = models.DateField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["LedgerEntry"].as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "ledger entries"
        indexes = [
            models.Index(fields=["app", "day"], name="ledger_app_day"),
            models.Index(fields=["app", "-id"], name="ledger_app_latest"),
            where_given("ledger_session", "session"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} by {self.model}"


class Reservation(Scoped):
    """The most that a call under way may take, `cost` in US dollars. It counts until its end, or until `expires_at`."""

    tokens = models.PositiveBigIntegerField()
    cost = models.FloatField(default=0)
    expires_at = models.DateTimeField()

    objects = ScopedQuerySet["Reservation"].as_manager()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.tokens} tokens until {self.expires_at}"


class EnergyUse(Scoped):
    """Units spent on one kind of operation on one day."""

    day = models.DateField()
    operation = models.CharField(max_length=20)
    calls = models.PositiveIntegerField(default=0)
    units = models.FloatField(default=0)
    reported = models.FloatField(default=0, db_default=0, help_text="Of these units, how many the agents were told.")

    objects = ScopedQuerySet["EnergyUse"].as_manager()

    class Meta:
        ordering = ["-day", "operation"]
        constraints = [models.UniqueConstraint(fields=["app", "day", "operation"], name="energy_use_is_unique")]

    def __str__(self) -> str:
        return f"{self.units} for {self.operation} on {self.day}"


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


def recall_note(app: App, day: date, mode: str, tier: str, searches: int, hits: int, seconds: float) -> Statement:
    """Return what counts so many searches, of which some found something, and the seconds they took together."""
    return COUNT, [app.pk, day.isoformat(), mode, tier, searches, hits, seconds]


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
