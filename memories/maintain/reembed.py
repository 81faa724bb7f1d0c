"""Another embedder for an app, in stages: vectors of everything, then one switch, then the old ones go."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Length

from memories.index.app_embedder import embedder_called
from memories.maintain import pgvector
from memories.maintain.embedding import PROBE, answers
from memories.maintain.run import Run
from memories.maintain.vectors import (
    ACTOR,
    START,
    Place,
    embed_memories,
    embed_passages,
    passages_without,
    place_of,
    without_vector,
)
from memories.models import Passage, Vector, pgvector_table
from memories.models.vector import FLOAT_BYTES
from memories.providers.embeddings import Embedder, EmbedderError, EmbedderMisconfigured, EmbedderUnavailable
from memories.store import writing
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.scoping import ScopedQuerySet

log = structlog.get_logger("memories.maintain")
# What is written while the last batch is embedded takes one more; what comes faster waits for the next run.
ROUNDS = 50
DROPPED_AT_ONCE = 1_000


def apps_to_reembed(current: Embedder) -> QuerySet[App]:
    """The active apps that the embedder of the settings does not serve yet, or not with all vectors; or whose first or
    last vector tells that another model of its name has made it.
    """
    apps, wanted = App.objects.filter(status=AppStatus.ACTIVE), ~Q(vector_model__in=("", current.name))
    if current.known_dim and not current.in_process:
        of_it = Vector.objects.filter(app=OuterRef("pk"), model=current.name).values("dim")
        first, last = (Subquery(of_it.order_by(order)[:1]) for order in ("memory_id", "-memory_id"))
        apps = apps.alias(first=first, last=last)
        wanted |= ~Q(first=current.known_dim) | ~Q(last=current.known_dim)
    return apps.filter(wanted | Q(vectors_lost=True))


def reembed(app: App, now: datetime, run: Run, current: Embedder) -> None:
    """Searches go on with the vectors that are there until there are others of everything.

    `current` is the embedder of the settings. Counts `embedded`, `passages`, `switched`, `dropped` vectors and their
    bytes. Also finds whatever else has no vector. Ends early, to be run again, when the embedder is away.
    """
    app.refresh_from_db(fields=["vector_model", "vectors_lost", "near_model"])
    if of_other_length(app, current).exists():
        # A process that was started before the model was replaced gets no vector any more, and is not asked.
        if not answers(current):
            return
        forget(app, now, run, current)
    if app.vector_model not in ("", current.name) and (is_lost(app, current) or refuses(app, current)):
        serve_at_once(app, now, run, current.name)
    # Nor does it know whether those that are there are of any use.
    if app.vectors_lost and not (current.in_process or answers(current)):
        return
    if complete(app, now, run, current):
        drop_others(app, run, current.name)


def complete(app: App, now: datetime, run: Run, embedder: Embedder) -> bool:
    """Whether this embedder serves the app in the end, with vectors of everything."""
    place = place_of(run, embedder.name) or START
    app.refresh_from_db(fields=["near_model"])
    for _ in range(ROUNDS):
        if not (embed_memories(app, embedder, now, run, place) and embed_passages(app, embedder, now, run)):
            return False
        place = place_of(run, embedder.name) or START
        try:
            dim = pgvector.prepare(app, embedder.name, run) if app.near_model else 0
        except pgvector_table.BeingMade:
            return False
        if switch(app, now, run, embedder.name, place, dim):
            return True
    return False


def switch(app: App, now: datetime, run: Run, model: str, place: Place, dim: int = 0) -> bool:
    """Lets a model serve that has a vector of everything; False if something was written meanwhile.

    Where pgvector is asked, it has to be ready for this model, too: for vectors of the length `dim`.

    Nobody can write between the look and the switch. Behind the `place` is where the latest writes are.
    """
    with writing(app, ACTOR, now) as write:
        is_late = without_vector(app, model, place).exists() or passages_without(app, model).exists()
        if is_late or without_vector(app, model).exists():
            return False
        is_new = write.vector_model != model
        if dim:
            pgvector.copy_rest(write, model, dim)
        write.serve(model, complete=True)
        write.near_model = model if dim else ""
        run.done({"switched": int(is_new)})
    if is_new:
        log.info("embedder_changed", app=app.app_id, model=model)
    return True


def of_other_length(app: App, current: Embedder) -> ScopedQuerySet[Vector]:
    """What another model of this name has made, with which nothing can be compared. None while nobody can tell."""
    rows = Vector.objects.for_app(app)
    if not current.in_process:
        with suppress(EmbedderError):
            return rows.filter(model=current.name).exclude(dim=current.dim)
    return rows.none()


def forget(app: App, now: datetime, run: Run, current: Embedder) -> None:
    """All that another model of this name has made. Its vectors go last: by them it is known that it is to be done."""
    model, size = current.name, current.dim * FLOAT_BYTES
    if app.vector_model == model:
        serve_at_once(app, now, run, model)
    if pgvector_table.is_there():
        pgvector.tidy(app, run, app.near_model)
    with transaction.atomic():
        passages = Passage.objects.for_app(app).alias(size=Length("data"), next_size=Length("next_data"))
        passages.filter(model=model).exclude(size=size).update(model="", data=None)
        passages.filter(next_model=model).exclude(next_size=size).update(next_model="", next_data=None)
        run.done({}, model=model, place=START)
    drop(of_other_length(app, current), run)


def is_lost(app: App, current: Embedder) -> bool:
    """Whether nothing leads to the embedder of the app's vectors any more."""
    return bool(app.vector_model) and embedder_called(app.vector_model, current) is None


def refuses(app: App, current: Embedder) -> bool:
    """Asks the embedder of the app's vectors whether it can still work."""
    embedder = embedder_called(app.vector_model, current)
    try:
        if embedder is not None:
            embedder.embed_query(PROBE)
    except EmbedderMisconfigured as error:
        log.warning("serving_embedder_refuses", app=app.app_id, model=app.vector_model, error=str(error))
        return True
    except EmbedderUnavailable:
        """It may come back."""
    return False


def serve_at_once(app: App, now: datetime, run: Run, model: str) -> None:
    """For want of the embedder before: words and the graph carry the searches until this one has its vectors."""
    with writing(app, ACTOR, now) as write:
        write.serve(model, complete=False)
        if write.near_model == model:
            write.near_model = ""
        run.done({"switched": 1})
    log.warning("embedder_lost", app=app.app_id, model=app.vector_model, now=model)
    app.refresh_from_db(fields=["vector_model", "vectors_lost", "near_model"])


def drop_others(app: App, run: Run, model: str) -> None:
    """Deletes the vectors of all other models, some at a time."""
    rows = Vector.objects.for_app(app)
    for other in rows.exclude(model=model).order_by().values_list("model", flat=True).distinct():
        drop(rows.filter(model=other), run)
    Passage.objects.for_app(app).exclude(next_model="").update(next_model="", next_data=None)
    if app.near_model:
        app.refresh_from_db(fields=["near_model"])
        pgvector.tidy(app, run, app.near_model)


def drop(rows: ScopedQuerySet[Vector], run: Run) -> None:
    """Some at a time."""
    while some := list(rows.order_by("memory_id").values_list("pk", Length("data"))[:DROPPED_AT_ONCE]):
        with transaction.atomic():
            dropped = rows.filter(pk__in=[pk for pk, _ in some]).delete()[0]
            run.done({"dropped": dropped, "bytes_dropped": sum(size for _, size in some)})
