"""Who is told of changes, what was told them, and who may tell us what is said in a chat."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memories.language.secrets import without_secrets
from memsite.db.expressions import Literal
from memsite.tenancy.models import Agent
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet


class WebhookQuerySet(ScopedQuerySet["Webhook"]):
    def active(self) -> Self:
        return self.filter(is_active=True)

    def behind(self) -> Self:
        """Return rows of apps in which something was written since they were looked at."""
        return self.active().filter(app__change_number__gt=F("seen_change"))


class Webhook(Scoped, Identified):
    """An address that is told of changes. `seen_*` is how far: what comes later is still to be told.

    Its secret follows from `secret_number` (`memsite.http.signatures`).
    """

    url = models.CharField(max_length=500)
    description = models.CharField(max_length=200, blank=True, default="")
    events = models.JSONField(default=list, help_text="The kinds that it receives; empty: all.")
    is_active = models.BooleanField(default=True)
    reason = models.CharField(max_length=200, blank=True, default="", help_text="Why it was switched off by itself.")
    secret_number = models.PositiveIntegerField(default=0, editable=False)
    secret_changed_at = models.DateTimeField(null=True, editable=False)
    seen_change = models.PositiveBigIntegerField(default=0, editable=False)
    seen_revision = models.PositiveBigIntegerField(default=0, editable=False)
    seen_forgotten = models.PositiveBigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="webhook_uid_is_unique_in_app")]

    def __str__(self) -> str:
        return self.url_shown

    @property
    def url_shown(self) -> str:
        """Return what anybody is shown: the token that it may have to hold is for the one who is called."""
        return without_secrets(self.url)


MEMORY_DELETED = "memory.deleted"
"""The kind of a message that names what is gone."""


class DeliveryStatus(models.TextChoices):
    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead", "given up: replay it by hand"


class DeliveryQuerySet(ScopedQuerySet["Delivery"]):
    def due(self, now: datetime) -> Self:
        return self.filter(status=Literal(DeliveryStatus.WAITING), next_at__lte=now, webhook__is_active=True)


class Delivery(Scoped, Identified):
    """One message to one webhook. `payload` names what changed and holds nothing of what it says."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=40)
    payload = models.JSONField()
    status = models.CharField(max_length=10, choices=DeliveryStatus, default=DeliveryStatus.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)
    answer = models.PositiveIntegerField(null=True, blank=True, help_text="The status that it was answered with last.")
    reason = models.CharField(max_length=200, blank=True, default="")
    seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        verbose_name_plural = "deliveries"
        constraints = [models.UniqueConstraint(fields=["app", "uid"], name="delivery_uid_is_unique_in_app")]
        indexes = [models.Index(fields=["next_at"], condition=Q(status="waiting"), name="delivery_due")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.status}"


class Bridge(Scoped, Identified):
    """A chat whose messages come in, signed. What is said there becomes sessions of its agent."""

    name = models.CharField(max_length=60)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    is_active = models.BooleanField(default=True)
    secret_number = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Bridge"].as_manager()

    class Meta:
        ordering = ["-uid"]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="bridge_uid_is_unique_in_app"),
            models.UniqueConstraint(fields=["app", "name"], name="bridge_name_is_unique_in_app"),
        ]

    def __str__(self) -> str:
        return self.name
