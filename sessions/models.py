"""What was said: sessions, their turns, the raw text and the events. Nothing here knows of memories."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from memsite.db.expressions import Literal
from memsite.tenancy.models import Agent
from memsite.tenancy.scoping import (
    Identified,
    IndexedByApp,
    Purged,
    PurgedQuerySet,
    Scoped,
    ScopedQuerySet,
    where_given,
)
from memsite.timestamps import in_own_zone

TIERS = (1, 2, 3)
MAX_TURN = 2**31 - 1
SPEAKER_LENGTH = 100


class SessionStatus(models.TextChoices):
    ACTIVE = "active"
    ENDED = "ended"


class SessionQuerySet(PurgedQuerySet["AgentSession"]):
    def active(self) -> Self:
        """Use the index `session_active`: few of all there ever were."""
        return self.filter(status=Literal(SessionStatus.ACTIVE))

    def silent(self, since: datetime) -> Self:
        """Select those without a sign of life since then."""
        return self.filter(heartbeat_at__lt=since)


class AgentSession(Purged, Identified):
    """One conversation of an agent. `heartbeat_at` is its last sign of life.

    What was shown in it before `shown_since` is out of the agent's view: a summary has taken its place.
    """

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="sessions")
    external_id = models.CharField(max_length=200, null=True, blank=True, help_text="The agent's own name for it.")
    title = models.CharField(max_length=500, blank=True, default="")
    tier = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(3)],
        help_text="1 observe, 2 investigate, 3 remediate.",
    )
    user_id = models.CharField(
        max_length=200, null=True, blank=True, db_index=True, help_text="The end user it is with."
    )
    environment = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=10, choices=SessionStatus, default=SessionStatus.ACTIVE)
    end_reason = models.CharField(max_length=200, blank=True, default="")
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    heartbeat_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)
    shown_since = models.DateTimeField(null=True, blank=True, editable=False)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["app"], condition=Q(purged_at__isnull=False), name="session_purged"),
            models.Index(fields=["app", "uid"], condition=Q(status="active"), name="session_active"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="session_uid_is_unique_in_app"),
            models.UniqueConstraint(
                fields=["agent", "external_id"],
                condition=Q(external_id__isnull=False),
                name="session_external_id_is_unique_per_agent",
            ),
            models.CheckConstraint(condition=Q(tier__in=TIERS), name="session_tier_is_1_2_or_3"),
            models.CheckConstraint(
                condition=Q(status=SessionStatus.ACTIVE, ended_at=None)
                | Q(status=SessionStatus.ENDED, ended_at__isnull=False),
                name="session_ended_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.external_id or str(self.uid)


class Turn(Scoped):
    """One exchange, stored as a checkpoint. Append-only: the same number never means two things."""

    session = models.ForeignKey(AgentSession, on_delete=models.PROTECT, related_name="turns", db_index=False)
    number = models.PositiveIntegerField()
    user_input = models.TextField(blank=True, default="")
    tool_calls = models.JSONField(default=list, blank=True)
    llm_output = models.TextField(blank=True, default="")
    internal_state = models.JSONField(null=True, blank=True, default=dict)
    fingerprint = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the body, to know it again.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Turn"].as_manager()

    class Meta:
        ordering = ["session", "number"]
        constraints = [models.UniqueConstraint(fields=["session", "number"], name="turn_number_is_unique_in_session")]

    def __str__(self) -> str:
        return f"turn {self.number}"

    def checkpoint(self) -> dict[str, Any]:
        """Return the body as it was stored."""
        return {
            "user_input": self.user_input,
            "tool_calls": self.tool_calls,
            "llm_output": self.llm_output,
            "internal_state": self.internal_state,
        }


class Role(models.TextChoices):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


ALSO_CALLED = {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "developer": Role.SYSTEM,
    "function": Role.TOOL,
}


def role_named(word: str) -> Role | None:
    """Return the role that other systems call this, in small or capital letters."""
    name = word.strip().lower()
    return Role(name) if name in Role.values else ALSO_CALLED.get(name)


class Resource(Scoped, Identified):
    """Raw text as it came. Append-only; what is derived from it points here: the audit trail.

    `content_at` is when it was said, `created_at` when it was stored; `utc_offset` are the minutes by which the clock
    there was ahead of UTC, as far as the sender told. `speaker` is the name of who said it, "" where it is the user or
    the agent of the session. `source_key` names it within its session (a line's uuid, a turn's part), so that text sent
    twice is stored once.
    """

    session = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.PROTECT, related_name="resources", db_index=False
    )
    turn_number = models.PositiveIntegerField(null=True, blank=True)
    role = models.CharField(max_length=10, choices=Role)
    raw_content = models.TextField()
    content_type = models.CharField(max_length=100, default="text/plain")
    content_at = models.DateTimeField()
    utc_offset = models.SmallIntegerField(null=True, blank=True)
    speaker = models.CharField(max_length=SPEAKER_LENGTH, blank=True, default="", db_default="")
    source_key = models.CharField(max_length=200, null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False, db_index=True)

    objects = ScopedQuerySet["Resource"].as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [where_given("resource_session", "session")]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="resource_uid_is_unique_in_app"),
            models.UniqueConstraint(
                fields=["session", "source_key"],
                condition=Q(source_key__isnull=False),
                name="resource_source_is_stored_once_per_session",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} text of {self.created_at:%Y-%m-%d %H:%M}"

    def said_at(self, zone: tzinfo) -> datetime:
        """Return the moment when it was said, by the clock there; by that of `zone` where nobody told."""
        return in_own_zone(self.content_at, self.utc_offset, zone)


class Level(models.TextChoices):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class Event(IndexedByApp, Identified):
    """A line of the events feed: what an agent reported, and what the server noted."""

    session = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.PROTECT, related_name="events", db_index=False
    )
    turn_number = models.PositiveIntegerField(null=True, blank=True)
    level = models.CharField(max_length=10, choices=Level, default=Level.INFO)
    service = models.CharField(max_length=200, null=True, blank=True)
    message = models.TextField()
    memory_uid = models.UUIDField(null=True, blank=True, help_text="The memory it tells of.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Event"].as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["app", "-id"], name="event_app_latest"),
            where_given("event_session", "session"),
            where_given("event_memory", "memory_uid"),
        ]
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="event_uid_is_unique_in_app")]

    def __str__(self) -> str:
        return f"[{self.level}] {self.message[:80]}"


class CooldownQuerySet(ScopedQuerySet["Cooldown"]):
    def running(self, now: datetime) -> Self:
        return self.filter(until__gt=now)


class Cooldown(Scoped, Identified):
    """What an agent reported that it will not do again before `until`. One per action and service ("": none)."""

    action = models.CharField(max_length=64, help_text="What is held back: restart, redeploy, …")
    service = models.CharField(max_length=200, blank=True, default="")
    until = models.DateTimeField()
    reason = models.CharField(max_length=500, blank=True, default="")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    session = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = CooldownQuerySet.as_manager()

    class Meta:
        ordering = ["until"]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="cooldown_uid_is_unique_in_app"),
            models.UniqueConstraint(fields=["app", "service", "action"], name="cooldown_is_one_per_action"),
        ]
        indexes = [
            models.Index(fields=["app", "until"], name="cooldown_app_until"),
            where_given("cooldown_session", "session"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.service}".strip()
