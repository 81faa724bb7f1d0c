"""What agents were shown, and what has to be in view on a day to come."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from memories.models.memory import Memory, Revision, Visibility
from memsite.tenancy.models import Agent
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet, where_given
from sessions.models import AgentSession, Resource

LESSONS = "lessons"
"""The block of what every session starts with. Whether it was used is not asked: it is there to be kept to."""


class InjectionQuerySet(ScopedQuerySet["Injection"]):
    def into(self, session: AgentSession) -> Self:
        return self.filter(session=session)

    def standing_in(self, session: AgentSession) -> Self:
        """Select what the agent still has in view; without lines of memories that say something else."""
        later = Revision.objects.for_app(session.app).filter(memory=OuterRef("memory"), after__has_key="content")
        in_view = Q(created_at__gte=session.shown_since) if session.shown_since else Q()
        return self.into(session).filter(in_view).exclude(Exists(later.filter(created_at__gt=OuterRef("created_at"))))

    def memory_pks(self) -> list[int]:
        return list(self.order_by().values_list("memory_id", flat=True).distinct())

    def statements(self) -> list[tuple[str, float]]:
        """Return what these memories say by now, and how sure each is."""
        return list(self.order_by().values_list("memory__content", "memory__confidence").distinct())

    def lines(self) -> list[str]:
        """Return the lines as the agent read them."""
        return list(self.values_list("line", flat=True))


class Injection(Scoped):
    """One row per memory and block. `line` is the text as the agent read it, to know its echo again."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="injections")
    session = models.ForeignKey(AgentSession, on_delete=models.PROTECT, related_name="injections", db_index=False)
    turn_number = models.PositiveIntegerField(null=True, blank=True)
    block = models.CharField(max_length=10)
    line = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    judged_at = models.DateTimeField(null=True, blank=True, editable=False)
    used = models.BooleanField(null=True, help_text="Whether the agent's answer made use of it; null: not judged yet.")
    word_share = models.FloatField(null=True, blank=True, help_text="Share of its telling words in the answer.")
    similarity = models.FloatField(null=True, blank=True, help_text="Highest cosine with a passage of the answer.")
    evidence = models.CharField(max_length=500, null=True, blank=True, help_text="The words it was known by.")

    objects = InjectionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["session", "memory"], name="injection_session_memory"),
            models.Index(fields=["app", "judged_at"], name="injection_judged"),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id} in session {self.session_id}"


class TriggerStatus(models.TextChoices):
    WAITING = "waiting"
    DONE = "done", "done: its last day is over"
    CANCELLED = "cancelled"


class FutureTrigger(Scoped, Identified):
    """Due on `trigger_date`, and on the days that `rule` (an RFC 5545 RRULE) adds.

    `text` is the time as it was said, `message` the statement around it. A recurring one moves on to its next day.
    """

    trigger_date = models.DateField()
    trigger_time = models.TimeField(null=True, blank=True)
    until = models.DateField(null=True, blank=True, help_text="The last day, of a stretch of days.")
    rule = models.CharField(max_length=200, blank=True, default="")
    text = models.CharField(max_length=200)
    message = models.TextField()
    status = models.CharField(max_length=10, choices=TriggerStatus, default=TriggerStatus.WAITING)
    reason = models.CharField(max_length=200, null=True, blank=True, help_text="Why it was called off, if not by hand.")
    memories = models.ManyToManyField(Memory, through="Preload", related_name="triggers")
    user_id = models.CharField(max_length=200, null=True, blank=True)
    visibility = models.CharField(max_length=8, choices=Visibility, default=Visibility.APP)
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    session = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    resource = models.ForeignKey(
        Resource, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["FutureTrigger"].as_manager()

    class Meta:
        ordering = ["trigger_date", "id"]
        indexes = [
            models.Index(fields=["app", "status", "trigger_date"], name="trigger_due"),
            where_given("trigger_agent", "agent"),
            where_given("trigger_session", "session"),
            where_given("trigger_resource", "resource"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="trigger_uid_is_unique_in_app"),
            models.CheckConstraint(
                condition=Q(until=None) | Q(until__gte=models.F("trigger_date")), name="trigger_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.trigger_date}: {self.message[:80]}"


class Preload(Scoped):
    """A memory that its trigger brings up."""

    trigger = models.ForeignKey(FutureTrigger, on_delete=models.CASCADE, related_name="preloads", db_index=False)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="preloads")

    objects = ScopedQuerySet["Preload"].as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["trigger", "memory"], name="preload_is_unique")]

    def __str__(self) -> str:
        return f"memory {self.memory_id} on the day of trigger {self.trigger_id}"
