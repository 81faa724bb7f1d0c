"""The wall between apps: every row belongs to one app, and every read goes through `for_app`."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import UUID

from django.db import models
from uuid_utils.compat import uuid7

from memsite.db.copies import Row

if TYPE_CHECKING:
    from memsite.tenancy.models import App

Model = TypeVar("Model", bound=models.Model, covariant=True)


_last = UUID(int=0)
_lock = Lock()


def new_uid() -> UUID:
    """Return a public id: rising in this process, by time between processes, and no count of other apps' rows."""
    global _last
    with _lock:
        # UUIDs of one millisecond have no order of their own.
        _last = max(uuid7(), UUID(int=_last.int + 1))
        return _last


class ScopedQuerySet(models.QuerySet[Model]):
    """The querysets of everything that belongs to an app."""

    def for_app(self, app: App) -> Self:
        """Only the rows of this app. What is not in here does not exist for the caller."""
        return self.filter(app=app)


class Scoped(Row):
    """A row of one app. PROTECT: an app is uninstalled or purged, never dropped with its rows."""

    app = models.ForeignKey("tenancy.App", on_delete=models.PROTECT, related_name="+", editable=False)

    class Meta:
        abstract = True


class IndexedByApp(Scoped):
    """A row of a table that is written often, and has another index that begins with the app: no second one is kept."""

    app = models.ForeignKey("tenancy.App", on_delete=models.PROTECT, related_name="+", editable=False, db_index=False)

    class Meta:
        abstract = True


def where_given(name: str, field: str) -> models.Index:
    """Of a reference that many rows have not: without these rows."""
    return models.Index(fields=[field], condition=models.Q(**{f"{field}__isnull": False}), name=name)


class PurgedQuerySet(ScopedQuerySet[Model]):
    """Of rows that a purge hides first, and deletes when there is time."""

    def for_app(self, app: App) -> Self:
        return super().for_app(app).filter(purged_at=None)

    def going(self, app: App) -> Self:
        """Return what `for_app` hides."""
        return super().for_app(app).filter(purged_at__isnull=False)


class Purged(Scoped):
    """A row that may be hidden from everyone, since `purged_at`, until it is deleted."""

    purged_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True


class Identified(models.Model):
    """A row that callers see, under an id that cannot be guessed or counted.

    Each model says that it is unique in its app: an app that was copied has the ids it had, and what another app has
    is no obstacle that would show.
    """

    uid = models.UUIDField(default=new_uid, editable=False)

    class Meta:
        abstract = True
