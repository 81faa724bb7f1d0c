"""Celery beat calls what there is, when it is time."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from memsite.beat import Beat
from memsite.celery import app


def test_beat_calls_only_tasks_that_there_are() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)


@pytest.mark.django_db
def test_beat_calls_within_a_minute_after_a_clock_that_was_ahead() -> None:
    name = "look for upkeep that is due"
    Beat(app=app, lazy=False)
    now = timezone.now()
    PeriodicTask.objects.filter(name=name).update(last_run_at=now + timedelta(days=3650))
    entry = Beat(app=app, lazy=False).schedule[name]
    assert entry.is_due().next <= 60
    assert app.conf.beat_scheduler == "memsite.beat:Beat"
