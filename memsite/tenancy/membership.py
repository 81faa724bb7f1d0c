"""Which people may do what in which apps."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from memsite.tenancy.scoping import Scoped, ScopedQuerySet


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
