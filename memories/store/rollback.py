"""Taking back what came from one source: its memories leave every search, and what it did to others is undone.

Nothing is deleted: each memory is withdrawn with a revision that says why, and can be restored until it is purged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from django.db.models import Q

from memories.models import (
    Action,
    Extraction,
    ExtractionStatus,
    FutureTrigger,
    Import,
    Link,
    LinkKind,
    Memory,
    Rejection,
    Revision,
    Rollback,
    RollbackWhat,
    Status,
    TriggerStatus,
)
from memories.models.memory import MemoryQuerySet
from memories.models.rejection import Decision
from memories.store.confidence import confidence_at, settle
from memories.store.forget import drop_summaries
from memories.store.lineage import insights_from
from memories.store.revisions import learnt_in, snapshot
from memories.store.triggers import called_off_in
from memories.store.writer import Writer
from memsite.tenancy.models import App
from memsite.tenancy.origin import Origin
from sessions.models import AgentSession, Resource

BATCH = 200
BROUGHT = ("importance", "tags", "metadata", "pinned", "external_id")
"""What a memory gains of what says it again."""
MOST_SESSIONS = 10_000


class Source:
    """What came from where a rollback says."""

    def __init__(self, app: App, rollback: Rollback) -> None:
        self.app, self.what, self.name, self.since = app, rollback.what, rollback.source, rollback.since

    @cached_property
    def sessions(self) -> list[AgentSession]:
        rows = AgentSession.objects.for_app(self.app).order_by("pk")
        match self.what:
            case RollbackWhat.SESSION:
                rows = rows.filter(uid=self.name)
            case RollbackWhat.AGENT:
                rows = rows.filter(agent__name=self.name)
            case RollbackWhat.IMPORT:
                rows = rows.filter(environment__import=self.name)
            case RollbackWhat.BRIDGE:
                rows = rows.filter(environment__client="chat", environment__bridge=self.name)
            case _:
                return []
        if self.since:
            rows = rows.filter(heartbeat_at__gte=self.since)
        return list(rows.select_related("agent")[:MOST_SESSIONS])

    @cached_property
    def texts(self) -> Q:
        """Those of its resources that something may be derived from."""
        found = Q(session__in=[session.pk for session in self.sessions])
        if self.what == RollbackWhat.RESOURCE:
            found |= Q(uid=self.name)
        return found

    def memories(self) -> MemoryQuerySet:
        """Of whatever status, without what is withdrawn already."""
        texts = Resource.objects.for_app(self.app).filter(self.texts).order_by().values("pk")
        found = Q(session__in=[session.pk for session in self.sessions]) | Q(resource__in=texts)
        match self.what:
            case RollbackWhat.AGENT:
                found |= Q(agent__name=self.name)
            case RollbackWhat.ORIGIN:
                found = Q(origin=self.name)
            case RollbackWhat.IMPORT:
                found |= self.facts_of_import()
        rows = Memory.objects.for_app(self.app).filter(found).exclude(status=Status.WITHDRAWN)
        return rows.filter(created_at__gte=self.since) if self.since else rows

    def facts_of_import(self) -> Q:
        """One file is taken in at a time: what came from its kind of system while it was, came from it."""
        row = Import.objects.for_app(self.app).filter(uid=self.name).first()
        if row is None:
            return Q(pk__in=())
        found = Q(origin=Origin.AGENT, external_id__startswith=f"{row.source}:", created_at__gte=row.created_at)
        return found & Q(created_at__lte=row.finished_at) if row.finished_at else found

    @cached_property
    def actors(self) -> list[str]:
        """Whose changes of other memories were made by it."""
        learnt = [learnt_in(session) for session in self.sessions]
        return [*learnt, f"agent:{self.name}"] if self.what == RollbackWhat.AGENT else learnt

    def changes(self, after: int) -> list[Revision]:
        """What it did to memories that came from elsewhere, the oldest first, some at a time."""
        rows = Revision.objects.for_app(self.app).filter(actor__in=self.actors, pk__gt=after)
        # What was contradicted is told by links.
        rows = rows.filter(action__in=(Action.REINFORCED, Action.EDITED)).exclude(memory__status=Status.WITHDRAWN)
        rows = rows.exclude(memory__in=self.memories().order_by())
        if self.since:
            rows = rows.filter(created_at__gte=self.since)
        return list(rows.select_related("memory").order_by("pk")[:BATCH]) if self.actors else []


def stop(write: Writer, source: Source, reason: str) -> None:
    """What would still be learnt from it, brought up or approved."""
    app, ours = write.app, [session.pk for session in source.sessions]
    texts = Resource.objects.for_app(app).filter(source.texts).order_by().values("pk")
    said = Q(session__in=ours) | Q(resource__in=texts)
    work = Extraction.objects.for_app(app).filter(said).exclude(status=ExtractionStatus.DONE)
    work.update(status=ExtractionStatus.DONE, lease_until=None, reason=reason, finished_at=write.now)
    triggers = FutureTrigger.objects.for_app(app)
    off = triggers.filter(status=TriggerStatus.CANCELLED, reason__in=[called_off_in(one) for one in source.sessions])
    off.update(status=TriggerStatus.WAITING, reason=None)
    triggers.filter(said, status=TriggerStatus.WAITING).update(status=TriggerStatus.CANCELLED)
    if source.what == RollbackWhat.AGENT:
        said |= Q(agent__name=source.name)
    if source.what == RollbackWhat.ORIGIN:
        said = Q(candidate__origin=source.name)
    waiting = Rejection.objects.for_app(app).filter(said, decision=Decision.OPEN)
    if source.since:
        waiting = waiting.filter(created_at__gte=source.since)
    waiting.update(decision=Decision.CONFIRMED, decided_by=write.actor, decided_at=write.now, decision_reason=reason)


def withdraw(write: Writer, source: Source, reason: str) -> Counter[str]:
    """The next few of its memories, with what was written from them; what they stood for stands again. Counts.

    One that another had said before the source gave it other words says that again, and stays.
    """
    some = list(source.memories().select_related("cold_text").order_by("pk")[:BATCH])
    rows = [memory for memory in some if not speaks_for_itself_again(write, source, memory, reason)]
    if not rows:
        return +Counter(undone=len(some))
    ours = {memory.pk for memory in rows} | set(source.memories().order_by().values_list("pk", flat=True))
    for memory in rows:
        memory.app = write.app
        set_free(write, memory, ours, reason)
        leave_winner(write, memory, ours, reason)
    insights = [one for one in insights_from(write.app, rows) if one.pk not in ours and is_there(one)]
    gone = {memory.pk: memory for memory in [*current(write, rows), *insights]}
    drop_summaries(write, list(gone.values()))
    plain = [(memory, reason) for memory in gone.values() if memory.status != Status.COLD]
    write.set_aside(plain, Status.WITHDRAWN, Action.WITHDRAWN)
    for memory in gone.values():
        if memory.status == Status.COLD:
            write.edit(memory, {"status": Status.WITHDRAWN}, reason)
    return +Counter(withdrawn=len(gone), undone=len(some) - len(rows))


def speaks_for_itself_again(write: Writer, source: Source, memory: Memory, reason: str) -> bool:
    """Whether its words were another's before the source's, and are that again."""
    memory.app = write.app
    if source.what != RollbackWhat.ORIGIN:
        return False
    changes = memory.revisions.filter(action__in=(Action.MERGED, Action.EDITED), after__origin=source.name)
    last = changes.order_by("-number").first()
    if last is None or last.before.get("origin", source.name) == source.name:
        return False
    # How sure it is, is told with what was merged into it.
    reword_back(write, memory, last, reason)
    return memory.origin != source.name


def is_there(memory: Memory) -> bool:
    return memory.status != Status.WITHDRAWN


def current(write: Writer, memories: Sequence[Memory]) -> list[Memory]:
    """As they are by now."""
    rows = Memory.objects.for_app(write.app).select_related("cold_text").filter(pk__in=[row.pk for row in memories])
    found = list(rows)
    for memory in found:
        memory.app = write.app
    return found


def set_free(write: Writer, memory: Memory, ours: set[int], reason: str) -> None:
    """What it superseded or was merged with stands for itself again; what it contradicted is as sure as before."""
    links = Link.objects.for_app(write.app).filter(from_memory=memory).exclude(to_memory__in=ours)
    links = links.filter(kind__in=(LinkKind.SUPERSEDES, LinkKind.CONTRADICTS)).select_related("to_memory")
    for link in links:
        other = link.to_memory
        other.app = write.app
        if link.kind == LinkKind.SUPERSEDES and other.is_superseded:
            write.restore(other, reason)
        elif link.kind == LinkKind.CONTRADICTS:
            was = other.revisions.filter(action=Action.CONTRADICTED, created_at=link.created_at).first()
            give_back(write, other, was, reason)
            write.unlink(link)


def leave_winner(write: Writer, memory: Memory, ours: set[int], reason: str) -> None:
    """What it was merged into says and is what it was before, as far as nobody has changed that since."""
    links = Link.objects.for_app(write.app).filter(to_memory=memory, kind=LinkKind.SUPERSEDES)
    for link in links.exclude(from_memory__in=ours).select_related("from_memory"):
        winner = link.from_memory
        winner.app = write.app
        merged = winner.revisions.filter(action=Action.MERGED, created_at=link.created_at).first()
        reword_back(write, winner, merged, reason)
        give_back(write, winner, merged, reason)


def undo_changes(write: Writer, source: Source, changes: Sequence[Revision], reason: str) -> int:
    """What the source did to memories of others: steps of confidence, and other words. How many were undone."""
    for change in changes:
        # As the change before this one has left it.
        memory = Memory.objects.for_app(write.app).get(pk=change.memory_id)
        memory.app = write.app
        reword_back(write, memory, change, reason)
        mark_back(write, memory, change, reason)
        give_back(write, memory, change, reason)
    return len(changes)


def give_back(write: Writer, memory: Memory, change: Revision | None, reason: str) -> None:
    """The step of confidence that a change made, the other way round, from what it is now."""
    if change is None or "confidence" not in change.before or memory.status == Status.COLD:
        return
    step = change.before["confidence"] - change.after["confidence"]
    before = snapshot(memory)
    settle(memory, confidence_at(memory, write.now, write.policy) + step, write.now, write.policy)
    memory.status = write.status_for(memory)
    if snapshot(memory) != before:
        write.keep(memory, Action.UNDONE, before, reason)


def mark_back(write: Writer, memory: Memory, change: Revision, reason: str) -> None:
    """What was brought along with a confirmation is gone again, unless somebody has changed it since."""
    names = BROUGHT if change.action == Action.REINFORCED else ()
    told = [name for name in names if name in change.before and getattr(memory, name) == change.after[name]]
    if told:
        write.edit(memory, {name: change.before[name] for name in told}, reason)


def reword_back(write: Writer, memory: Memory, change: Revision | None, reason: str) -> None:
    """The words from before a change, unless somebody has given it others since."""
    if change is None or "content" not in change.before or memory.text != change.after["content"]:
        return
    names = ("content", "origin", "reviewed_by", "made_by", "entities")
    write.edit(memory, {name: change.before[name] for name in names if name in change.before}, reason)
