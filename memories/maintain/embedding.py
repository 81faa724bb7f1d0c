"""Vectors for what has none: the backlog of an embedder that was away, and another embedder for an app, in stages.

Another embedder first makes vectors of everything, then serves with one switch, then the old vectors go. Texts that an
embedder refuses alone, for services refuse what is too long for them, keep no others from theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

import numpy as np
import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Length

from memories.index.app_embedder import embedder_called, serving_embedder
from memories.maintain import pgvector
from memories.models import Memory, Passage, Vector, pgvector_table
from memories.models.memory import MemoryQuerySet
from memories.models.vector import FLOAT_BYTES, embed_contents
from memories.providers.embeddings import Embedder, EmbedderError, EmbedderMisconfigured, EmbedderUnavailable, Vectors
from memories.store import writing
from memsite.db.transactions import in_batches
from memsite.jobs.job import Run
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.scoping import ScopedQuerySet

log = structlog.get_logger("memories.maintain")
PROBE = "Is anybody there?"
SHORTEST = 100
"""Characters. A text whose beginning of that length is refused as well is not refused for its length."""
ACTOR = "system:vectors"
# Of many texts, those of one length go through the model together: 256 take less time than 4 × 64.
BATCH = 256
Place = tuple[int, int]
"""The change number and the pk of a memory. What changes goes behind all others, and so is met again."""
START: Place = (0, 0)
# What is written while the last batch is embedded takes one more; what comes faster waits for the next run.
ROUNDS = 50
DROPPED_AT_ONCE = 1_000
NO_PK = 2**63 - 1
NOTED_AT_ONCE = 100


def embed(texts: Sequence[str], embedder: Embedder) -> Vectors | None:
    """Return vectors, shape (len(texts), dim). None if the embedder does not answer.

    Of a text that fails alone, while others do not, the beginning is embedded; if all of it is refused its vector is
    zero: near to nothing, so that words alone find it, and the others do not wait for it.
    """
    try:
        return embedder.embed_documents(texts)
    except EmbedderError as error:
        log.warning("vectors_wait", embedder=embedder.name, error=str(error))
        if not answers(embedder):
            return None
        if len(texts) == 1:
            return embed_beginning(texts[0], embedder, error)
    middle = len(texts) // 2
    first = embed(texts[:middle], embedder)
    rest = None if first is None else embed(texts[middle:], embedder)
    return None if first is None or rest is None else np.concatenate([first, rest])


def embed_beginning(text: str, embedder: Embedder, error: EmbedderError) -> Vectors | None:
    """Embed as much of the text as the embedder takes. Some say of a text that is too long that they are away."""
    while len(text) > SHORTEST:
        text = text[: len(text) // 2]
        try:
            return embedder.embed_documents([text])
        except EmbedderError as again:
            error = again
    if not isinstance(error, EmbedderMisconfigured):
        return None
    log.warning("text_refused", embedder=embedder.name, error=str(error))
    return np.zeros((1, embedder.dim), np.float32)


def answers(embedder: Embedder) -> bool:
    try:
        embedder.embed_query(PROBE)
    except EmbedderError:
        return False
    return True


def without_vector(app: App, model: str, after: Place = START) -> MemoryQuerySet:
    """Return the app's memories that lack a vector of this model, in the order of their last change."""
    change, pk = after
    behind = Q(change_number__gt=change) | Q(change_number=change, pk__gt=pk)
    # The first condition is what the database can find the place in the index by.
    rows = Memory.objects.for_app(app).warm().filter(behind, change_number__gte=change)
    return rows.without_vector(model).order_by("change_number", "pk")


def passages_without(app: App, model: str) -> QuerySet[Passage]:
    """Return the passages that have no vector of this model, and none of it in waiting."""
    return Passage.objects.for_app(app).exclude(model=model).exclude(next_model=model).order_by("pk")


def embed_memories(app: App, embedder: Embedder, now: datetime, run: Run, after: Place) -> bool:
    """Embed what lacks its vector.

    Counts `embedded`; the cursor is the place. False if the embedder does not answer, and the rest has to wait.
    """
    while rows := list(without_vector(app, embedder.name, after)[:BATCH]):
        vectors = embed_contents([(row.content, row.subject) for row in rows], partial(embed, embedder=embedder))
        if vectors is None:
            return False
        after = rows[-1].change_number, rows[-1].pk
        with writing(app, ACTOR, now) as write:
            count = write.embed(rows, vectors, embedder.name)
            run.done({"embedded": count}, model=embedder.name, place=after)
    return True


def place_of(run: Run, model: str) -> Place | None:
    """Return how far the run was with vectors of this model when it was broken off."""
    if run.cursor.get("model") != model:
        return None
    change, pk = run.cursor["place"]
    return change, pk


def embed_passages(app: App, embedder: Embedder, now: datetime, run: Run) -> bool:
    """Embed the passages, whose vectors wait until the model serves. They have no order: each is met once."""
    after = 0
    while rows := list(passages_without(app, embedder.name).filter(pk__gt=after)[:BATCH]):
        vectors = embed([row.text for row in rows], embedder)
        if vectors is None:
            return False
        after = rows[-1].pk
        with writing(app, ACTOR, now) as write:
            write.embed_passages(rows, vectors, embedder.name)
            run.done({"passages": len(rows)})
    return True


def apps_to_reembed(current: Embedder) -> QuerySet[App]:
    """Return the active apps that the embedder of the settings does not serve yet, or not with all vectors.

    Or whose first or last vector tells that another model of its name has made it.
    """
    apps, wanted = App.objects.filter(status=AppStatus.ACTIVE), ~Q(vector_model__in=("", current.name))
    if current.known_dim and not current.in_process:
        of_it = Vector.objects.filter(app=OuterRef("pk"), model=current.name).values("dim")
        first, last = (Subquery(of_it.order_by(order)[:1]) for order in ("memory_id", "-memory_id"))
        apps = apps.alias(first=first, last=last)
        wanted |= ~Q(first=current.known_dim) | ~Q(last=current.known_dim)
    return apps.filter(wanted | Q(vectors_lost=True))


def reembed(app: App, now: datetime, run: Run, current: Embedder) -> None:
    """Embed an app anew. Searches go on with the vectors that are there until there are others of everything.

    `current` is the embedder of the settings. Counts `embedded`, `passages`, `switched`, `dropped` vectors and their
    bytes. Also finds whatever else has no vector. Ends early, to be run again, when the embedder does not answer.
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
        # Delete the vectors of all other models, some at a time.
        rows = Vector.objects.for_app(app)
        for other in rows.exclude(model=current.name).order_by().values_list("model", flat=True).distinct():
            drop(rows.filter(model=other), run)
        Passage.objects.for_app(app).exclude(next_model="").update(next_model="", next_data=None)
        if app.near_model:
            app.refresh_from_db(fields=["near_model"])
            pgvector.tidy(app, run, app.near_model)


def complete(app: App, now: datetime, run: Run, embedder: Embedder) -> bool:
    """Return whether this embedder serves the app in the end, with vectors of everything."""
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
    """Let a model serve that has a vector of everything; False if something was written meanwhile.

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
    """Return what another model of this name has made, with which nothing can be compared.

    None while nobody can tell.
    """
    rows = Vector.objects.for_app(app)
    if not current.in_process:
        with suppress(EmbedderError):
            return rows.filter(model=current.name).exclude(dim=current.dim)
    return rows.none()


def forget(app: App, now: datetime, run: Run, current: Embedder) -> None:
    """Delete all that another model of this name has made.

    Its vectors go last: by them it is known that it is to be done.
    """
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
    """Return whether nothing leads to the embedder of the app's vectors any more."""
    return bool(app.vector_model) and embedder_called(app.vector_model, current) is None


def refuses(app: App, current: Embedder) -> bool:
    """Ask the embedder of the app's vectors whether it can still work."""
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
    """Switch at once, for want of the embedder before.

    Words and the graph carry the searches until this one has its vectors.
    """
    with writing(app, ACTOR, now) as write:
        write.serve(model, complete=False)
        if write.near_model == model:
            write.near_model = ""
        run.done({"switched": 1})
    log.warning("embedder_lost", app=app.app_id, model=app.vector_model, now=model)
    app.refresh_from_db(fields=["vector_model", "vectors_lost", "near_model"])


def drop(rows: ScopedQuerySet[Vector], run: Run) -> None:
    """Delete vectors, some at a time."""
    while some := list(rows.order_by("memory_id").values_list("pk", Length("data"))[:DROPPED_AT_ONCE]):
        with transaction.atomic():
            dropped = rows.filter(pk__in=[pk for pk, _ in some]).delete()[0]
            run.done({"dropped": dropped, "bytes_dropped": sum(size for _, size in some)})


def apps_with_backlog() -> list[int]:
    """Return pks of the active apps in which a memory that has changed lacks its vector. One query.

    Of the others it is noted that nothing is missing: most writes bring their vector, and set nothing going.
    """
    apps = App.objects.filter(change_number__gt=F("embedded_to"), vectors_lost=False, status=AppStatus.ACTIVE)
    changed = Memory.objects.warm().filter(app=OuterRef("pk"), change_number__gt=OuterRef("embedded_to"))
    its_vector = Vector.objects.filter(memory=OuterRef("pk"), model=OuterRef(OuterRef("vector_model")))
    lacking: list[int] = []
    embedded: list[App] = []
    seen = apps.order_by("pk").only("change_number", "embedded_to", "vector_model")
    for row in seen.annotate(is_lacking=Exists(changed.filter(~Exists(its_vector)))):
        if row.is_lacking:
            lacking.append(row.pk)
        else:
            embedded.append(row)
    for batch in in_batches(embedded, NOTED_AT_ONCE):
        with transaction.atomic():
            for app in batch:
                note_embedded(app, app.vector_model)
    return lacking


def note_embedded(app: App, model: str) -> None:
    """Note that nothing up to this change lacks its vector of this model, unless another one serves by now."""
    rows = App.objects.filter(pk=app.pk, embedded_to=app.embedded_to, vector_model__in=(model, ""))
    rows.update(embedded_to=app.change_number)


def embed_backlog(app: App, now: datetime, run: Run, current: Embedder) -> None:
    """Look at what changed since the last time that nothing was missing; one query if nothing has.

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
