"""The only writer of memories. Everything happens inside `writing`, and every change leaves a revision.

The memories given to it are rows as they are in that transaction. One that was read before somebody else changed it
meets the same revision number again, and the database refuses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any

from django.db import connection, transaction
from django.db.models import F, prefetch_related_objects

from memories.language.secrets import clean, clean_all, each_text, without_secrets
from memories.language.surface import kept_look
from memories.models import (
    GENERAL,
    LIVE,
    Action,
    ColdText,
    Document,
    Forgotten,
    Kind,
    Link,
    LinkKind,
    Memory,
    Mention,
    Passage,
    Rejection,
    Revision,
    Sentiment,
    Source,
    Status,
    Summary,
    Vector,
    Visibility,
    pgvector_table,
)
from memories.models.memory import MAX_PRIORITY, subject_of
from memories.models.vector import to_bytes
from memories.providers.embeddings import Vectors
from memories.store.links import (
    SUPERSEDED_BY,
    Saved,
    cancel_triggers_of,
    deleted_together,
    drop_for,
    drop_unmentioned,
    give_back_links,
    inherit_links,
    insights_from,
    keep_mentions,
    move_to_cold,
    release,
    restore_links,
    resume_triggers_of,
    supersede,
    transfer_triggers,
)
from memories.store.redact_sources import digests_of, redact_reasons, redact_sources
from memories.store.revisions import (
    DIGITS,
    TRACKED,
    Key,
    clamp,
    confidence_at,
    is_withdrawn,
    parse,
    revision_of,
    settle,
    snapshot,
    summaries_touched,
)
from memsite.db.transactions import insert_all
from memsite.ops.metrics import count_created
from memsite.tenancy.append_only import purge_permit
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import Agent, App
from memsite.tenancy.origin import Origin, least_trusted
from memsite.tenancy.policy import AppPolicy
from memsite.tenancy.purge_residue import note_residue
from sessions.models import AgentSession, Event, Level, Resource

COMPUTED = ("confidence", "entities", "vector", "vector_model", "updates")
Losers = Sequence[tuple[Memory, str]]
"""Each with the reason why it goes."""
TEXTS = ("content", "subject", "tags", "entities", "metadata")
NAMING = ("content", "subject", "tags", "entities")
NOTED = (Action.USED, Action.IGNORED, Action.PROMOTED, Action.DECAYED, Action.GATHERED)
"""What follows from time and use, and nobody decided."""


@dataclass(slots=True, kw_only=True)
class Candidate:
    """Already validated; its texts are what may be kept of what was given, so `content` may be empty.

    `confidence` None takes the app's start value, `importance` None the usual one; `vector` None is embedded later.
    `entities` are the names that a model gave; those that stand in the text need not be among them. `origin` is, unless
    said, the operator for what an operator writes and the agent itself for all else. `updates` is the memory (its pk)
    that a model named as outdated by it.
    """

    content: str
    kind: str = Kind.FACT
    category: str = GENERAL
    subject: str | None = None
    tags: list[str] = field(default_factory=list)
    importance: int | None = None
    confidence: float | None = None
    strength: str | None = None
    sentiment: str = Sentiment.NEUTRAL
    pinned: bool = False
    tier: int = 1
    user_id: str | None = None
    visibility: str = Visibility.APP
    source: str = Source.API
    origin: str = ""
    reviewed_by: str = ""
    reviewed_at: datetime | None = None
    made_by: str | None = None
    entities: list[str] = field(default_factory=list)
    agent: Agent | None = None
    session: AgentSession | None = None
    turn_number: int | None = None
    resource: Resource | None = None
    external_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    vector: Vectors | None = None
    vector_model: str = ""
    updates: int | None = None

    def __post_init__(self) -> None:
        self.origin = self.origin or (Origin.OPERATOR if self.source == Source.OPERATOR else Origin.ASSISTANT)
        self.content = clean(self.content)
        self.subject = subject_of(clean(self.subject or ""))
        self.tags = [text for tag in self.tags if (text := clean(tag))]
        self.entities = [text for name in self.entities if (text := clean(name))]
        self.metadata = cleaned("metadata", self.metadata)


def cleaned(name: str, value: Any) -> Any:
    """Return a field as it is kept. Metadata are a program's own: their texts keep the blanks at their ends."""
    return each_text(value, without_secrets) if name == "metadata" else clean_all(value)


CANDIDATE_FIELDS = tuple(item.name for item in fields(Candidate) if item.name not in COMPUTED)
"""Those that a memory takes over as they are."""


class NothingToUndo(Exception):
    """The memory has no change that could be taken back: it says why."""


class Writer:
    """Writes of one transaction: `actor` does them at `now`, and they carry the app's `change_number`.

    `count` is how many live memories the app has with what was done so far, `limit` how many it may have. `changed`
    holds what was written here, by pk. `vector_model` is the embedder that serves the app; the first vector decides.
    pgvector is asked for the vectors of `near_model`. No subject of the app has more words than `longest_subject`.
    """

    def __init__(
        self,
        app: App,
        policy: AppPolicy,
        actor: str,
        now: datetime,
        change_number: int,
        count: int,
        limit: int,
        vector_model: str,
        near_model: str,
        longest_subject: int,
    ) -> None:
        self.app, self.policy, self.actor, self.now = app, policy, actor, now
        self.change_number, self.count, self.limit = change_number, count, limit
        self.vector_model, self.near_model, self.longest_subject = vector_model, near_model, longest_subject
        self.changed: dict[int, Memory] = {}
        self.evicted = 0
        """How many memories rules archived to make room."""
        self.summaries_due: list[Key] = []

    def create(self, candidate: Candidate, reason: str = "") -> Memory:
        return self.create_all([candidate], reason)[0]

    def create_all(self, candidates: Sequence[Candidate], reason: str = "") -> list[Memory]:
        """Store each in this order, with its first revision, its vector if it has one, and what it names.

        As many statements for a few as for one.
        """
        memories = [self.new_memory(candidate) for candidate in candidates]
        insert_all(memories)
        insert_all([revision_of(memory, Action.CREATED, {}, self.actor, reason, self.now) for memory in memories])
        self.count += sum(memory.status in LIVE for memory in memories)
        for memory in memories:
            self.changed[memory.pk] = memory
            self.touch_summaries(memory, {})
        self.name(memories)
        pairs = list(zip(memories, candidates, strict=True))
        for model in dict.fromkeys(candidate.vector_model for candidate in candidates if candidate.vector is not None):
            made = [
                (memory, candidate.vector)
                for memory, candidate in pairs
                if candidate.vector is not None and candidate.vector_model == model
            ]
            self.keep_vectors(made, model)
        sources = [str(memory.source) for memory in memories if memory.source != Source.DOCUMENT]
        transaction.on_commit(partial(count_created, sources))
        return memories

    def new_memory(self, candidate: Candidate) -> Memory:
        """Return the unsaved row of a candidate."""
        given = candidate.confidence
        confidence = clamp(self.policy.start_confidence if given is None else given)
        given_fields = {name: value for name in CANDIDATE_FIELDS if (value := getattr(candidate, name)) is not None}
        memory = Memory(
            app=self.app,
            **given_fields,
            entities=candidate.entities or None,
            confidence=confidence,
            confidence_base=confidence,
            anchored_at=self.now,
            created_at=self.now,
            updated_at=self.now,
            confirmed_at=self.now,
            change_number=self.change_number,
        )
        memory.status = Status.DOCUMENT if memory.source == Source.DOCUMENT else self.status_for(memory)
        memory.look = kept_look(memory.content, memory.subject, memory.kind)
        return memory

    def reinforce(
        self, memory: Memory, step: float, reason: str, brought: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        """Confirm what was said again: more confidence, and decay starts anew. What was `brought` with it is set."""
        before = snapshot(memory)
        self.confirm(memory, confidence_at(memory, self.now, self.policy) + step)
        for name, value in brought.items():
            setattr(memory, name, value)
        self.keep(memory, Action.REINFORCED, before, reason)

    def contradict(self, memory: Memory, by: Memory, reason: str) -> None:
        """Doubt what the contrary was said of.

        Less confidence, inactive below the threshold, and a link from the newer one.
        """
        before = snapshot(memory)
        value = clamp(confidence_at(memory, self.now, self.policy) - self.policy.contradict_step)
        settle(memory, value, self.now, self.policy)
        memory.status = self.status_for(memory)
        self.keep(memory, Action.CONTRADICTED, before, reason)
        self.link(by, memory, LinkKind.CONTRADICTS)

    def decay(self, memories: Sequence[Memory]) -> int:
        """Bring stored confidences up to date and return how many memories fell inactive by it.

        `updated_at` stays: decay is not news. A revision tells of it once a day, and when the status changes;
        in between only the number moves, which anyone can compute again from its base and anchor.
        """
        revisions = []
        for memory in memories:
            before, noted = snapshot(memory), memory.decay_noted_at
            memory.confidence = confidence_at(memory, self.now, self.policy)
            memory.status = self.status_for(memory)
            memory.change_number = self.change_number
            if memory.status != before["status"] or noted is None or noted.date() != self.now.date():
                memory.decay_noted_at = self.now
                self.advance(memory, before)
                reason = "not confirmed for long"
                revisions.append(revision_of(memory, Action.DECAYED, before, self.actor, reason, self.now))
        update_rows(memories, ("confidence", "status", "decay_noted_at", "version", "change_number"))
        Revision.objects.bulk_create(revisions)
        return sum(revision.memory.status == Status.INACTIVE for revision in revisions)

    def judge_uses(self, judged: Iterable[tuple[Memory, bool, float, str]]) -> None:
        """Give more priority by `step` to each memory that was used, less to one that was not. Two statements."""
        self.move_priorities(
            (memory, step if used else -step, Action.USED if used else Action.IGNORED, reason)
            for memory, used, step, reason in judged
        )

    def promote(self, memories: Iterable[Memory], step: float, reason: str) -> None:
        """Give more priority to what is new. Two statements."""
        self.move_priorities((memory, step, Action.PROMOTED, reason) for memory in memories)

    def move_priorities(self, moves: Iterable[tuple[Memory, float, Action, str]]) -> None:
        """Move priorities.

        `updated_at` stays: this is not news. A priority that is at its bound already leaves no revision.
        """
        # One object per memory: two of the same would each write its own next version.
        memories: dict[int, Memory] = {}
        revisions = []
        for moved, step, action, reason in moves:
            memory = memories.setdefault(moved.pk, moved)
            before = snapshot(memory)
            memory.priority = min(MAX_PRIORITY, max(0.0, round(memory.priority + step, DIGITS)))
            if memory.priority != before["priority"]:
                self.advance(memory, before)
                revisions.append(revision_of(memory, action, before, self.actor, reason, self.now))
        update_rows(memories.values(), ("priority", "version", "change_number"))
        Revision.objects.bulk_create(revisions)

    def edit(
        self,
        memory: Memory,
        changes: Mapping[str, Any],
        reason: str = "",
        vector: Vectors | None = None,
        vector_model: str = "",
    ) -> None:
        """Set validated fields. A new content or confidence counts as a confirmation by whoever wrote it.

        A new content is somebody's own, and names what it names, unless `made_by` and `entities` are among the changes.
        Nobody has reviewed it, unless that is among them too.
        """
        before, was_superseded = snapshot(memory), memory.is_superseded
        # What lies in the cold archive is at hand while it is edited.
        memory.content = before["content"]
        current = confidence_at(memory, self.now, self.policy)
        for name, value in changes.items():
            setattr(memory, name, cleaned(name, value) if name in TEXTS else value)
        if memory.content != before["content"]:
            memory.made_by, memory.entities = changes.get("made_by"), changes.get("entities") or None
            memory.reviewed_by, memory.reviewed_at = changes.get("reviewed_by", ""), changes.get("reviewed_at")
        if "confidence" in changes:
            self.confirm(memory, changes["confidence"])
        elif memory.content != before["content"] or memory.pinned != before["pinned"]:
            self.confirm(memory, current)
        if "status" not in changes:
            memory.status = self.status_for(memory)
        if was_superseded and memory.status not in (Status.SUPERSEDED, Status.COLD):
            release(memory, before)
        if (memory.content, memory.subject) != (before["content"], before["subject"]):
            memory.vectors.all().delete()
            if vector is not None:
                self.keep_vectors([(memory, vector)], vector_model)
        if snapshot(memory) != before:
            self.keep(memory, edit_action(before["status"], memory.status), before, reason)

    def review(self, memory: Memory, reason: str = "") -> None:
        """Note that the actor, a person, has looked at it and lets it stand."""
        before = snapshot(memory)
        memory.reviewed_by, memory.reviewed_at = self.actor[:200], self.now
        self.keep(memory, Action.REVIEWED, before, reason)

    def archive(self, memory: Memory, reason: str = "") -> None:
        self.edit(memory, {"status": Status.ARCHIVED}, reason)

    def archive_all(self, memories: Sequence[tuple[Memory, str]]) -> None:
        """Archive live memories with a reason each. Two statements."""
        self.set_aside(memories, Status.ARCHIVED, Action.ARCHIVED)

    def set_aside(self, memories: Sequence[tuple[Memory, str]], status: Status, action: Action) -> None:
        """Set another status for each, with a reason.

        Two statements. None of them in the cold archive, before or after.
        """
        revisions = []
        for memory, reason in memories:
            before = snapshot(memory)
            memory.status = status
            memory.updated_at = self.now
            self.advance(memory, before)
            revisions.append(revision_of(memory, action, before, self.actor, reason, self.now))
        update_rows([memory for memory, _ in memories], ("status", "updated_at", "version", "change_number"))
        Revision.objects.bulk_create(revisions)

    def freeze(self, memories: Sequence[Memory], reason: str) -> Saved:
        """Move many to the cold archive at once: compressed, and out of every search."""
        was = [memory.status for memory in memories]
        revisions = []
        for memory in memories:
            before = snapshot(memory)
            memory.status, memory.updated_at = Status.COLD, self.now
            self.advance(memory, before)
            revisions.append(revision_of(memory, Action.FROZEN, before, self.actor, reason, self.now))
        saved = move_to_cold(self.app, memories, was)
        update_rows(memories, ("content", "status", "updated_at", "version", "change_number"))
        Revision.objects.bulk_create(revisions)
        return saved

    def restore(self, memory: Memory, reason: str = "") -> None:
        """Bring a memory back from wherever it was put away: at least as confident as it takes to be active.

        What had taken its place stands beside it then, as it is.
        """
        confidence = max(confidence_at(memory, self.now, self.policy), self.policy.inactive_below)
        changes: dict[str, Any] = {"status": Status.ACTIVE, "confidence": confidence}
        if memory.status == Status.SUPERSEDED and memory.valid_until and memory.valid_until <= self.now:
            changes["valid_until"] = None
        self.edit(memory, changes, reason)

    def merge(self, winner: Memory, losers: Iterable[Memory], reason: str = "") -> None:
        """Make several memories one, as somebody says so: the highest confidence stays, and is confirmed."""
        before, going = snapshot(winner), [(loser, reason) for loser in losers]
        everybody = [winner, *(loser for loser, _ in going)]
        confidence = max(confidence_at(memory, self.now, self.policy) for memory in everybody)
        inherit_attributes(winner, going)
        self.replace_all(going, winner)
        self.confirm(winner, confidence)
        winner.status = self.status_for(winner)
        self.keep(winner, Action.MERGED, before, reason)

    def unite(
        self, into: Memory, losers: Losers, reason: str = "", content: str | None = None, made_by: str | None = None
    ) -> None:
        """Make several memories one, with a reason for each; with `content`, it says that from then on.

        Confirms nothing: the surest one's confidence stays, with the time that its decay counts from. `made_by` has
        worded the content, unless it was one's already. A pinned `into` stays as it is, and is only noted to stand for
        the others.
        """
        before = snapshot(into)
        self.replace_all(losers, into)
        # No words of theirs: these may have to be forgotten one day, and this is not their history.
        reason = f"{reason}; stands for {', '.join(str(loser.uid) for loser, _ in losers)}".removeprefix("; ")
        if into.pinned:
            self.note([into], Action.MERGED, reason)
            return
        for loser, _ in losers:
            stronger = max(
                into, loser, key=lambda memory: (confidence_at(memory, self.now, self.policy), memory.anchored_at)
            )
            into.confidence = confidence_at(stronger, self.now, self.policy)
            into.confidence_base, into.anchored_at = stronger.confidence_base, stronger.anchored_at
            into.confirmed_at = max(into.confirmed_at, loser.confirmed_at)
        inherit_attributes(into, losers)
        into.status = self.status_for(into)
        if content is not None and content != into.content:
            set_wording(into, [loser for loser, _ in losers], content, made_by)
            into.vectors.all().delete()
        self.keep(into, Action.MERGED, before, reason)

    def replace_all(self, losers: Losers, winner: Memory) -> None:
        """Supersede the losers by the winner, which inherits their links and triggers."""
        gone = [loser for loser, _ in losers]
        inherit_links(winner, gone, self.now)
        transfer_triggers(winner, gone)
        going = [(loser, f"{reason}; merged into {winner.uid}".removeprefix("; ")) for loser, reason in losers]
        warm = [(loser, reason) for loser, reason in going if loser.status != Status.COLD]
        self.set_aside(warm, Status.SUPERSEDED, Action.MERGED)
        for loser, reason in going:
            if loser.status == Status.COLD:
                before = snapshot(loser)
                loser.content, loser.status = before["content"], Status.SUPERSEDED
                self.keep(loser, Action.MERGED, before, reason)
        supersede(winner, gone, self.now)

    def supersede(self, memory: Memory, by: Memory, reason: str = "", end: datetime | None = None) -> None:
        """Let another memory stand for this one, which leaves the default results and held until the `end`."""
        before, end = snapshot(memory), end or self.now
        memory.status = Status.SUPERSEDED
        if memory.valid_until is None or memory.valid_until > end:
            memory.valid_until = max(end, memory.valid_from or end)
        self.keep(memory, Action.SUPERSEDED, before, reason)
        self.link(by, memory, LinkKind.SUPERSEDES)
        cancel_triggers_of(memory)

    def undo(self, memory: Memory) -> None:
        """Take the last change back, whatever it was; undoing an undo does it again.

        A merge is taken back on both sides: what was superseded by it stands for itself again.
        """
        last = self.last_change(memory)
        if last is None or last.action == Action.CREATED:
            raise NothingToUndo("nothing has changed since they were created")
        if last.action == Action.MERGED:
            for loser in self.superseded_by(memory, last.created_at):
                self.undo(loser)
                give_back_links(memory, loser, last.created_at)
                memory.access_count = max(0, memory.access_count - loser.access_count)
        before = snapshot(memory)
        if last.after.get("status") == Status.SUPERSEDED:
            release(memory, before, None if last.action == Action.UNDONE else last.created_at)
        # What goes into the cold archive is as superseded as before.
        was_released = last.before.get("status") == Status.SUPERSEDED and last.after.get("status") != Status.COLD
        if was_released and not restore_links(memory, last.before.get(SUPERSEDED_BY, {})):
            raise NothingToUndo("what stood for them does not any more")
        memory.content = before["content"]
        for name in [name for name in last.before if name in TRACKED]:
            setattr(memory, name, parse(name, last.before[name]))
        if "confidence" in last.before:
            memory.confidence = confidence_at(memory, self.now, self.policy)
        if (memory.content, memory.subject) != (before["content"], before["subject"]):
            memory.vectors.all().delete()
        self.keep(memory, Action.UNDONE, before, f"revision {last.number} ({last.action}) taken back")

    def last_change(self, memory: Memory) -> Revision | None:
        """Return the last that somebody decided on, not what was only noted."""
        rows = Revision.objects.for_app(self.app).filter(memory=memory)
        return rows.exclude(action__in=NOTED).order_by("-number").first()

    def has_said(self, memory: Memory) -> bool:
        """Return whether this actor has stated it before."""
        revisions = Revision.objects.for_app(self.app).filter(memory=memory, actor=self.actor)
        return revisions.filter(action__in=(Action.CREATED, Action.REINFORCED)).exists()

    def superseded_by(self, memory: Memory, changed_at: datetime) -> list[Memory]:
        """Return the memories that `memory` superseded at this moment and that have not changed since."""
        links = memory.links_out.filter(kind=LinkKind.SUPERSEDES, created_at=changed_at).select_related("to_memory")
        losers = [link.to_memory for link in links]
        return [loser for loser in losers if (last := self.last_change(loser)) and last.created_at == changed_at]

    def forget(self, memories: Iterable[Memory]) -> int:
        """Delete memories with everything kept about them, and what says the same behind them. Not to be undone.

        Returns how many were given.
        """
        app, given = self.app, list(memories)
        rows = deleted_together(app, [*given, *digests_of(app, given)])
        uids = [memory.uid for memory in rows]
        # Asked of the table: they may have been read before somebody else archived or forgot one. Whoever is just
        # telling an agent of one (`held`) is waited for: what that notes of it is found, and goes, too.
        there = Memory.objects.for_app(app).filter(pk__in=[memory.pk for memory in rows]).order_by("pk")
        self.count -= sum(status in LIVE for status in there.select_for_update().values_list("status", flat=True))
        forget_answers(app, uids)
        with purge_permit():
            Event.objects.for_app(app).filter(memory_uid__in=uids).delete()
            Rejection.objects.for_app(app).filter(memory__in=rows).delete()
            self.drop_summaries(rows)
            beside = drop_for(app, rows)
            redact_sources(app, rows)
            redact_reasons(app, rows)
            self.erase(rows)
            note_residue(app.pk)
        if beside:
            self.forget(beside)
        return len(given)

    def erase(self, rows: Sequence[Memory]) -> int:
        """Delete the rows themselves, hidden ones too, and note that they are gone.

        They have been read for update, so that nobody else comes to need one. Call it with a purge permit.
        """
        app = self.app
        private = [memory.pk for memory in rows if memory.visibility == Visibility.AGENT]
        everything = Memory.objects.for_app(app) | Memory.objects.going(app)
        shared = set(everything.filter(pk__in=private).once_shared().values_list("pk", flat=True)) if private else set()
        alone = set(private) - shared
        named = set(Mention.objects.for_app(app).filter(memory__in=rows).values_list("entity_id", flat=True))
        everything.filter(pk__in=[memory.pk for memory in rows]).delete()
        drop_unmentioned(app, named)
        Forgotten.objects.bulk_create(
            Forgotten(
                app=app,
                memory_id=memory.pk,
                # Mirrors of what is known were never told of a document's passages.
                memory_uid=None if memory.source == Source.DOCUMENT else memory.uid,
                change_number=self.change_number,
                agent_id=memory.agent_id if memory.pk in alone else None,
                created_at=self.now,
            )
            for memory in rows
        )
        return len(rows)

    def drop_document(self, document: Document) -> None:
        """Delete a document's passages for good."""
        rows = Memory.objects.for_app(self.app).filter(source=Source.DOCUMENT, external_id=str(document.uid))
        if passages := list(rows.select_for_update().order_by("pk")):
            with purge_permit():
                self.erase(passages)
                note_residue(self.app.pk)

    def drop_summaries(self, memories: Sequence[Memory]) -> None:
        """Delete every version of a summary that may hold words of these memories."""
        prefetch_related_objects([memory for memory in memories if memory.status == Status.COLD], "cold_text")
        past = Revision.objects.for_app(self.app).filter(memory__in=memories).values_list("after", flat=True)
        states = [*past, *(snapshot(memory) for memory in memories)]
        categories = {state["category"] for state in states if "category" in state}
        users = {state["user_id"] or "" for state in states if "user_id" in state}
        self.drop_summaries_of([(category, user) for category in categories for user in users])

    def drop_summaries_of(self, keys: Sequence[Key]) -> None:
        """Delete all versions of these summaries. Where the app keeps summaries, they are written anew."""
        of_user: dict[str, list[str]] = defaultdict(list)
        for category, user in keys:
            of_user[user].append(category)
        for user, categories in of_user.items():
            Summary.objects.for_app(self.app).filter(category__in=categories, user_id=user).delete()
        if self.policy.capture_summaries:
            self.summaries_due += keys

    def link(self, from_memory: Memory, to_memory: Memory, kind: str) -> tuple[Link, bool]:
        """Link two memories; return the link, and whether it is new."""
        return Link.objects.for_app(self.app).get_or_create(
            app=self.app, from_memory=from_memory, to_memory=to_memory, kind=kind, defaults={"created_at": self.now}
        )

    def unlink(self, link: Link) -> None:
        Link.objects.for_app(self.app).filter(pk=link.pk).delete()

    def announce(self, *memories: Memory) -> None:
        """Write the new memories' lines into the events feed, which every agent of the app may read.

        One statement for some 90.
        """
        events = []
        for memory in memories:
            if memory.visibility != Visibility.AGENT:
                about = f"{memory.category}:{memory.subject}" if memory.subject else memory.category
                event = Event(
                    app=self.app,
                    session=memory.session,
                    turn_number=memory.turn_number,
                    level=Level.INFO,
                    service=memory.subject,
                    message=f"New memory recorded: [{about}] {memory.content}",
                    memory_uid=memory.uid,
                    created_at=self.now,
                )
                events.append(event)
        insert_all(events)

    def confirm(self, memory: Memory, confidence: float) -> None:
        memory.confidence = memory.confidence_base = clamp(confidence)
        memory.anchored_at = memory.confirmed_at = self.now

    def status_for(self, memory: Memory) -> str:
        """Return active or inactive by its confidence; what an operator put away stays where it is."""
        if memory.status not in (Status.ACTIVE, Status.INACTIVE):
            return memory.status
        return Status.INACTIVE if memory.confidence < self.policy.inactive_below else Status.ACTIVE

    def keep(self, memory: Memory, action: Action, before: Mapping[str, Any], reason: str) -> None:
        """Save the row and its revision. Its text goes into the cold archive, or comes out of it, with its status."""
        memory.content = memory.text
        memory.look = kept_look(memory.content, memory.subject, memory.kind)
        self.advance(memory, before)
        memory.updated_at = self.now
        revision = revision_of(memory, action, before, self.actor, reason, self.now)
        was_cold, is_cold = before["status"] == Status.COLD, memory.status == Status.COLD
        renamed = any(getattr(memory, name) != before[name] for name in NAMING)
        if is_cold:
            move_to_cold(self.app, [memory], [memory.cold_text.was if was_cold else before["status"]])
        elif was_cold:
            ColdText.objects.for_app(self.app).filter(memory=memory).delete()
            # That somebody wants it again counts as an access.
            memory.accessed_at = self.now
        memory.save()
        if not is_cold and (was_cold or renamed):
            self.name([memory])
        revision.save(force_insert=True)
        if before["status"] == Status.SUPERSEDED and memory.status == Status.ACTIVE:
            resume_triggers_of(memory)

    def name(self, memories: Sequence[Memory]) -> None:
        named = [memory for memory in memories if memory.source != Source.DOCUMENT]
        self.longest_subject = keep_mentions(self.app, named, self.now, self.longest_subject)

    def note(self, memories: Sequence[Memory], action: Action, reason: str) -> None:
        """Write a revision each, of what has become of memories that themselves stay as they are. Two statements."""
        revisions = []
        for memory in memories:
            before = snapshot(memory)
            self.advance(memory, before)
            revisions.append(revision_of(memory, action, before, self.actor, reason, self.now))
        update_rows(memories, ("version", "change_number"))
        Revision.objects.bulk_create(revisions)

    def advance(self, memory: Memory, before: Mapping[str, Any]) -> None:
        """Set the next version, after a change from `before`. Counts the memory in or out as it comes to life or goes.

        Whoever brings one back to life has looked at it: its time until the archive starts anew.
        """
        memory.version += 1
        memory.change_number = self.change_number
        if before and memory.status in LIVE and before["status"] not in LIVE:
            memory.accessed_at = self.now
        self.count += (memory.status in LIVE) - (before["status"] in LIVE)
        self.changed[memory.pk] = memory
        self.touch_summaries(memory, before)

    def touch_summaries(self, memory: Memory, before: Mapping[str, Any]) -> None:
        """Note the summaries that say something else now. What is no longer everyone's goes out of them at once."""
        after = snapshot(memory)
        if self.policy.capture_summaries:
            self.summaries_due += summaries_touched(before, after)
        if is_withdrawn(before, after):
            self.drop_summaries([memory])
            self.forget(insights_from(self.app, [memory]))

    def embed(self, memories: Sequence[Memory], vectors: Vectors, model: str) -> int:
        """Keep the vectors, shape (n, dim), of texts that are still what was embedded; return how many."""
        rows = Memory.objects.for_app(self.app).warm().filter(pk__in=[memory.pk for memory in memories])
        now = {pk: wording for pk, *wording in rows.values_list("pk", "content", "subject")}
        same = [
            (memory, vector)
            for memory, vector in zip(memories, vectors, strict=True)
            if now.get(memory.pk) == [memory.content, memory.subject]
        ]
        self.keep_vectors(same, model)
        # Indexes hold the vectors of the model that serves: those of a model to come are no change for them.
        if model == self.vector_model:
            rows.update(change_number=self.change_number)
        return len(same)

    def keep_vectors(self, pairs: Iterable[tuple[Memory, Vectors]], model: str) -> None:
        """Store vectors in the place of those of the same model. One statement for 200."""
        rows = [
            Vector(app=self.app, memory=memory, model=model, dim=vector.shape[0], data=to_bytes(vector))
            for memory, vector in pairs
        ]
        self.vector_model = self.vector_model or (model if rows else "")
        insert_all(rows, over=("memory", "model"))
        self.keep_near(rows)

    def keep_near(self, rows: Sequence[Vector]) -> None:
        """Store those that pgvector is asked for in its table, too."""
        pgvector_table.put(self.app, [row for row in rows if self.near_model and row.model == self.near_model])

    def embed_passages(self, passages: Sequence[Passage], vectors: Vectors, model: str) -> None:
        """Keep the vectors of passages of summaries until their model serves."""
        for passage, vector in zip(passages, vectors, strict=True):
            passage.next_model, passage.next_data = model, to_bytes(vector)
        Passage.objects.for_app(self.app).bulk_update(passages, ["next_model", "next_data"])

    def serve(self, model: str, *, complete: bool) -> None:
        """Let the app's searches use this model's vectors from now on. `complete`: everything has one."""
        App.objects.filter(pk=self.app.pk).update(
            embedded_to=self.change_number if complete else 0,
            vectors_lost=not complete,
            index_number=F("index_number") + int(model != self.vector_model),
        )
        self.vector_model = model
        waiting = Passage.objects.for_app(self.app).filter(next_model=model)
        waiting.update(model=model, data=F("next_data"), next_model="", next_data=None)


def edit_action(old_status: str, new_status: str) -> Action:
    if new_status == old_status:
        return Action.EDITED
    if new_status == Status.ARCHIVED:
        return Action.ARCHIVED
    if new_status == Status.COLD:
        return Action.FROZEN
    if new_status == Status.WITHDRAWN:
        return Action.WITHDRAWN
    if new_status == Status.ACTIVE or old_status == Status.COLD:
        return Action.RESTORED
    return Action.EDITED


def update_rows(memories: Iterable[Memory], columns: Sequence[str]) -> None:
    """Update columns of memories. One statement, whatever their number."""
    columns = [*columns, "id", "app_id"]
    fields: list[Any] = [Memory._meta.get_field(column) for column in columns]
    assignments = ", ".join(f"{column} = %s" for column in columns[:-2])
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {Memory._meta.db_table} SET {assignments} WHERE id = %s AND app_id = %s",
            [
                [field.get_db_prep_save(getattr(memory, field.attname), connection) for field in fields]
                for memory in memories
            ],
        )


def inherit_attributes(winner: Memory, losers: Losers) -> None:
    """Give the winner what the losers are marked with, and what they were used for."""
    for loser, _ in losers:
        winner.importance = max(winner.importance, loser.importance)
        winner.priority = max(winner.priority, loser.priority)
        winner.tags = [*winner.tags, *(tag for tag in loser.tags if tag not in winner.tags)]
        winner.entities = list(dict.fromkeys([*(winner.entities or ()), *(loser.entities or ())])) or None
        winner.access_count += loser.access_count
        winner.accessed_at = max(filter(None, (winner.accessed_at, loser.accessed_at)), default=None)


def set_wording(into: Memory, losers: Sequence[Memory], content: str, made_by: str | None) -> None:
    """Give a memory other words: one's own, as far as they are trusted, or new ones, which nobody has looked at yet."""
    teller = next((loser for loser in losers if loser.content == content), None)
    if teller:
        into.made_by, into.origin = teller.made_by, teller.origin
        into.reviewed_by, into.reviewed_at = teller.reviewed_by, teller.reviewed_at
    else:
        into.made_by, into.origin = made_by, least_trusted(memory.origin for memory in (into, *losers))
        into.reviewed_by, into.reviewed_at = "", None
    into.content = content
