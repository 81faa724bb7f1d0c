"""Who may come in: apps, their agents, their keys."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from memsite.tenancy.append_only import PurgePermit
from memsite.tenancy.audit import AuditEntry
from memsite.tenancy.policy import AppPolicy
from memsite.tenancy.purge_residue import Residue
from memsite.tenancy.scoping import App, AppStatus, Scoped, ScopedQuerySet


class Role(models.TextChoices):
    VIEWER = "viewer", "viewer: reads"
    EDITOR = "editor", "editor: reads, and curates memories"
    OWNER = "owner", "owner: all of it, with policy, keys, members and purges"


class Membership(Scoped):
    """One person in one app. Superusers need none."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.VIEWER)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Membership"].as_manager()

    class Meta:
        ordering = ["user__username"]
        constraints = [models.UniqueConstraint(fields=["app", "user"], name="membership_is_unique_in_app")]

    def __str__(self) -> str:
        return f"{self.user.get_username()}: {self.role}"


class Identity(models.Model):
    """A person as the OpenID provider knows them, and what its groups gave: only that do they take away again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=500, editable=False)
    subject = models.CharField(max_length=255, editable=False)
    given = models.JSONField(default=dict, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name_plural = "identities"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_is_unique_at_issuer")]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"


__all__ = [
    "Agent",
    "ApiKey",
    "App",
    "AppPolicy",
    "AppStatus",
    "AuditEntry",
    "IdempotentAnswer",
    "Identity",
    "Membership",
    "PurgePermit",
    "Residue",
    "Role",
    "WriteRate",
]

AGENT_NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
DOMAIN_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._/-]{0,127}"
is_agent_name = RegexValidator(rf"^{AGENT_NAME_PATTERN}\Z", "Letters, digits, . - and _, 64 at most.")
is_domain = RegexValidator(rf"^{DOMAIN_PATTERN}\Z", "Letters, digits, . - _ and /, 128 at most.")


TIER_CHOICES = ((1, "1: observe"), (2, "2: investigate"), (3, "3: remediate"))


class AgentQuerySet(ScopedQuerySet["Agent"]):
    def live(self) -> Self:
        """Select those that are not deleted."""
        return self.filter(deleted_at=None)


class Agent(Scoped):
    """A program of an app. One that was deleted has no keys; what it wrote goes on naming it."""

    name = models.CharField(max_length=64, validators=[is_agent_name])
    domain = models.CharField(
        max_length=128,
        blank=True,
        default="",
        validators=[is_domain],
        help_text="What it knows about; its memories count less for agents of other domains.",
    )
    tier = models.PositiveSmallIntegerField(
        choices=TIER_CHOICES, null=True, blank=True, help_text="Of its sessions that name none. Empty: 1."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = AgentQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["app", "name"], name="agent_name_is_unique_in_app")]

    def __str__(self) -> str:
        return self.name

    @property
    def full_name(self) -> str:
        """Return APP/AGENT. Reads its app: select it for lists."""
        return f"{self.app.app_id}/{self.name}"


class Scope(models.TextChoices):
    """What a key may do. Whoever may write may create, too (`memsite.tenancy.authentication`)."""

    READ = "read"
    CREATE = "create", "create: only adds"
    WRITE = "write"
    OPERATOR = "operator"


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def live(self, now: datetime) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)


class ApiKey(models.Model):
    """What an agent, or an operator's program, shows at the door. Only a hash of it is kept."""

    prefix = models.CharField(max_length=16, unique=True, editable=False)
    key_hash = models.CharField(max_length=64, editable=False)
    agent = models.ForeignKey(
        Agent,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="keys",
        help_text="Empty: an operator's key, for every app.",
    )
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.prefix

    def is_live(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


class WriteRate(models.Model):
    """How many memories an agent has written in one second (`memsite.tenancy.write_rate`)."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, db_index=False, related_name="+")
    slot = models.PositiveSmallIntegerField()
    last_ms = models.PositiveBigIntegerField(help_text="When the last of them was written, in Unix milliseconds.")
    written = models.PositiveIntegerField()

    class Meta:
        db_table = "tenancy_writeslot"  # 0.1.0 counts in tenancy_writerate
        constraints = [models.UniqueConstraint(fields=["agent", "slot"], name="one_write_rate_per_slot")]

    def __str__(self) -> str:
        return f"{self.agent_id}: {self.written}"


class IdempotentAnswer(models.Model):
    """The answer to a request that carried an `Idempotency-Key`; `status` 0 while it is being made."""

    caller = models.CharField(max_length=200)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.BinaryField(default=bytes)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "key"], name="idempotency_key_is_unique_per_caller")]
        indexes = [models.Index(fields=["created_at"], name="idempotency_created")]

    def __str__(self) -> str:
        return f"{self.caller}: {self.key}"
