"""Background work. Each task is safe to run twice: the database says what is still to be done."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from memories.capture.extraction_queue import ring_for_retries
from memories.jobs import JOBS
from memories.maintain.derived import mend_reported
from memories.services import MemoryAgent
from memories.store.revisions import LEARNING as ACTOR
from memories.store.vacuum import sweep
from memsite.config.conf import get_conf
from memsite.jobs.engine import WORK, fire_due, work_off
from memsite.jobs.job import Unclaimed
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.row_level_security import confined

WORK_FOR = timedelta(minutes=10)
"""Within a task's time limit; whoever comes next goes on."""


@shared_task
def learn(app_pk: int, session_pk: int) -> int:
    """Find the facts in what a session said; return how many memories came of it."""
    app = App.objects.filter(pk=app_pk, status=AppStatus.ACTIVE).select_related("policy").first()
    if app is None:
        return 0
    with confined(app_pk):
        return sum(lesson.stored for lesson in MemoryAgent(app, None, ACTOR).learn_session(session_pk))


@shared_task
def learn_again() -> int:
    """Call workers to texts whose time to be tried again has come; return to those of how many sessions."""
    return ring_for_retries(timezone.now())


@shared_task
def upkeep_read_documents(app_pk: int) -> int:
    """Read what was uploaded; return how many documents were tried."""
    app = App.objects.filter(pk=app_pk, status=AppStatus.ACTIVE).select_related("policy").first()
    if app is None:
        return 0
    with confined(app_pk):
        return upkeeper(app).read_documents(Unclaimed(until=timezone.now()))


@shared_task
def upkeep_due() -> int:
    """Fire what is due, and call workers to it; return how many runs are new."""
    fired = fire_due(JOBS, timezone.now(), "beat")
    # More than one, so that a long job keeps nobody from the short ones.
    for _ in range(get_conf().upkeep_at_once + 1):
        enqueue(WORK)
    return len(fired)


@shared_task
def upkeep_work() -> int:
    """Work off what has been set going; return how many runs were touched."""
    return work_off(JOBS, upkeeper, WORK_FOR)


@shared_task
def upkeep_tell(app_pk: int) -> None:
    """Tell webhooks what has changed, after writes of apps that have some."""
    app = App.objects.filter(pk=app_pk, status=AppStatus.ACTIVE).select_related("policy").first()
    if app:
        with confined(app_pk):
            upkeeper(app).tell(Unclaimed(until=timezone.now()))


@shared_task
def upkeep_reconsider(app_pk: int, change_number: int) -> int:
    """Ask a model what should have made room for a write, where rules did; return how many memories come back."""
    app = App.objects.filter(pk=app_pk, status=AppStatus.ACTIVE).select_related("policy").first()
    if app is None:
        return 0
    with confined(app_pk):
        return upkeeper(app).reconsider_evictions(change_number)


@shared_task
def upkeep_mend(app_pk: int) -> int:
    """Mend damage that requests met in what is derived from memories; return how much was made anew."""
    app = App.objects.filter(pk=app_pk, status=AppStatus.ACTIVE).select_related("policy").first()
    if app is None:
        return 0
    with confined(app_pk):
        return mend_reported(app).total()


@shared_task
def upkeep_sweep() -> bool:
    """Sweep the traces of deletions out of the files; return whether it did."""
    return sweep(timezone.now())


def upkeeper(app: App) -> MemoryAgent:
    return MemoryAgent(app, None, ACTOR)
