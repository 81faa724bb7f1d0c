"""Summaries written anew though no memory changed: weekly, and where time or a switch has made them stale."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from memories.maintain.merge import opaque_key
from memories.maintain.summaries import AT_LEAST_CHANGES, Rewriting
from memories.models import Memory, Passage, Summary, SummaryDue, Visibility
from memories.models.memory import MemoryQuerySet
from memories.models.summary import SummaryQuerySet
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import Provider
from memories.store.revisions import Key, mark_due
from memsite.jobs.job import Run
from memsite.tenancy.models import App

ACTOR = "system:summaries"
NOBODY = Value("")


def rebuild_summaries(app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
    """Rebuild one summary after the other, each in a transaction of its own. Counts `rebuilt` and of these `changed`.

    One that another worker is at, or whose model fails, stays due and is written with the next rewriting. Nothing for
    an app that keeps no summaries.
    """
    rebuilt_to: str = run.cursor.get("rebuilt_to", "")
    keys = {opaque_key(*key): key for key in all_keys(app)} if app.policy.capture_summaries else {}
    for number in sorted(keys):
        if number > rebuilt_to:
            category, user_id = keys[number]
            mark_due(app, [keys[number]], now, AT_LEAST_CHANGES)
            stored = partial(note, run, number)
            rewriting = Rewriting(app, provider, embedder, ACTOR, now, afresh=True, on_stored=stored)
            rewriting.run(Q(category=category, user_id=user_id))


def note(run: Run, number: str, is_new: bool) -> None:
    run.done({"rebuilt": 1, "changed": int(is_new)}, rebuilt_to=number)


def all_keys(app: App) -> set[Key]:
    """Return the keys of what is told, and of what is written. Two queries."""
    known = Memory.objects.for_app(app).active().exclude(visibility=Visibility.AGENT).order_by()
    written = Summary.objects.for_app(app).current().order_by()
    rows = (rows.values_list("category", "user_id").distinct() for rows in (known, written))
    return {(category, user_id or "") for keys in rows for category, user_id in keys}


def apps_with_stale_summaries(now: datetime) -> set[int]:
    """Return pks of the apps in which summaries have to be marked or put away. Four queries."""
    apps = set(run_out(now).values_list("app_id", flat=True))
    apps |= set(begun(now).values_list("app_id", flat=True))
    apps |= set(unwritten(now).values_list("pk", flat=True))
    return apps | set(
        Summary.objects.current().filter(app__policy__capture_summaries=False).values_list("app_id", flat=True)
    )


def mark_stale(app: App, now: datetime) -> int:
    """Have them written anew at once; return how many. What is being written already is left to that."""
    keys: set[Key] = set(run_out(now).for_app(app).values_list("category", "user_id"))
    keys |= set(begun(now).for_app(app).values_list("category", Coalesce("user_id", NOBODY)))
    if unwritten(now).filter(pk=app.pk).exists():
        keys |= all_keys(app)
    mark_due(app, keys, now, AT_LEAST_CHANGES)
    return len(keys)


def run_out(now: datetime) -> SummaryQuerySet:
    """Return summaries of which a memory has run out, or has begun to hold, since its facts were read."""
    theirs = summarisable(app=OuterRef("app"), category=OuterRef("category"), whose=OuterRef("user_id"))
    ended = theirs.filter(valid_until__gt=OuterRef("read_at"), valid_until__lte=now)
    began = theirs.filter(valid_from__gt=OuterRef("read_at"), valid_from__lte=now)
    rows = Summary.objects.current().filter(app__policy__capture_summaries=True).order_by()
    rows = rows.alias(read_at=Coalesce("as_of", "created_at"))
    return rows.filter(Exists(ended) | Exists(began)).exclude(Exists(due(OuterRef("category"), OuterRef("user_id"))))


def begun(now: datetime) -> MemoryQuerySet:
    """Return memories that hold from some day on, which has come, in categories that have no summary yet."""
    rows = summarisable(app__in=App.objects.filter(policy__capture_summaries=True), valid_from__lte=now).valid(now)
    key = {"category": OuterRef("category"), "user_id": OuterRef("whose")}
    written = Summary.objects.current().filter(app=OuterRef("app"), **key)
    return rows.exclude(Exists(written)).exclude(Exists(due(**key)))


def unwritten(now: datetime) -> QuerySet[App]:
    """Return apps that keep summaries and have not one, although they know something: it was just switched on."""
    mine = {"app": OuterRef("pk")}
    known = Exists(summarisable(**mine).valid(now))
    none = ~Exists(Summary.objects.current().filter(**mine)) & ~Exists(SummaryDue.objects.filter(**mine))
    return App.objects.filter(none, known, policy__capture_summaries=True)


def summarisable(**where: object) -> MemoryQuerySet:
    """Return what summaries may tell of, as far as it is so; `whose` is the end user, "" for nobody in particular."""
    rows = Memory.objects.active().exclude(visibility=Visibility.AGENT).order_by()
    return rows.annotate(whose=Coalesce("user_id", NOBODY)).filter(**where)


def due(category: OuterRef, user_id: OuterRef) -> QuerySet[SummaryDue]:
    return SummaryDue.objects.filter(app=OuterRef("app"), category=category, user_id=user_id)


@transaction.atomic
def put_away(app: App, now: datetime) -> int:
    """Archive the summaries of an app that keeps none any more; return how many."""
    # As writers of memories do: nobody writes one between the look and the write.
    list(App.objects.select_for_update().filter(pk=app.pk).values_list("pk"))
    if App.objects.filter(pk=app.pk, policy__capture_summaries=True).exists():
        return 0
    SummaryDue.objects.for_app(app).delete()
    Passage.objects.for_app(app).delete()
    return Summary.objects.for_app(app).current().update(archived_at=now)
