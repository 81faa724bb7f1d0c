"""Celery beat keeps what it was once told: the tasks that became jobs are taken out of its table."""

from django.db import migrations

BECAME_JOBS = (
    "memories.tasks.upkeep_nightly",
    "memories.tasks.upkeep_learn_due",
    "memories.tasks.upkeep_summaries",
    "memories.tasks.upkeep_shrink",
    "memories.tasks.upkeep_triggers",
    "memories.tasks.upkeep_embed_missing",
)


def forget_old_tasks(apps, schema_editor):
    apps.get_model("django_celery_beat", "PeriodicTask").objects.filter(task__in=BECAME_JOBS).delete()


class Migration(migrations.Migration):

    dependencies = [
        ("jobs", "0001_runs_and_schedules"),
        ("django_celery_beat", "0001_initial"),
    ]

    operations = [migrations.RunPython(forget_old_tasks, migrations.RunPython.noop)]
