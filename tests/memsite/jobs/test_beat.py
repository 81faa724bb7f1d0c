"""Celery beat calls what there is, also where it once called something else."""

from importlib import import_module

import pytest
from django.apps import apps
from django.conf import settings
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from memsite.celery import app

migration = import_module("memsite.jobs.migrations.0002_one_tick")


def test_beat_calls_only_tasks_that_there_are() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)
    assert not set(migration.BECAME_JOBS) & set(app.tasks)


@pytest.mark.django_db
def test_what_became_a_job_is_taken_out_of_its_table() -> None:
    minute = IntervalSchedule.objects.create(every=1, period="minutes")
    for task in (*migration.BECAME_JOBS, "memories.tasks.upkeep_due", "somebody.elses"):
        PeriodicTask.objects.create(name=task, task=task, interval=minute)
    migration.forget_old_tasks(apps, None)
    assert set(PeriodicTask.objects.values_list("task", flat=True)) == {"memories.tasks.upkeep_due", "somebody.elses"}
