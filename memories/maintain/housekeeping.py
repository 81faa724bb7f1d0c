"""What is kept for a while only."""

from datetime import datetime, timedelta

from memsite.conf import get_conf
from memsite.tenancy.models import IdempotentAnswer


def drop_expired_answers(now: datetime) -> int:
    """Deletes answers that can no longer be repeated."""
    oldest = now - timedelta(hours=get_conf().idempotency_hours)
    return IdempotentAnswer.objects.filter(created_at__lte=oldest).delete()[0]
