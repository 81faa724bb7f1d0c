"""The Celery application. Imported by `memsite/__init__.py`, so that tasks find it in every process."""

import os
import signal
from threading import Thread
from typing import Any

import structlog
from celery import Celery
from celery.signals import beat_embedded_init, worker_init, worker_ready
from celery.worker import state

from memsite.ops.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")

app = Celery("memsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def end_the_beat_too(**_: Any) -> None:
    """End the beat inside a worker (`-B`), a process of its own, with a killed worker."""
    pid = os.getpid()
    beat_embedded_init.connect(lambda **_: die_with_parent(pid), weak=False)


@worker_ready.connect
def end_without_the_beat(sender: Any, **_: Any) -> None:
    """End the worker without its beat: nothing would be called any more, and nobody would notice.

    Whoever has started the worker, starts it again.
    """
    if beat := getattr(sender.controller, "beat", None):
        Thread(target=end_with, args=(beat,), name="watch-beat", daemon=True).start()


def end_with(beat: Any) -> None:
    beat.join()
    if state.should_stop is None and state.should_terminate is None:
        structlog.get_logger("memsite.jobs.beat").error("beat_is_gone", exit_code=beat.exitcode)
        os.kill(os.getpid(), signal.SIGTERM)


@worker_init.connect
def be_counted(**_: Any) -> None:
    from memsite.ops.metrics import count_together

    count_together("worker")
