"""Celery beat calls what there is, when it is time."""

import os
import signal
import sys
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from billiard.context import ForkContext
from celery.worker import state
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from memsite.config import celery
from memsite.config.celery import app
from memsite.jobs.beat import Beat


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
    assert app.conf.beat_scheduler == "memsite.jobs.beat:Beat"


@pytest.mark.django_db
def test_beat_goes_on_while_its_schedule_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads it anew every five minutes."""

    def away(*_: Any) -> None:
        raise OperationalError("the server is away")

    beat = Beat(app=app, lazy=False)
    before = dict(beat.schedule)
    assert "look for upkeep that is due" in before
    monkeypatch.setattr(beat, "enabled_models", away)
    beat._last_full_sync -= timedelta(minutes=6)
    assert beat.schedule == before
    assert beat.tick() >= 0


@pytest.mark.django_db
def test_beat_does_not_begin_without_a_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("the server is away")

    monkeypatch.setattr(Beat, "enabled_models", away)
    with pytest.raises(OperationalError):
        Beat(app=app, lazy=False)


@pytest.mark.parametrize(("stopping", "signals"), [(None, [signal.SIGTERM]), (0, [])])
def test_a_worker_ends_when_its_beat_is_gone(
    stopping: int | None, signals: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it was told to itself."""
    sent: list[int] = []
    beat = ForkContext().Process(target=sys.exit, args=[3])
    monkeypatch.setattr(state, "should_stop", stopping)
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append(number))
    beat.start()
    celery.end_with(beat)
    assert (beat.exitcode, sent) == (3, signals)


def test_a_worker_without_a_beat_watches_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(celery, "Thread", None)
    celery.end_without_the_beat(SimpleNamespace(controller=SimpleNamespace(beat=None)))
