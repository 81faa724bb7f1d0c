"""Memories that were stored while the embedder was away get their vector."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, QuerySet

from memories.maintain.reembed import is_lost, serve_at_once
from memories.maintain.run import Run
from memories.maintain.vectors import Place, embed_memories, place_of
from memories.providers.embeddings import Embedder
from memories.retrieve.serving import serving_embedder
from memsite.tenancy.models import App, AppStatus

NO_PK = 2**63 - 1


def apps_with_backlog() -> QuerySet[App]:
    """The active apps in which something has changed since nothing was missing the last time."""
    return App.objects.filter(change_number__gt=F("embedded_to"), status=AppStatus.ACTIVE)


def embed_backlog(app: App, now: datetime, run: Run, current: Embedder) -> None:
    """Looks at what changed since the last time that nothing was missing; one query if nothing has.

    `current` is the embedder of the settings. Its vectors are `reembed`'s as long as another one serves the app, and
    so is everything of an app whose embedder is gone.
    """
    app.refresh_from_db(fields=["change_number", "vector_model", "embedded_to", "vectors_lost"])
    if is_lost(app, current):
        serve_at_once(app, now, run, current.name)
    if app.vectors_lost or app.embedded_to == app.change_number:
        return
    embedder = serving_embedder(app, current)
    nothing_missing: Place = (app.embedded_to, NO_PK)
    if embed_memories(app, embedder, now, run, place_of(run, embedder.name) or nothing_missing):
        rows = App.objects.filter(pk=app.pk, vector_model__in=(embedder.name, ""))
        rows.update(embedded_to=app.change_number)
