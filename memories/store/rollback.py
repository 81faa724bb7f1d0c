"""Taking back what came from one source: its memories leave every search, and what it did to others is undone.

Nothing is deleted: each memory is withdrawn with a revision that says why, and can be restored until it is purged. What
the source did to other memories is undone field by field, as far as nobody else has changed it since: unlike the
writer's undo, which takes back a last change, this leaves standing what others did after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from memories.models import (
    LIVE,
    Action,
    Bridge,
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
from memories.models.capture import Decision
from memories.models.memory import MemoryQuerySet
from memories.store.links import called_off_in, insights_from, release
from memories.store.revisions import TRACKED, confidence_at, learnt_in, parse, settle, snapshot
from memories.store.writer import NOTED, Writer
from memsite.tenancy.models import App
from memsite.tenancy.origin import Origin
from sessions.models import AgentSession, Resource, SessionQuerySet

SURENESS = ("confidence", "confidence_base", "anchored_at")
"""Given back in steps: what others have added or taken meanwhile stays."""
FIELDS = tuple(name for name in TRACKED if name not in SURENESS)
WORDS = ("content", "origin", "made_by", "entities", "reviewed_by", "reviewed_at")
"""The words, and what is known of just these."""
VALIDITY = ("valid_from", "valid_until")
Asked = Callable[[Revision], bool]
BATCH = 200
TO_OTHERS = (Action.REINFORCED, Action.CONTRADICTED, Action.EDITED, Action.ARCHIVED, Action.RESTORED, Action.SUPERSEDED)
"""What a source does to memories of others. What was merged to make room stays so: nothing of it is lost."""
MOST_SESSIONS = 10_000
Rows = TypeVar("Rows", bound=QuerySet[Any])


def take_back(write: Writer, memory: Memory, is_theirs: Asked, is_own: Asked, reason: str) -> None:
    """Leave the memory as if the source had not made the changes that `is_theirs` says it made.

    `is_own` says which revisions are of rollbacks of this source: they are no decision of anybody's, and the steps of
    confidence before one of them are given back already. So it does nothing when it is done again. One revision, none
    if nothing is another than it was. A query to know, and one for each contradiction.
    """
    before = snapshot(memory)
    rows = list(memory.revisions.exclude(action__in=NOTED).order_by("-number"))
    was = as_before(before, rows, is_theirs, is_own)
    # What lies in the cold archive is at hand while it is changed.
    memory.content = before["content"]
    for name in FIELDS:
        if name != "status" and was[name] != before[name]:
            setattr(memory, name, parse(name, was[name]))
    put_back(write, memory, was["status"], before)
    done_to = max((row.number for row in rows if row.action == Action.UNDONE and is_own(row)), default=0)
    step = sum(step_of(memory, row) for row in rows if row.number > done_to and is_theirs(row))
    if memory.status != Status.COLD:
        # Who is pinned or unpinned by it decays from now on, or does not any more.
        if step or memory.pinned != before["pinned"]:
            settle(memory, confidence_at(memory, write.now, write.policy) + step, write.now, write.policy)
        memory.status = write.status_for(memory)
    if (memory.content, memory.subject) != (before["content"], before["subject"]):
        memory.vectors.all().delete()
    if snapshot(memory) != before:
        write.keep(memory, Action.UNDONE, before, reason)


def as_before(now: dict[str, Any], rows: Sequence[Revision], is_theirs: Asked, is_own: Asked) -> dict[str, Any]:
    """Return a snapshot without what the source did, by the memory's revisions, the latest first.

    Only who gave a field the value that it has counts: what it does not say any more was taken back or overwritten.
    """
    was, then, stands = dict(now), dict(now), set[str]()
    for row in rows:
        then |= row.before
        if is_own(row):
            continue
        for name in [name for name in FIELDS if name in row.before and name not in stands]:
            is_of_others_words = name in WORDS and "content" in stands
            if is_of_others_words or not is_set_by(row, name, was[name]):
                continue
            if not is_theirs(row):
                stands.add(name)
            elif name == "content":
                # A review of the words that go does not speak for those that come back.
                was |= {word: then[word] for word in WORDS}
                stands -= {*WORDS}
            else:
                was[name] = row.before[name]
    start, end = (parse(name, was[name]) for name in VALIDITY)
    return was | ({name: now[name] for name in VALIDITY} if start and end and end < start else {})


def is_set_by(row: Revision, name: str, value: Any) -> bool:
    before, after = row.before[name], row.after[name]
    if name != "status":
        return bool(after == value)
    # Which of the two live ones follows from how sure it is.
    return alive(after) == alive(value) and alive(before) != alive(after)


def alive(status: str) -> str:
    return Status.ACTIVE if status in LIVE else status


def put_back(write: Writer, memory: Memory, status: str, before: dict[str, Any]) -> None:
    """Bring back what was set aside if the app has capacity for it, so that nothing else has to go.

    What another memory stood for was looked at by whoever set it free: it stays free.
    """
    if alive(status) == alive(memory.status) or status == Status.SUPERSEDED:
        return
    if status in LIVE and memory.status not in LIVE and write.count >= write.limit:
        return
    if memory.is_superseded:
        release(memory, before)
    memory.status = status


def step_of(memory: Memory, row: Revision) -> float:
    """Return what a change took from the confidence.

    A contradiction holds while there is its link, which goes with it.
    """
    if "confidence" not in row.before:
        return 0.0
    if row.action == Action.CONTRADICTED:
        links = memory.links_in.filter(kind=LinkKind.CONTRADICTS, created_at=row.created_at)
        if not links.delete()[0]:
            return 0.0
    return float(row.before["confidence"] - row.after["confidence"])


class Source:
    """What came from where a rollback says."""

    def __init__(self, app: App, rollback: Rollback) -> None:
        self.app, self.what, self.name, self.since = app, rollback.what, rollback.source, rollback.since

    @cached_property
    def sessions(self) -> list[AgentSession]:
        rows = self.session_rows()
        if self.since:
            rows = rows.filter(heartbeat_at__gte=self.since)
        return list(rows.select_related("agent").order_by("pk")[:MOST_SESSIONS])

    def session_rows(self) -> SessionQuerySet:
        """Return its sessions, whenever they were."""
        rows = AgentSession.objects.for_app(self.app)
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
                rows = rows.none()
        return rows

    @cached_property
    def texts(self) -> Q:
        """Return those of its resources that something may be derived from."""
        condition = Q(session__in=[session.pk for session in self.sessions])
        if self.what == RollbackWhat.RESOURCE:
            condition |= Q(uid=self.name)
        return condition

    def memories(self) -> MemoryQuerySet:
        """Return its memories of whatever status, without what is withdrawn already."""
        texts = Resource.objects.for_app(self.app).filter(self.texts).order_by().values("pk")
        condition = Q(session__in=[session.pk for session in self.sessions]) | Q(resource__in=texts)
        match self.what:
            case RollbackWhat.AGENT:
                condition |= Q(agent__name=self.name)
            case RollbackWhat.ORIGIN:
                condition = Q(origin=self.name)
            case RollbackWhat.IMPORT:
                # One file is taken in at a time, so what came meanwhile came from it.
                row = Import.objects.for_app(self.app).filter(uid=self.name).first()
                if row is not None:
                    facts = Q(origin=Origin.AGENT, external_id__startswith=f"{row.source}:")
                    facts &= Q(created_at__gte=row.created_at)
                    condition |= facts & Q(created_at__lte=row.finished_at) if row.finished_at else facts
        return self.since_then(Memory.objects.for_app(self.app).filter(condition).exclude(status=Status.WITHDRAWN))

    @cached_property
    def actors(self) -> list[str]:
        """Return whose changes of other memories were made by it."""
        actors = [learnt_in(session) for session in self.sessions]
        if self.what == RollbackWhat.AGENT:
            names = Bridge.objects.for_app(self.app).filter(agent__name=self.name).values_list("name", flat=True)
            actors += [f"agent:{self.name}", *(f"bridge:{name}" for name in names)]
        if self.what == RollbackWhat.BRIDGE:
            actors.append(f"bridge:{self.name}")
        return actors

    def changes(self, after: int) -> list[Revision]:
        """Return what it did to memories that came from elsewhere, the oldest first, some at a time."""
        rows = Revision.objects.for_app(self.app).filter(actor__in=self.actors, pk__gt=after)
        rows = rows.filter(action__in=TO_OTHERS).exclude(memory__status=Status.WITHDRAWN)
        rows = self.since_then(rows.exclude(memory__in=self.memories().order_by()))
        return list(rows.order_by("pk")[:BATCH]) if self.actors else []

    def since_then(self, rows: Rows) -> Rows:
        """Return those that were stored from when the rollback says on."""
        return rows.filter(created_at__gte=self.since) if self.since else rows

    def made(self, change: Revision) -> bool:
        """Return whether it is among what it did to memories that came from elsewhere."""
        is_its = change.actor in self.actors and change.action in TO_OTHERS
        return is_its and (self.since is None or change.created_at >= self.since)

    @property
    def revision_reason(self) -> str:
        """Return what revisions say when it is taken back, before the reason why."""
        return f"{self.what} {self.name} was taken back"

    def is_own_rollback(self, row: Revision) -> bool:
        """Return whether it was written when this source was taken back, now or before."""
        is_ours = row.action in (Action.UNDONE, Action.EDITED, Action.RESTORED)
        return is_ours and f"{row.reason}:".startswith(f"{self.revision_reason}:")


def stop(write: Writer, source: Source, reason: str) -> None:
    """Stop what would still be learnt from it, brought up or approved."""
    app, ours = write.app, [session.pk for session in source.sessions]
    texts = Resource.objects.for_app(app).filter(source.texts).order_by().values("pk")
    condition = Q(session__in=ours) | Q(resource__in=texts)
    work = source.since_then(Extraction.objects.for_app(app).filter(condition).exclude(status=ExtractionStatus.DONE))
    work.update(status=ExtractionStatus.DONE, lease_until=None, reason=reason, finished_at=write.now)
    triggers = FutureTrigger.objects.for_app(app)
    reasons = [called_off_in(session) for session in source.sessions]
    off = triggers.filter(status=TriggerStatus.CANCELLED, reason__in=reasons)
    off.update(status=TriggerStatus.WAITING, reason=None)
    if source.what == RollbackWhat.AGENT:
        condition |= Q(agent__name=source.name)
    source.since_then(triggers.filter(condition, status=TriggerStatus.WAITING)).update(status=TriggerStatus.CANCELLED)
    if source.what == RollbackWhat.ORIGIN:
        condition = Q(candidate__origin=source.name)
    waiting = source.since_then(Rejection.objects.for_app(app).filter(condition, decision=Decision.OPEN))
    waiting.update(decision=Decision.CONFIRMED, decided_by=write.actor, decided_at=write.now, decision_reason=reason)


def withdraw(write: Writer, source: Source, reason: str) -> Counter[str]:
    """Withdraw the next few of its memories, with what was written from them; what they stood for stands again. Counts.

    One that another had said before the source gave it other words says that again, and stays.
    """
    some = list(source.memories().select_related("cold_text").order_by("pk")[:BATCH])
    rows = [memory for memory in some if not speaks_for_itself_again(write, source, memory, reason)]
    if not rows:
        return +Counter(undone=len(some))
    ours = {memory.pk for memory in rows} | set(source.memories().order_by().values_list("pk", flat=True))
    for memory in rows:
        memory.app = write.app
        # Release what it superseded or was merged with; what it contradicted is as sure as before.
        links = Link.objects.for_app(write.app).filter(from_memory=memory).exclude(to_memory__in=ours)
        links = links.filter(kind__in=(LinkKind.SUPERSEDES, LinkKind.CONTRADICTS))
        for link in links:
            # As it is by now: two links may lead to the same one, and it may be about to be purged.
            for other in current(write, [link.to_memory_id]):
                if link.kind == LinkKind.SUPERSEDES and other.is_superseded:
                    write.restore(other, reason)
                elif link.kind == LinkKind.CONTRADICTS:
                    was = other.revisions.filter(action=Action.CONTRADICTED, created_at=link.created_at).first()
                    take_back_from(write, source, other, was, reason)
                    write.unlink(link)
        restore_winner(write, source, memory, ours, reason)
    insights = [
        insight
        for insight in insights_from(write.app, rows)
        if insight.pk not in ours and insight.status != Status.WITHDRAWN
    ]
    gone = {memory.pk: memory for memory in [*current(write, [row.pk for row in rows]), *insights]}
    write.drop_summaries(list(gone.values()))
    plain = [(memory, reason) for memory in gone.values() if memory.status != Status.COLD]
    write.set_aside(plain, Status.WITHDRAWN, Action.WITHDRAWN)
    for memory in gone.values():
        if memory.status == Status.COLD:
            write.edit(memory, {"status": Status.WITHDRAWN}, reason)
    return +Counter(withdrawn=len(gone), undone=len(some) - len(rows))


def speaks_for_itself_again(write: Writer, source: Source, memory: Memory, reason: str) -> bool:
    """Give words back that were another's before the source's; return whether that was so."""
    memory.app = write.app
    if source.what != RollbackWhat.ORIGIN:
        return False
    changes = memory.revisions.filter(action__in=(Action.MERGED, Action.EDITED), after__origin=source.name)
    last = changes.order_by("-number").first()
    if last is None or last.before.get("origin", source.name) == source.name:
        return False
    # Unless somebody has given it other words since. How sure it is, is told with what was merged into it.
    if "content" in last.before and memory.text == last.after["content"]:
        write.edit(memory, {name: parse(name, last.before[name]) for name in WORDS if name in last.before}, reason)
    return memory.origin != source.name


def taken_back_in(session: AgentSession) -> Q:
    """Return which of its texts were taken back: nothing is to be made of them any more.

    A query for each rollback since it began, and one.
    """
    condition = Q(pk__in=())
    for row in Rollback.objects.for_app(session.app).filter(asked_at__gte=session.started_at):
        if row.what == RollbackWhat.RESOURCE:
            condition |= Q(uid=row.source)
        elif Source(session.app, row).session_rows().filter(pk=session.pk).exists():
            condition |= Q(created_at__range=(row.since or session.started_at, row.asked_at))
    return condition


def current(write: Writer, pks: Collection[int]) -> list[Memory]:
    """Return the memories as they are by now."""
    memories = list(Memory.objects.for_app(write.app).select_related("cold_text").filter(pk__in=pks))
    for memory in memories:
        memory.app = write.app
    return memories


def restore_winner(write: Writer, source: Source, memory: Memory, ours: set[int], reason: str) -> None:
    """Restore what it was merged into, as far as nobody has changed that since."""
    links = Link.objects.for_app(write.app).filter(to_memory=memory, kind=LinkKind.SUPERSEDES)
    for link in links.exclude(from_memory__in=ours).select_related("from_memory"):
        winner = link.from_memory
        winner.app = write.app
        merged = winner.revisions.filter(action=Action.MERGED, created_at=link.created_at).first()
        take_back_from(write, source, winner, merged, reason)


def take_back_from(write: Writer, source: Source, memory: Memory, change: Revision | None, reason: str) -> None:
    """Take back what the source did to it, and this change that came of it, whoever made that."""
    of_it = change.pk if change else None
    take_back(write, memory, lambda row: row.pk == of_it or source.made(row), source.is_own_rollback, reason)


def undo_changes(write: Writer, source: Source, changes: Sequence[Revision], reason: str) -> int:
    """Undo what the source did to memories of others. Return how many changes were looked at."""
    for memory in current(write, {change.memory_id for change in changes}):
        take_back(write, memory, source.made, source.is_own_rollback, reason)
    return len(changes)
