"""What hangs on a memory: links to others, the entities that it mentions, and triggers that bring it up.

Links go over in a merge, and lead to what is forgotten together. Into the cold archive and back, text, vectors and
mentions follow the status.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Length

from memories.language.entities import MAX_KEY_CHARS, MAX_SUBJECT_WORDS, entity_key, find_entities, phrase_keys
from memories.language.entities import Entity as Named
from memories.language.similarity import shared_words
from memories.models import (
    LIVE,
    Action,
    ColdText,
    Entity,
    FoundBy,
    FutureTrigger,
    Link,
    LinkKind,
    Memory,
    Mention,
    Preload,
    Source,
    Status,
    TriggerStatus,
    Vector,
)
from memories.models.memory import pack
from memsite.db.expressions import Literal
from memsite.db.prepared import Prepared, padded
from memsite.db.transactions import insert_all
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import App
from sessions.models import AgentSession

OWN = (LinkKind.SUPERSEDES, LinkKind.DERIVED)
"""Kinds that tell of this very memory, and not of what it says."""
SUPERSEDED_BY = "superseded_by"
"""In what a revision says of before: the ids of what stood for the memory that it has set free, and since when."""
SUBJECT, TAG, NAMED = "subject", "tag", "name"
KEYS_AT_ONCE = 500
MANY_KEYS = 10_000
"""Asking for so many one by one takes longer than reading what an app has, if that is no more."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
PLAN = "trigger:"


def supersede(winner: Memory, losers: Sequence[Memory], now: datetime) -> None:
    """Supersede the losers. One statement; a link from before says from now on that it happened now."""
    Link.objects.bulk_create(
        [
            Link(app_id=winner.app_id, from_memory=winner, to_memory=loser, kind=LinkKind.SUPERSEDES, created_at=now)
            for loser in losers
        ],
        update_conflicts=True,
        unique_fields=["from_memory", "to_memory", "kind"],
        update_fields=["created_at"],
    )


def superseding(memory: Memory) -> set[int]:
    """Return the keys of what supersedes it, however many steps away. A query for each step."""
    newer: set[int] = set()
    step = {memory.pk}
    while step:
        links = Link.objects.for_app(memory.app).filter(to_memory__in=step, kind=LinkKind.SUPERSEDES)
        step = set(links.values_list("from_memory", flat=True)) - newer
        newer |= step
    return newer


def release(memory: Memory, before: dict[str, Any], changed_at: datetime | None = None) -> None:
    """Release a memory: nothing stands for it any more, or not what came `at` this moment.

    What did is noted in the snapshot `before`, so that this can be taken back.
    """
    links = memory.links_in.filter(kind=LinkKind.SUPERSEDES, **({"created_at": changed_at} if changed_at else {}))
    rows = links.order_by("pk").values_list("from_memory__uid", "created_at")
    before[SUPERSEDED_BY] = {str(uid): created_at.isoformat() for uid, created_at in rows}
    links.delete()


def restore_links(memory: Memory, noted: Mapping[str, str]) -> bool:
    """Restore the links that `release` noted, of what is still there and is not superseded by the memory by now."""
    rows = Memory.objects.for_app(memory.app).filter(uid__in=noted)
    standing = [row for row in rows if memory.pk not in superseding(row)]
    for row in standing:
        supersede(row, [memory], datetime.fromisoformat(noted[str(row.uid)]))
    return bool(standing)


def inherit_links(winner: Memory, losers: Sequence[Memory], now: datetime) -> None:
    """Give the winner the losers' links: what holds of their statement holds of its.

    Two statements each, and one more.
    """
    gone = {loser.pk for loser in losers}
    links = []
    for link in (link for loser in losers for link in links_of(loser)):
        start, end = (winner.pk if pk in gone else pk for pk in (link.from_memory_id, link.to_memory_id))
        if start != end:
            new = Link(app_id=winner.app_id, from_memory_id=start, to_memory_id=end, kind=link.kind, created_at=now)
            links.append(new)
    if links:
        Link.objects.bulk_create(links, ignore_conflicts=True)


def give_back_links(winner: Memory, loser: Memory, moment: datetime) -> None:
    """Take away what the winner inherited at this moment."""
    others = {pk for link in links_of(loser) for pk in (link.from_memory_id, link.to_memory_id)} - {loser.pk}
    winner.links_out.filter(created_at=moment, to_memory__in=others).exclude(kind__in=OWN).delete()
    winner.links_in.filter(created_at=moment, from_memory__in=others).exclude(kind__in=OWN).delete()


def links_of(memory: Memory) -> Iterator[Link]:
    """Yield the links that tell of what the memory says."""
    yield from memory.links_out.exclude(kind__in=OWN)
    yield from memory.links_in.exclude(kind__in=OWN)


def deleted_together(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """Return these, what was merged into them, for it says the same, and the insights written from any of it."""
    rows = {memory.pk: memory for memory in memories}
    newest = list(memories)
    while newest:
        # What was merged into them and not set free since, which takes the link away. What other news took the place
        # of is not among it.
        links = Link.objects.for_app(app).filter(kind=LinkKind.SUPERSEDES, from_memory__in=newest)
        newest = [
            link.to_memory
            for link in links.select_related("to_memory")
            if link.to_memory.revisions.filter(action=Action.MERGED, created_at=link.created_at).exists()
            and link.to_memory_id not in rows
        ]
        rows |= {memory.pk: memory for memory in newest}
    return list((rows | {insight.pk: insight for insight in insights_from(app, list(rows.values()))}).values())


def insights_from(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """Return what was written from any of these, and so holds words of theirs. One query."""
    links = Link.objects.for_app(app).filter(kind=LinkKind.DERIVED, to_memory__in=memories)
    rows = Memory.objects.for_app(app).filter(source=Source.INSIGHT, pk__in=links.values("from_memory"))
    return list(rows) if memories else []


def keep_mentions(app: App, memories: Sequence[Memory], now: datetime, longest: int) -> int:
    """Set the memories' mentions to what their texts, subjects and tags name, and their model did.

    What one of them is about, those after it know. For one memory six statements at most, for many some more. No
    subject of the app has more words than `longest`, and none than what it answers when these have theirs.
    """
    longest = max([longest, *(words_of(memory.subject) for memory in memories)])
    by_rules = named_by_rules(app, memories, longest)
    named = [
        by_key([Named(name, NAMED) for name in memory.entities or ()]) | entities
        for memory, entities in zip(memories, by_rules, strict=True)
    ]
    known = keep_entities(app, memories, named, now)
    sources = {
        (memory.pk, known[key]): FoundBy.RULES if key in entities else FoundBy.MODEL
        for memory, entities, names in zip(memories, by_rules, named, strict=True)
        for key in names
    }
    edited = [memory.pk for memory in memories if memory.version > 1]
    rows = Mention.objects.for_app(app).filter(memory__in=edited) if edited else ()
    had = {(row.memory_id, row.entity_id): row for row in rows}
    changed = [row.pk for pair, row in had.items() if sources.get(pair) != row.source]
    if changed:
        Mention.objects.for_app(app).filter(pk__in=changed).delete()
        drop_unmentioned(app, {entity_pk for _, entity_pk in had.keys() - sources.keys()})
    new = {pair: source for pair, source in sources.items() if pair not in had or had[pair].source != source}
    insert_all([Mention(app=app, entity_id=entity, memory_id=pk, source=new[pk, entity]) for pk, entity in new])
    return longest


def keep_entities(
    app: App, memories: Sequence[Memory], named: Sequence[Mapping[str, Named]], now: datetime
) -> dict[str, int]:
    """Store the entities; return pks by key of all that is named.

    What a memory is about is a subject, however it was met first.
    """
    first: dict[str, Named] = {}
    about: dict[str, Named] = {}
    for memory, names in zip(memories, named, strict=True):
        for key, entity in names.items():
            first.setdefault(key, entity)
            if entity.kind == SUBJECT and entity.name == memory.subject:
                about.setdefault(key, entity)
    known: dict[str, int] = {}
    for keys in some_at_a_time(first):
        for key, pk, kind in entities_of(app, *padded(keys)):
            known[key] = pk
            if key in about and kind != SUBJECT:
                Entity.objects.for_app(app).filter(pk=pk).update(kind=SUBJECT, name=about[key].name)
    new = [
        Entity(app=app, key=key, name=entity.name, kind=entity.kind, created_at=now)
        for key, entity in (first | about).items()
        if key not in known
    ]
    insert_all(new)
    return known | {row.key: row.pk for row in new}


@Prepared
def entities_of(app: App, *keys: str) -> QuerySet[Entity, tuple[str, int, str]]:
    """Return key, number and kind."""
    return Entity.objects.for_app(app).filter(key__in=keys).order_by().values_list("key", "pk", "kind")


def named_by_rules(app: App, memories: Sequence[Memory], longest: int = MAX_SUBJECT_WORDS) -> list[dict[str, Named]]:
    """Return what each memory names, by key.

    The app's other subjects are recognised in the text however they are written.

    Most have a word or two: runs of more words than the `longest` has need not be looked for, and they are most.
    """
    phrases = [phrase_keys(memory.content, longest) for memory in memories]
    subjects = known_subjects(app, {key for keys in phrases for key in keys})
    named = []
    for memory, keys in zip(memories, phrases, strict=True):
        about = [Named(memory.subject, SUBJECT)] if memory.subject else []
        others = [subjects[key] for key in keys if key in subjects]
        entities = about + find_entities(memory.content, [entity.name for entity in about] + others)
        named.append(by_key([*entities, *(Named(tag, TAG) for tag in memory.tags)]))
        subjects |= {key: entity.name for key, entity in by_key(about).items() if key not in subjects}
    return named


def by_key(entities: Iterable[Named]) -> dict[str, Named]:
    """Return each once, as it was named first."""
    named: dict[str, Named] = {}
    for entity in entities:
        if key := entity_key(entity.name)[:MAX_KEY_CHARS]:
            named.setdefault(key, Named(_CONTROL.sub(" ", entity.name)[:MAX_KEY_CHARS], entity.kind))
    return named


def words_of(subject: str | None) -> int:
    key = entity_key(subject or "")
    return key.count(" ") + 1 if key else 0


def known_subjects(app: App, keys: Collection[str]) -> dict[str, str]:
    """Return the names, by key, of the subjects among these."""
    if len(keys) >= MANY_KEYS:
        every = Entity.objects.for_app(app).filter(kind=SUBJECT).order_by()
        rows = list(every.values_list("key", "name")[: len(keys)])
        if len(rows) < len(keys):
            return {key: name for key, name in rows if key in keys}
    subjects: dict[str, str] = {}
    for some in some_at_a_time(keys):
        subjects |= subjects_with(app, *padded(some))
    return subjects


@Prepared
def subjects_with(app: App, *keys: str) -> QuerySet[Entity, tuple[str, str]]:
    """Return key and name. As a parameter the kind would have SQLite plan anew each time, for the index of subjects."""
    rows = Entity.objects.for_app(app).filter(kind=Literal(SUBJECT)).filter(key__in=keys)
    return rows.order_by().values_list("key", "name")


def some_at_a_time(keys: Iterable[str]) -> Iterator[list[str]]:
    """Yield the keys some at a time: a statement has room for so many."""
    waiting = iter(keys)
    while some := list(islice(waiting, KEYS_AT_ONCE)):
        yield some


def drop_unmentioned(app: App, pks: Iterable[int]) -> None:
    """Delete entities that no memory mentions any more: they may be what had to be forgotten."""
    # One of its mentions is looked for: it may have as many as the app has memories.
    mentions = Mention.objects.for_app(app).filter(entity=OuterRef("pk"))
    Entity.objects.for_app(app).filter(~Exists(mentions), pk__in=list(pks)).delete()


def called_off_in(session: AgentSession) -> str:
    """Return why a trigger does not wait any more: a user said so there. What was said stands in the session alone."""
    return f"called off in session {session.uid}"


def triggers_about(memory: Memory) -> Q:
    """Return a condition for the triggers that bring it up, or the one that it tells of."""
    plan = plan_id_of(memory)
    return Q(preloads__memory=memory) | Q(uid=plan) if plan else Q(preloads__memory=memory)


def cancel_triggers_of(memory: Memory) -> None:
    """Cancel the triggers that bring up this memory alone, as another has taken its place. Two queries."""
    waiting = FutureTrigger.objects.for_app(memory.app).filter(triggers_about(memory), status=TriggerStatus.WAITING)
    others = Preload.objects.for_app(memory.app).filter(trigger=OuterRef("pk"), memory__status=Status.ACTIVE)
    own = list(waiting.filter(~Exists(others.exclude(memory=memory))).order_by().values_list("pk", flat=True))
    if own:
        rows = FutureTrigger.objects.for_app(memory.app).filter(pk__in=own)
        rows.update(status=TriggerStatus.CANCELLED, reason=f"superseded: {memory.uid}")


def resume_triggers_of(memory: Memory) -> None:
    """Have the triggers wait again that were called off with it, as the memory holds again. One statement."""
    off = FutureTrigger.objects.for_app(memory.app).filter(triggers_about(memory), reason=f"superseded: {memory.uid}")
    rows = FutureTrigger.objects.for_app(memory.app).filter(pk__in=list(off.values_list("pk", flat=True)))
    rows.filter(status=TriggerStatus.CANCELLED).update(status=TriggerStatus.WAITING, reason=None)


def memory_name(trigger: FutureTrigger) -> str:
    """Return the `external_id` of the memory that tells of a plan that was noted by hand."""
    return f"{PLAN}{trigger.uid}"


def plan_id_of(memory: Memory) -> UUID | None:
    """Return the id of the plan that it tells of."""
    name = memory.external_id or ""
    try:
        return UUID(name.removeprefix(PLAN)) if name.startswith(PLAN) else None
    except ValueError:
        return None


def memories_of(app: App, triggers: Iterable[FutureTrigger]) -> list[Memory]:
    """Return what was stored of those that were noted by hand. One query, if there are any."""
    names = [memory_name(trigger) for trigger in triggers if trigger.resource_id is None]
    return list(Memory.objects.for_app(app).filter(external_id__in=names)) if names else []


def drop_for(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """Delete the triggers of memories that are about to be deleted; return what else tells of these alone.

    A trigger is theirs if it brings one of them up or was told of in the same text. It stays only if that leaves it
    another live memory and it says nothing that the deleted ones say. Two queries if they have no triggers.
    """
    triggers = triggers_of(app, memories)
    if not triggers:
        return []
    about = memories_about(app, triggers)
    gone = {memory.pk: memory for memory in memories}
    plans = {plan: memory for memory in memories if (plan := plan_id_of(memory))}
    for trigger in triggers:
        if trigger.uid in plans:
            about[trigger.pk][plans[trigger.uid].pk] = plans[trigger.uid].status
    doomed = [
        trigger
        for trigger in triggers
        if not any(status in LIVE for pk, status in about[trigger.pk].items() if pk not in gone)
        or any(shared_words(gone[pk].text, trigger.message) for pk in about[trigger.pk] if pk in gone)
    ]
    beside = [memory for memory in memories_of(app, doomed) if memory.pk not in gone]
    FutureTrigger.objects.for_app(app).filter(pk__in=[trigger.pk for trigger in doomed]).delete()
    if doomed:
        forget_answers(app, [trigger.uid for trigger in doomed])
    return beside


def triggers_of(app: App, memories: Sequence[Memory]) -> list[FutureTrigger]:
    rows = FutureTrigger.objects.for_app(app)
    texts = {memory.resource_id for memory in memories} - {None}
    pks = set(rows.filter(resource__in=texts).values_list("pk", flat=True))
    pks.update(Preload.objects.for_app(app).filter(memory__in=memories).values_list("trigger_id", flat=True))
    if plans := [plan for memory in memories if (plan := plan_id_of(memory))]:
        pks.update(rows.filter(uid__in=plans).values_list("pk", flat=True))
    return list(rows.filter(pk__in=pks))


def memories_about(app: App, triggers: Sequence[FutureTrigger]) -> dict[int, dict[int, str]]:
    """Return by trigger the memories it brings up or shares a text with, and their status. Two queries."""
    about: dict[int, dict[int, str]] = defaultdict(dict)
    links = Preload.objects.for_app(app).filter(trigger__in=triggers)
    for trigger_pk, pk, status in links.values_list("trigger_id", "memory_id", "memory__status"):
        about[trigger_pk][pk] = status
    triggers_by_text = defaultdict(list)
    for trigger in triggers:
        triggers_by_text[trigger.resource_id].append(trigger.pk)
    made = Memory.objects.for_app(app).filter(resource__in=triggers_by_text.keys() - {None})
    for resource, pk, status in made.values_list("resource_id", "pk", "status"):
        for trigger_pk in triggers_by_text[resource]:
            about[trigger_pk][pk] = status
    return about


def transfer_triggers(winner: Memory, losers: Sequence[Memory]) -> None:
    """Have the losers' triggers bring up the winner, which says the same. One statement for each, and one more."""
    triggers = {pk for loser in losers for pk in loser.preloads.values_list("trigger_id", flat=True)}
    links = [Preload(app_id=winner.app_id, trigger_id=trigger, memory=winner) for trigger in sorted(triggers)]
    if links:
        Preload.objects.bulk_create(links, ignore_conflicts=True)


@dataclass(frozen=True, slots=True)
class Saved:
    """What putting memories away made of their texts and vectors, in bytes; other rows are not counted."""

    vectors: int
    bytes_before: int
    bytes_after: int


def move_to_cold(app: App, memories: Sequence[Memory], was: Sequence[str]) -> Saved:
    """Pack the texts and drops what search needed. `content` is empty after it, and is not saved yet."""
    texts = [
        ColdText(app=app, memory=memory, data=pack(memory.content), was=status)
        for memory, status in zip(memories, was, strict=True)
    ]
    ColdText.objects.bulk_create(texts, update_conflicts=True, unique_fields=["memory"], update_fields=["data", "was"])
    plain = sum(len(memory.content.encode()) for memory in memories)
    for memory in memories:
        memory.content = ""
    vectors = Vector.objects.for_app(app).filter(memory__in=memories)
    size = vectors.aggregate(size=Sum(Length("data")))["size"] or 0
    vector_count, _ = vectors.delete()
    rows = Mention.objects.for_app(app).filter(memory__in=memories)
    named = set(rows.values_list("entity_id", flat=True))
    rows.delete()
    drop_unmentioned(app, named)
    return Saved(vector_count, plain + size, sum(len(text.data) for text in texts))
