"""The Celery application. Imported by `memsite/__init__.py`, so that tasks find it in every process."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_embedded_init, worker_init

import memsite.broker  # noqa: F401  # makes embedded:// known
from memsite.lifeline import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.settings")

app = Celery("memsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@beat_embedded_init.connect
def end_with_the_worker(**_: Any) -> None:
    """The beat inside a worker (`-B`) is a process of its own: without this it survives a killed worker."""
    die_with_parent()


@worker_init.connect
def be_counted(**_: Any) -> None:
    from memsite.metrics import count_together

    count_together("worker")
