"""The audit log: who changed what is allowed, and when. Changes of memories have their own revisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from memsite.tenancy.scoping import Scoped, ScopedQuerySet


class AuditEntry(Scoped):
    """`before` and `after` hold what changed, never a secret nor what anybody said. Append-only.

    `app` is None for what concerns no app of its own, such as an operator's key.
    """

    app = models.ForeignKey(  # type: ignore[assignment]  # of all scoped rows, these alone may have none
        "tenancy.App", null=True, blank=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    actor = models.CharField(max_length=200)
    action = models.CharField(max_length=40, help_text="What was done: key issued, policy changed, …")
    subject = models.CharField(max_length=200, blank=True, default="", help_text="To what.")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["AuditEntry"].as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["app", "-id"], name="audit_app_latest")]

    def __str__(self) -> str:
        return f"{self.action} by {self.actor}"


def note(
    actor: str,
    app: Any,
    action: str,
    subject: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Write one line. Call it inside the transaction of the change itself."""
    AuditEntry.objects.create(
        app=app, actor=actor[:200], action=action, subject=subject[:200], before=plain(before), after=plain(after)
    )


def note_change(
    actor: str, app: Any, action: str, subject: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    """Note two states of one thing: only what differs is kept, and nothing is written if nothing does."""
    old, new = plain(before), plain(after)
    changed = [name for name in {**old, **new} if name not in old or name not in new or old[name] != new[name]]
    if changed:
        note(actor, app, action, subject, only(changed, old), only(changed, new))


def only(names: list[str], values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def plain(values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return values as JSON keeps them: times and time zones as texts."""
    encoded: dict[str, Any] = orjson.loads(orjson.dumps(dict(values or {}), default=as_text))
    return encoded


def as_text(value: Any) -> str:
    try:
        return str(DjangoJSONEncoder().default(value))
    except TypeError:
        return str(value)
