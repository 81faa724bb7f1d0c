"""Background work. Each task is safe to run twice: the database says what is still to be done."""

from collections import Counter
from datetime import datetime

from celery import shared_task
from django.db.models import QuerySet
from django.utils import timezone

from memories.agent import MemoryAgent, current_embedder
from memories.capture.learning import ACTOR
from memories.capture.work import sessions_due
from memories.learn.triggers import roll_over
from memories.maintain.backlog import embed_backlog
from memories.maintain.decay import decay_app
from memories.maintain.housekeeping import drop_expired_answers
from memories.maintain.reembed import needs_reembedding, reembed
from memories.maintain.run import Unclaimed
from memories.providers.embeddings import Embedder
from memsite.tenancy.models import App, AppStatus


@shared_task
def learn(app_pk: int, session_pk: int) -> int:
    """Finds the facts in what a session said; answers how many memories came of it."""
    app = active_apps().filter(pk=app_pk).first()
    if app is None:
        return 0
    return sum(lesson.stored for lesson in MemoryAgent(app, None, ACTOR).learn_session(session_pk))


@shared_task
def upkeep_learn_due() -> int:
    """The sweep behind the doorbell: works off what nobody rang for, and what is to be tried again."""
    now = timezone.now()
    return sum(learn(app.pk, session) for app in active_apps() for session in sessions_due(app, now))


@shared_task
def upkeep_summaries() -> int:
    """Writes the summaries anew whose memories changed; answers how many texts changed."""
    return sum(MemoryAgent(app, None, ACTOR).rewrite_summaries() for app in active_apps())


@shared_task
def upkeep_shrink() -> int:
    """Brings apps down to a limit that was lowered; answers how many memories made room."""
    return sum(MemoryAgent(app, None, ACTOR).shrink() for app in active_apps())


@shared_task
def upkeep_triggers() -> dict[str, int]:
    """Moves recurring triggers on to their next day, and puts away what is over."""
    now = timezone.now()
    counts: Counter[str] = Counter()
    for app in active_apps():
        counts.update(roll_over(app, now))
    return dict(counts)


@shared_task
def upkeep_embed_missing() -> int:
    """Gives memories without a vector theirs, and all of them new ones where the embedder changed; answers how many."""
    embedder, now = current_embedder(), timezone.now()
    return sum(give_vectors(app, embedder, now) for app in active_apps())


def give_vectors(app: App, embedder: Embedder, now: datetime) -> int:
    backlog, anew = Unclaimed(until=now), Unclaimed(until=now)
    embed_backlog(app, now, backlog, embedder)
    if needs_reembedding(app, embedder):
        reembed(app, now, anew, embedder)
    return backlog.counts["embedded"] + anew.counts["embedded"]


@shared_task
def upkeep_nightly() -> dict[str, int]:
    """Decay in every app, and old idempotency answers dropped."""
    now = timezone.now()
    decayed = sum(decay_app(app, now)["decayed"] for app in active_apps())
    return {"decayed": decayed, "answers_dropped": drop_expired_answers(now)}


def active_apps() -> QuerySet[App]:
    return App.objects.filter(status=AppStatus.ACTIVE).select_related("policy")
