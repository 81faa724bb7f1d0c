"""Weekly: every summary is written anew, from what is known and not from what was written before."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db.models import Q

from memories.maintain.drawers import opaque_key
from memories.maintain.run import Run
from memories.maintain.summaries import AT_LEAST_CHANGES, Rewriting
from memories.models import Memory, Summary, Visibility
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import Provider
from memories.store.due import Key, mark_due
from memsite.tenancy.models import App

ACTOR = "system:summaries"


def rebuild_summaries(app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
    """One summary after the other, each in a transaction of its own. Counts `rebuilt` and of these `changed`.

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
    """Of what is told, and of what is written. Two queries."""
    told = Memory.objects.for_app(app).active().exclude(visibility=Visibility.AGENT).order_by()
    written = Summary.objects.for_app(app).current().order_by()
    rows = (rows.values_list("category", "user_id").distinct() for rows in (told, written))
    return {(category, user_id or "") for found in rows for category, user_id in found}
