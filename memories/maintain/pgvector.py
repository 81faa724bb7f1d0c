"""An app that has grown large: pgvector is asked for its vectors from then on; and no more when it has shrunk.

Its searches change over when a copy of everything is there with an index over it, and not before.
"""

from __future__ import annotations

from datetime import datetime

import structlog
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from memories.models import Vector, pgvector_table
from memories.store import Writer, writing
from memsite.config.conf import get_conf
from memsite.jobs.job import Run
from memsite.tenancy.models import App, AppStatus

log = structlog.get_logger("memories.maintain")
ACTOR = "system:pgvector"
BATCH = 500
DROPPED_AT_ONCE = 5_000
# An app that grows and shrinks around the limit is not to be moved each time.
LEAVES_BELOW = 0.5


def apps_to_move() -> QuerySet[App]:
    """Return those that pgvector should be asked for and is not, and the other way round.

    None where there is no pgvector.

    What is embedded anew, because its model was replaced, is moved when it has all of its vectors.
    """
    least = get_conf().pgvector_from
    if connection.vendor != "postgresql":
        return App.objects.none()
    if not pgvector_table.is_there():
        if least and App.objects.filter(memory_count__gte=least).exists():
            log.warning("pgvector_missing", memories=least, hint="docs/postgresql.md says how to install it")
        return App.objects.none()
    away, active = ~Q(near_model=""), Q(status=AppStatus.ACTIVE)
    is_large = (Q(memory_count__gte=least) | away & Q(memory_count__gte=least * LEAVES_BELOW)) & active
    if not least:
        return App.objects.filter(away)
    return App.objects.filter(
        is_large & ~Q(vector_model="") & ~Q(near_model=F("vector_model")) & (away | Q(vectors_lost=False))
        | away & ~is_large
    )


def move(app: App, now: datetime, run: Run) -> None:
    """Move the app to pgvector or back.

    Counts `copied` vectors, `moved` or `returned` (the app), and `dropped` copies. Goes on where it broke off.

    Does nothing where there is no pgvector: operators may ask for it anywhere.
    """
    if not pgvector_table.is_there():
        return
    app.refresh_from_db(fields=["near_model", "vector_model", "vectors_lost", "memory_count", "status"])
    least = get_conf().pgvector_from
    enough = least * (LEAVES_BELOW if app.near_model else 1)
    if least and app.memory_count >= enough and app.status == AppStatus.ACTIVE:
        if app.near_model or not app.vectors_lost:
            ask_pgvector(app, now, run)
    else:
        with writing(app, ACTOR, now) as write:
            write.near_model = ""
            run.done({"returned": 1})
        tidy(app, run, "")


def ask_pgvector(app: App, now: datetime, run: Run) -> None:
    model = app.vector_model
    try:
        dim = prepare(app, model, run)
    except pgvector_table.BeingMade:
        return
    if not dim:
        return
    with writing(app, ACTOR, now) as write:
        app.refresh_from_db(fields=["vectors_lost"])
        # Its model was replaced meanwhile: what was copied is of no use.
        is_void = app.vectors_lost and not write.near_model
        if write.vector_model != model:
            return
        if not is_void:
            copy_rest(write, model, dim)
            write.near_model = model
            run.done({"moved": 1})
    log.info("pgvector_waits" if is_void else "pgvector_serves", app=app.app_id, model=model)
    tidy(app, run, "" if is_void else model)


def prepare(app: App, model: str, run: Run) -> int:
    """Copy what is there, and make an index over it; return its dimension.

    0 where none can be had. Raises BeingMade.
    """
    of_it = Vector.objects.for_app(app).filter(model=model)
    dim = of_it.order_by("memory_id").values_list("dim", flat=True).first()
    if dim is None or dim > pgvector_table.MOST_DIMENSIONS:
        log.warning("pgvector_cannot_serve", app=app.app_id, model=model, dimensions=dim)
        return 0
    after, copied = 0, [0]
    while copied:
        with transaction.atomic():
            copied = pgvector_table.fill(app, model, dim, after, BATCH)
            run.done({"copied": len(copied)})
        after = max(copied, default=after)
    pgvector_table.make_index(app, model, dim)
    return dim


def copy_rest(write: Writer, model: str, dim: int) -> None:
    """Copy what was written meanwhile. Nobody else writes now."""
    after = 0
    while copied := pgvector_table.fill(write.app, model, dim, after, BATCH):
        after = max(copied)


def tidy(app: App, run: Run, model: str) -> None:
    """Drop the copies of other models than this one, and the indexes over them."""
    pgvector_table.drop_indexes(app, model)
    dropped = 1
    while dropped:
        with transaction.atomic():
            dropped = pgvector_table.drop_others(app, model, DROPPED_AT_ONCE)
            run.done({"dropped": dropped})
