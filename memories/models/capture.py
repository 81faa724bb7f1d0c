"""What is still to be learnt from what was said, and what was refused and why."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models.memory import Memory
from memsite.tenancy.access import Users, of_users
from memsite.tenancy.models import Agent
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet, where_given
from sessions.models import AgentSession, Resource


class What(models.TextChoices):
    FACTS = "facts", "the facts in one text"
    DIGEST = "digest", "one memory for a whole session"


class ExtractionStatus(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed", "failed: will be tried again"
    DEAD = "dead", "given up: retry by hand"


READ_BY_RULES = "read by rules, and again by the model when it answers: "
"""How the reason of a text begins that a model could not read."""


class ExtractionQuerySet(ScopedQuerySet["Extraction"]):
    def open(self) -> Self:
        """Select what is not done and not given up."""
        return self.exclude(status__in=(ExtractionStatus.DONE, ExtractionStatus.DEAD))

    def due(self, now: datetime) -> Self:
        """Select what is to be worked on now: new, to be tried again, or left behind by a worker that is gone."""
        fresh = Q(status__in=(ExtractionStatus.PENDING, ExtractionStatus.FAILED), next_at__lte=now)
        return self.filter(fresh | Q(status=ExtractionStatus.RUNNING, lease_until__lte=now))

    def to_read_again(self) -> Self:
        """Read by rules in a model's place, which reads them again when it answers."""
        return self.filter(status=ExtractionStatus.DONE, reason__startswith=READ_BY_RULES)


class Extraction(Scoped, Identified):
    """One piece of work. `token` rises with every claim: a worker that was thought dead cannot write any more."""

    what = models.CharField(max_length=8, choices=What, default=What.FACTS)
    session = models.ForeignKey(AgentSession, on_delete=models.PROTECT, related_name="extractions")
    resource = models.OneToOneField(
        Resource, null=True, blank=True, on_delete=models.PROTECT, related_name="extraction"
    )
    status = models.CharField(max_length=8, choices=ExtractionStatus, default=ExtractionStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    token = models.PositiveIntegerField(default=0, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    next_at = models.DateTimeField(default=timezone.now, help_text="Not tried before this time.")
    windows_read = models.PositiveIntegerField(
        default=0, help_text="Of a text that the budget cut short: windows that are read and kept."
    )
    is_gated = models.BooleanField(
        default=False, help_text="Of a text that the budget cut short: its next window was found worth reading."
    )
    reason = models.CharField(max_length=500, blank=True, default="", help_text="Why it failed, or waits.")
    made_by = models.CharField(max_length=120, blank=True, default="")
    stored = models.PositiveIntegerField(default=0)
    reinforced = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ExtractionQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [models.Index(fields=["status", "next_at"], name="extraction_due")]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="extraction_uid_is_unique_in_app"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(what="digest"), name="extraction_digests_a_session_once"
            ),
            models.CheckConstraint(
                condition=Q(what=What.DIGEST, resource=None) | Q(what=What.FACTS, resource__isnull=False),
                name="extraction_of_facts_has_a_text",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what}: {self.status}"


class RejectionKind(models.TextChoices):
    MARKER = "marker", "a marker that cannot be read"
    FACT = "fact", "not worth keeping"
    CONFLICT = "conflict", "at odds with something surer"
    QUARANTINE = "quarantine", "not for an agent to read"
    APPROVAL = "approval", "waits for a person's approval"


WAITING = (RejectionKind.QUARANTINE, RejectionKind.APPROVAL)
"""What is kept for a person, and may be told as often as one likes until somebody decides."""


class Decision(models.TextChoices):
    OPEN = "open"
    OVERRULED = "overruled", "overruled: stored after all"
    CONFIRMED = "confirmed", "confirmed: rightly refused"


class RejectionQuerySet(ScopedQuerySet["Rejection"]):
    def of_users(self, users: Users) -> Self:
        """Return whether nothing is another end user's: session, candidate, memory to be changed. None: no filter."""
        if users is None:
            return self
        of_nobody = Q(candidate__user_id__isnull=True)
        rows = self.filter(of_nobody | of_users(users, "candidate__user_id"), of_users(users, "edits__user_id"))
        return rows.filter(of_users(users, "session__user_id"))


class Rejection(Scoped, Identified):
    """A candidate that did not become a memory. `candidate` and `scores` are what is needed to overrule it.

    With `edits` it is a change of that memory which was not made, and `candidate` holds the fields that would change.
    """

    kind = models.CharField(max_length=12, choices=RejectionKind, default=RejectionKind.MARKER)
    candidate = models.JSONField(null=True, blank=True)
    scores = models.JSONField(null=True, blank=True)
    decision = models.CharField(max_length=10, choices=Decision, default=Decision.OPEN)
    decided_by = models.CharField(max_length=200, blank=True, default="")
    decided_at = models.DateTimeField(null=True, blank=True, editable=False)
    decision_reason = models.CharField(max_length=500, blank=True, default="", db_default="")
    memory = models.ForeignKey(
        Memory, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )

    edits = models.ForeignKey(Memory, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    session = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    resource = models.ForeignKey(
        Resource, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    turn_number = models.PositiveIntegerField(null=True, blank=True)
    category = models.CharField(max_length=64, blank=True, default="")
    content = models.TextField(blank=True, default="")
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = RejectionQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [
            models.Index(fields=["app", "decision", "uid"], name="rejection_decision"),
            models.Index(fields=["kind"], condition=models.Q(decision="open"), name="rejection_open"),
            where_given("rejection_memory", "memory"),
            where_given("rejection_edits", "edits"),
            where_given("rejection_agent", "agent"),
            where_given("rejection_session", "session"),
            where_given("rejection_resource", "resource"),
        ]
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="rejection_uid_is_unique_in_app")]

    def __str__(self) -> str:
        return self.reason
