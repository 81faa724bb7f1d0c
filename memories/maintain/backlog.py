"""Memories that were stored while the embedder was away get their vector."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from memories.index.app_embedder import serving_embedder
from memories.maintain.reembed import is_lost, serve_at_once
from memories.maintain.run import Run
from memories.maintain.vectors import Place, embed_memories, place_of
from memories.models import Memory, Vector
from memories.providers.embeddings import Embedder
from memsite.tenancy.models import App, AppStatus

NO_PK = 2**63 - 1
NOTED_AT_ONCE = 100


def apps_with_backlog() -> list[int]:
    """Pks of the active apps in which a memory that has changed lacks its vector. One query.

    Of the others it is noted that nothing is missing: most writes bring their vector, and set nothing going.
    """
    apps = App.objects.filter(change_number__gt=F("embedded_to"), vectors_lost=False, status=AppStatus.ACTIVE)
    changed = Memory.objects.warm().filter(app=OuterRef("pk"), change_number__gt=OuterRef("embedded_to"))
    its_vector = Vector.objects.filter(memory=OuterRef("pk"), model=OuterRef(OuterRef("vector_model")))
    lacking: list[int] = []
    embedded: list[App] = []
    seen = apps.order_by("pk").only("change_number", "embedded_to", "vector_model")
    for found in seen.annotate(is_lacking=Exists(changed.filter(~Exists(its_vector)))):
        if found.is_lacking:
            lacking.append(found.pk)
        else:
            embedded.append(found)
    for start in range(0, len(embedded), NOTED_AT_ONCE):
        with transaction.atomic():
            for app in embedded[start : start + NOTED_AT_ONCE]:
                note_embedded(app, app.vector_model)
    return lacking


def note_embedded(app: App, model: str) -> None:
    """Nothing up to the change that was seen lacks its vector of this model: unless another one serves by now."""
    rows = App.objects.filter(pk=app.pk, embedded_to=app.embedded_to, vector_model__in=(model, ""))
    rows.update(embedded_to=app.change_number)


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
        note_embedded(app, embedder.name)
