"""A purge of more than some memories: hidden from everyone in one transaction, deleted later in many small ones.

What is hidden has `purged_at`, and `for_app` passes it over. Whatever quotes it, or would still work on it, is deleted
with the hiding. So nothing that is late finds its place again: a claimed extraction is gone, a session takes nothing
more in, and a repeated request is told that what it made is gone (410).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import PROTECT, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from memories.models import (
    Action,
    Alert,
    Delivery,
    DeliveryStatus,
    Document,
    Entity,
    Extraction,
    FutureTrigger,
    HealthReport,
    Import,
    ImportPart,
    ImportStatus,
    Injection,
    LedgerEntry,
    Link,
    LinkKind,
    Memory,
    Preload,
    Purge,
    PurgeStatus,
    PurgeWhat,
    RecallCount,
    Rejection,
    Revision,
    Rollback,
    SavedView,
    Summary,
    SummaryDue,
)
from memories.models.memory import MemoryQuerySet
from memories.models.webhook import MEMORY_DELETED
from memories.store.links import PLAN, deleted_together, drop_for
from memories.store.redact_sources import redact_reasons
from memories.store.revisions import Key, learnt_in
from memories.store.transaction import writing
from memories.store.writer import Writer
from memsite.db.transactions import in_batches
from memsite.tenancy import audit
from memsite.tenancy.append_only import purge_permit
from memsite.tenancy.idempotency import forget_all_answers, forget_answers
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.purge_residue import note_residue
from sessions.models import AgentSession, Cooldown, Event, Resource, Turn

BATCH = 500
BATCH_OF_TEXTS = 200
"""A text may have megabytes."""
OF_A_SESSION: tuple[Any, ...] = (Injection, Extraction, Rejection, FutureTrigger, Event, Cooldown, Turn)
OF_AN_APP: tuple[Any, ...] = (
    SummaryDue, Entity, RecallCount, HealthReport, Import, Rollback, Document, Alert, SavedView,
)  # fmt: skip
"""What was spent stays: the ledger holds numbers."""
Delete = Callable[[Writer], int]
Rows = TypeVar("Rows", bound=QuerySet[Any])


def purge_user(app: App, user_id: str, actor: str, now: datetime) -> Purge:
    """Purge what was said with this end user, and what is known about or from them."""
    with writing(app, actor, now) as write:
        hiding = Hiding(write, list(AgentSession.objects.for_app(app).filter(user_id=user_id)))
        FutureTrigger.objects.for_app(app).filter(user_id=user_id).delete()
        Rejection.objects.for_app(app).filter(candidate__user_id=user_id).delete()
        hiding.hide(Memory.objects.for_app(app).filter(user_id=user_id))
        purge = hiding.finish(PurgeWhat.USER)
        for model in (Import, Document):
            model.objects.for_app(app).filter(user_id=user_id).delete()
        # A filter may name them.
        SavedView.objects.for_app(app).filter(query__user=user_id).delete()
        # Nothing is left to be told of them, and a list of what is to be written should not name them.
        Summary.objects.for_app(app).filter(user_id=user_id).delete()
        SummaryDue.objects.for_app(app).filter(user_id=user_id).delete()
        write.summaries_due = [key for key in write.summaries_due if key[1] != user_id]
        return purge


def purge_session(session: AgentSession, actor: str, now: datetime) -> Purge:
    """Purge what was said in a session, and what was learnt from that."""
    with writing(session.app, actor, now) as write:
        rows = AgentSession.objects.for_app(session.app).filter(pk=session.pk)
        return Hiding(write, list(rows)).finish(PurgeWhat.SESSION)


def purge_memories(app: App, actor: str, now: datetime) -> Purge:
    """Purge all that the app knows, and not what was said to it."""
    with writing(app, actor, now) as write:
        hiding = Hiding(write, [])
        # What waits in no session was told as a memory.
        Rejection.objects.for_app(app).filter(session=None).delete()
        Document.objects.for_app(app).delete()
        hiding.hide(Memory.objects.for_app(app))
        return hiding.finish(PurgeWhat.MEMORIES)


def purge_app(app: App, actor: str, now: datetime) -> Purge:
    """Purge all that the app knows and was told. Its agents are locked out; what they had begun to write fails."""
    with writing(app, actor, now) as write:
        App.objects.filter(pk=app.pk).update(status=AppStatus.PURGING)
        app.status = AppStatus.PURGING
        if known := Purge.objects.for_app(app).open().filter(what=PurgeWhat.APP).first():
            return known
        forget_all_answers(app)
        # Answers to operators are not the app's: those go that tell of one of its memories.
        forget_answers(app, Memory.objects.for_app(app).values_list("uid", flat=True).iterator())
        note_residue(app.pk)
        rows = (Memory, AgentSession, Turn, Resource)
        counts = [model.objects.for_app(app).count() for model in rows]
        return note(write, PurgeWhat.APP, *counts)


def note(write: Writer, what: str, memories: int, sessions: int, turns: int, resources: int) -> Purge:
    """Note a purge, also in the audit log, of which nothing is ever deleted.

    What waits to be imported could bring it back.
    """
    ImportPart.objects.for_app(write.app).delete()
    Import.objects.for_app(write.app).filter(status__in=(ImportStatus.READING, ImportStatus.WAITING)).update(
        status=ImportStatus.STOPPED,
        finished_at=write.now,
        reason="something was deleted for good meanwhile: import the file again",
    )
    counts = {"memories": memories, "sessions": sessions, "turns": turns, "resources": resources}
    audit.note(write.actor, write.app, f"{what} purged", write.app.app_id, after=counts)
    return Purge.objects.create(app=write.app, what=what, asked_by=write.actor, asked_at=write.now, counts=counts)


class Hiding:
    """Hides sessions with what was said in them and what was learnt there; then the memories it is given."""

    def __init__(self, write: Writer, sessions: Sequence[AgentSession]) -> None:
        self.write, self.app, self.sessions = write, write.app, sessions
        for session in self.sessions:
            # The agent's name for it is free again: one who comes back begins anew.
            session.purged_at, session.external_id = write.now, None
        AgentSession.objects.for_app(self.app).bulk_update(self.sessions, ["purged_at", "external_id"], BATCH)
        self.gone = AgentSession.objects.going(self.app).order_by().values("pk")
        self.texts = Resource.objects.for_app(self.app).filter(session__in=self.gone).order_by().values("pk")
        self.said_there = Q(session__in=self.gone) | Q(resource__in=self.texts)
        if self.sessions:
            self.hide(Memory.objects.for_app(self.app).filter(session__in=self.gone))
            self.hide(Memory.objects.for_app(self.app).filter(resource__in=self.texts))
            learnt = Extraction.objects.for_app(self.app).filter(session__in=self.gone, reinforced__gt=0).order_by()
            actors = [learnt_in(session) for session in self.sessions] if learnt.exists() else []
            changes = Revision.objects.for_app(self.app).filter(after__has_key="content").order_by()
            changed: set[int] = set()
            for batch in in_batches(actors, BATCH):
                rows = changes.filter(actor__in=batch)
                changed.update(rows.values_list("memory_id", flat=True))
            self.hide(Memory.objects.for_app(self.app).filter(pk__in=changed))

    def hide(self, memories: MemoryQuerySet) -> None:
        """Hide memories. Three statements."""
        self.write.count -= memories.live().count()
        memories.order_by().update(purged_at=self.write.now, change_number=self.write.change_number)

    def hidden(self) -> MemoryQuerySet:
        return Memory.objects.going(self.app).filter(change_number=self.write.change_number).order_by()

    def finish(self, what: str) -> Purge:
        """Delete what quotes the hidden or would still work on it, and note the purge."""
        hidden = self.hidden()
        if Memory.objects.for_app(self.app).exists():
            for rows in self.batches(hidden):
                with_them = [memory.pk for memory in deleted_together(self.app, rows) if memory.purged_at is None]
                self.hide(Memory.objects.for_app(self.app).filter(pk__in=with_them))
        triggers = FutureTrigger.objects.for_app(self.app).filter(self.said_there)
        brought = Preload.objects.for_app(self.app).values("memory")
        texts = FutureTrigger.objects.for_app(self.app).order_by().exclude(resource=None).values("resource")
        has_trigger = Q(pk__in=brought) | Q(external_id__startswith=PLAN) | Q(resource__in=texts)
        uids = [session.uid for session in self.sessions]
        uids += [uid for rows in (triggers, hidden) for uid in rows.values_list("uid", flat=True)]
        with purge_permit():
            self.drop_quotes()
            # At once where a link tells of it; the rest when they are erased.
            links = Link.objects.for_app(self.app).filter(kind__in=(LinkKind.CONTRADICTS, LinkKind.SUPERSEDES))
            for rows in self.batches(hidden.filter(Q(pk__in=links.order_by().values("from_memory")))):
                redact_reasons(self.app, rows)
            triggers.delete()
            for rows in self.batches(hidden.filter(has_trigger)):
                beside = drop_for(self.app, rows)
                self.hide(Memory.objects.for_app(self.app).filter(pk__in=[memory.pk for memory in beside]))
            forget_answers(self.app, uids)
            note_residue(self.app.pk)
        turns = resources = 0
        for batch in in_batches(self.sessions, BATCH):
            some = [session.pk for session in batch]
            turns += Turn.objects.for_app(self.app).filter(session__in=some).count()
            resources += Resource.objects.for_app(self.app).filter(session__in=some).count()
        return note(self.write, what, hidden.count(), len(self.sessions), turns, resources)

    def drop_quotes(self) -> None:
        hidden = self.hidden()
        if self.sessions:
            Extraction.objects.for_app(self.app).filter(session__in=self.gone).delete()
            Injection.objects.for_app(self.app).filter(session__in=self.gone).delete()
            Event.objects.for_app(self.app).filter(session__in=self.gone).delete()
            Cooldown.objects.for_app(self.app).filter(session__in=self.gone).delete()
            Rejection.objects.for_app(self.app).filter(self.said_there).delete()
            LedgerEntry.objects.for_app(self.app).filter(session__in=self.gone).update(session=None)
        Rejection.objects.for_app(self.app).filter(memory__in=hidden.values("pk")).delete()
        Event.objects.for_app(self.app).filter(memory_uid__in=hidden.values("uid")).delete()
        keys = self.summarised()
        self.write.drop_summaries_of(keys)
        categories = {category for category, _ in keys}
        rows = Memory.objects.for_app(self.app).filter(category__in=categories).order_by().values_list("category")
        gone = categories - {category for (category,) in rows.distinct()}
        for report in HealthReport.objects.for_app(self.app) if gone else ():
            named = report.content.get("categories", {})
            report.content["categories"] = {name: count for name, count in named.items() if name not in gone}
            report.save(update_fields=["content"])

    def summarised(self) -> list[Key]:
        """Return the summaries that may hold words of the hidden: of where they are, and of where they have been."""
        hidden = self.hidden()
        keys = {(category, user or "") for category, user in hidden.values_list("category", "user_id").distinct()}
        moved = Revision.objects.for_app(self.app).filter(memory__in=hidden.values("pk")).exclude(action=Action.CREATED)
        moved = moved.filter(Q(after__has_key="category") | Q(after__has_key="user_id")).order_by()
        before = {(was.get("category"), was.get("user_id")) for was in moved.values_list("before", flat=True)}
        if not before:
            return sorted(keys)
        categories = {category for category, _ in keys | before if category}
        users = {user or "" for _, user in keys | before}
        return sorted((category, user) for category in categories for user in users)

    def batches(self, rows: MemoryQuerySet) -> Iterator[list[Memory]]:
        after = 0
        while batch := list(rows.filter(pk__gt=after).order_by("pk")[:BATCH]):
            yield batch
            after = batch[-1].pk


def going(app: App, model: Any) -> QuerySet[Any]:
    """Return what is hidden of memories or sessions; where the app itself goes, all of them."""
    hidden: QuerySet[Any] = model.objects.going(app)
    everything: QuerySet[Any] = model.objects.for_app(app)
    return everything | hidden if is_going(app) else hidden


def going_rows(app: App, model: Any) -> QuerySet[Any]:
    """Return rows of a model whose rows may belong to a session."""
    rows: QuerySet[Any] = model.objects.for_app(app)
    return rows if is_going(app) else rows.filter(session__in=going(app, AgentSession).order_by().values("pk"))


def is_going(app: App) -> bool:
    return app.status == AppStatus.PURGING


def stages(app: App) -> Iterator[tuple[str, Delete]]:
    """Yield what to delete, in this order: each to be called, in a transaction of its own, until it answers 0."""
    for model in OF_A_SESSION:
        yield str(model._meta.verbose_name_plural), deleting(going_rows(app, model))
    yield "ledger", unlink_ledger
    if is_going(app):
        yield "summaries", deleting(Summary.objects.for_app(app))
    yield "memories", erase_memories
    yield "resources", deleting(unread(going_rows(app, Resource)), BATCH_OF_TEXTS)
    yield "sessions", deleting(unread(going(app, AgentSession)))
    if is_going(app):
        for model in OF_AN_APP:
            yield str(model._meta.verbose_name_plural), deleting(model.objects.for_app(app))
        # All but what is still to be told of deletions: where nothing is left, nobody is to hear of what there was.
        rows = Delivery.objects.for_app(app).exclude(kind=MEMORY_DELETED, status=DeliveryStatus.WAITING)
        yield "deliveries", deleting(rows)


def unread(rows: Rows) -> Rows:
    """Return those that no other row reads. What another purge has hidden since waits for the next time."""
    for relation in rows.model._meta.related_objects:
        if relation.on_delete is PROTECT:
            readers = relation.related_model._base_manager.filter(
                **{relation.field.name: OuterRef("pk"), "app": OuterRef("app")}
            )
            rows = rows.filter(~Exists(readers))
    return rows


def unlink_ledger(write: Writer) -> int:
    """Unlink ledger entries from sessions that go: what was spent was spent all the same."""
    rows = LedgerEntry.objects.for_app(write.app).exclude(session=None)
    if not is_going(write.app):
        rows = rows.filter(session__in=going(write.app, AgentSession).order_by().values("pk"))
    pks = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
    return LedgerEntry.objects.for_app(write.app).filter(pk__in=pks).update(session=None, turn_number=None)


def deleting(rows: QuerySet[Any], size: int = BATCH) -> Delete:
    def delete(write: Writer) -> int:
        pks = list(rows.order_by("pk").values_list("pk", flat=True)[:size])
        if pks:
            with purge_permit():
                # Nothing but its number is read of a row, however long its text.
                rows.filter(pk__in=pks).only("pk", "app").delete()
                note_residue(write.app.pk)
        return len(pks)

    return delete


def erase_memories(write: Writer) -> int:
    rows = list(going(write.app, Memory).select_for_update().order_by("pk")[:BATCH])
    if rows:
        with purge_permit():
            if not is_going(write.app):
                redact_reasons(write.app, rows)
            write.erase(rows)
            note_residue(write.app.pk)
    return len(rows)


def settle(write: Writer) -> bool:
    """Note that the app's purges are done; return False if there is more to go by now."""
    app = write.app
    if going(app, Memory).exists() or going(app, AgentSession).exists():
        return False
    Purge.objects.for_app(app).open().update(status=PurgeStatus.DONE, finished_at=timezone.now())
    if is_going(app):
        App.objects.filter(pk=app.pk, status=AppStatus.PURGING).update(status=AppStatus.UNINSTALLED)
        app.status, write.count = AppStatus.UNINSTALLED, 0
    return True
