"""What nobody has had any use for in so many days."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from memories.ledger.days import day_of, midnight
from memories.models import Injection, Preload, TriggerStatus
from memsite.tenancy.models import App


def days_ago(app: App, now: datetime, days: int) -> datetime:
    """The end of the last day, where the app lives, that is so many days ago."""
    return midnight(app, day_of(app, now) - timedelta(days=days - 1))


def unused_since(app: App, moment: datetime) -> Q:
    """Of memories: not created, confirmed, found by a search or shown in a block since. A restored one starts anew."""
    shown = Injection.objects.for_app(app).filter(memory=OuterRef("pk"), created_at__gte=moment)
    unread = Q(accessed_at=None) | Q(accessed_at__lt=moment)
    return Q(created_at__lt=moment, confirmed_at__lt=moment) & unread & Q(~Exists(shown))


def begun_by(moment: datetime) -> Q:
    """Of memories: they hold at all times, or began to before."""
    return Q(valid_from=None) | Q(valid_from__lt=moment)


def not_awaited(app: App) -> Q:
    """Of memories: no trigger that waits will bring them up."""
    awaited = Preload.objects.for_app(app).filter(memory=OuterRef("pk"), trigger__status=TriggerStatus.WAITING)
    return Q(~Exists(awaited))
