"""What is kept for a while only."""

from datetime import datetime, timedelta

from memories.models import Delivery, Import, ImportStatus
from memsite.config.conf import get_conf
from memsite.oauth.models import OAuthGrant
from memsite.tenancy.models import IdempotentAnswer

BROKEN_OFF_AFTER = timedelta(hours=6)
DELIVERIES_KEPT = timedelta(days=30)


def drop_expired_answers(now: datetime) -> int:
    """Deletes answers that can no longer be repeated."""
    oldest = now - timedelta(hours=get_conf().idempotency_hours)
    return IdempotentAnswer.objects.filter(created_at__lte=oldest).delete()[0]


def drop_broken_off_imports(now: datetime) -> int:
    """Deletes files whose sender, or whose reader, was gone before all of it was looked at."""
    rows = Import.objects.filter(status=ImportStatus.READING, created_at__lt=now - BROKEN_OFF_AFTER)
    return rows.delete()[0]


def drop_old_deliveries(now: datetime) -> int:
    """Deletes what webhooks were told long ago, and what never arrived. What waits still is for one switched off."""
    return Delivery.objects.filter(created_at__lt=now - DELIVERIES_KEPT).delete()[0]


def end_idle_clients(now: datetime) -> int:
    """Ends the grants of OAuth clients that have not renewed them for `MEMSITE_OAUTH_IDLE_DAYS`."""
    return OAuthGrant.objects.idle(now).end()
