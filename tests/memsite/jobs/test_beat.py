"""Celery beat calls what there is."""

from django.conf import settings

from memsite.celery import app


def test_beat_calls_only_tasks_that_there_are() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)
