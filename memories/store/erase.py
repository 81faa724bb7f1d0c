"""The second half of a purge: deletes what it has hidden, some rows to a transaction, the readers of a row before it.

Who is killed in between is followed by anyone: what is still to go says so itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from django.db.models import PROTECT, Exists, OuterRef, QuerySet
from django.utils import timezone

from memories.models import (
    Delivery,
    Entity,
    Extraction,
    FutureTrigger,
    HealthReport,
    Import,
    Injection,
    LedgerEntry,
    Memory,
    Purge,
    PurgeStatus,
    RecallCount,
    Rejection,
    Rollback,
    Summary,
    SummaryDue,
)
from memories.models.memory import MemoryQuerySet
from memories.store.forget import erase
from memories.store.reasons import redact_reasons
from memories.store.writer import Writer
from memsite.tenancy.append_only import purge_permit
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.purge_residue import note_residue
from sessions.models import AgentSession, Cooldown, Event, Resource, SessionQuerySet, Turn

BATCH = 500
BATCH_OF_TEXTS = 200
"""A text may have megabytes."""
OF_A_SESSION = (Injection, Extraction, Rejection, FutureTrigger, Event, Cooldown, Turn)
OF_AN_APP = (SummaryDue, Entity, RecallCount, HealthReport, Import, Rollback)
"""What was spent stays: the ledger holds numbers."""
Delete = Callable[[Writer], int]
Rows = TypeVar("Rows", bound=QuerySet[Any])


def going_memories(app: App) -> MemoryQuerySet:
    hidden = Memory.objects.going(app)
    return Memory.objects.for_app(app) | hidden if is_going(app) else hidden


def going_sessions(app: App) -> SessionQuerySet:
    hidden = AgentSession.objects.going(app)
    return AgentSession.objects.for_app(app) | hidden if is_going(app) else hidden


def going_rows(app: App, model: Any) -> QuerySet[Any]:
    """Rows of a model whose rows may belong to a session."""
    rows: QuerySet[Any] = model.objects.for_app(app)
    return rows if is_going(app) else rows.filter(session__in=going_sessions(app).order_by().values("pk"))


def is_going(app: App) -> bool:
    return app.status == AppStatus.PURGING


def stages(app: App) -> Iterator[tuple[str, Delete]]:
    """What to delete, in this order: each to be called, in a transaction of its own, until it answers 0."""
    for model in OF_A_SESSION:
        yield name_of(model), deleting(partial(going_rows, app, model))
    yield "ledger", unlink_ledger
    if is_going(app):
        yield name_of(Summary), deleting(partial(rows_of, app, Summary))
    yield "memories", erase_memories
    yield "resources", deleting(lambda: unread(going_rows(app, Resource)), BATCH_OF_TEXTS)
    yield "sessions", deleting(lambda: unread(going_sessions(app)))
    if is_going(app):
        for rows in OF_AN_APP:
            yield name_of(rows), deleting(partial(rows_of, app, rows))
        yield name_of(Delivery), deleting(lambda: Delivery.objects.for_app(app).of_what_was())


def unread(rows: Rows) -> Rows:
    """Those that no other row reads. What another purge has hidden since waits for the next time."""
    for relation in rows.model._meta.related_objects:
        if relation.on_delete is PROTECT:
            readers = relation.related_model._base_manager.filter(**{relation.field.name: OuterRef("pk")})
            rows = rows.filter(~Exists(readers))
    return rows


def rows_of(app: App, model: Any) -> QuerySet[Any]:
    rows: QuerySet[Any] = model.objects.for_app(app)
    return rows


def unlink_ledger(write: Writer) -> int:
    """What was spent in a session that goes was spent all the same."""
    rows = LedgerEntry.objects.for_app(write.app).exclude(session=None)
    if not is_going(write.app):
        rows = rows.filter(session__in=going_sessions(write.app).order_by().values("pk"))
    pks = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
    return LedgerEntry.objects.for_app(write.app).filter(pk__in=pks).update(session=None, turn_number=None)


def name_of(model: Any) -> str:
    return str(model._meta.verbose_name_plural)


def deleting(rows: Callable[[], QuerySet[Any]], size: int = BATCH) -> Delete:
    def delete(write: Writer) -> int:
        pks = list(rows().order_by("pk").values_list("pk", flat=True)[:size])
        if pks:
            with purge_permit():
                # Nothing but its number is read of a row, however long its text.
                rows().filter(pk__in=pks).only("pk").delete()
                note_residue()
        return len(pks)

    return delete


def erase_memories(write: Writer) -> int:
    rows = list(going_memories(write.app).select_for_update().order_by("pk")[:BATCH])
    if rows:
        with purge_permit():
            if not is_going(write.app):
                redact_reasons(write.app, rows)
            erase(write, rows)
            note_residue()
    return len(rows)


def settle(write: Writer) -> bool:
    """Notes that the app's purges are done; False if there is more to go by now."""
    app = write.app
    if going_memories(app).exists() or going_sessions(app).exists():
        return False
    Purge.objects.for_app(app).open().update(status=PurgeStatus.DONE, finished_at=timezone.now())
    if is_going(app):
        App.objects.filter(pk=app.pk, status=AppStatus.PURGING).update(status=AppStatus.UNINSTALLED)
        app.status, write.count = AppStatus.UNINSTALLED, 0
    return True
