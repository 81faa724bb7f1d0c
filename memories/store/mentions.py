"""Which entities a memory names, kept beside it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from django.db.models import Exists, OuterRef, QuerySet

from memories.models import Entity, FoundBy, Memory, Mention
from memories.text.entities import MAX_KEY_CHARS, MAX_SUBJECT_WORDS, entity_key, find_entities, phrase_keys
from memories.text.entities import Entity as Named
from memsite.db.expressions import Literal
from memsite.db.inserts import insert_all
from memsite.db.prepared import Prepared, padded
from memsite.tenancy.models import App

SUBJECT, TAG, NAMED = "subject", "tag", "name"
KEYS_AT_ONCE = 500
MANY_KEYS = 10_000
"""Asking for so many one by one takes longer than reading what an app has, if that is no more."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def keep_mentions(app: App, memories: Sequence[Memory], now: datetime, longest: int) -> int:
    """Sets the memories' mentions to what their texts, subjects and tags name, and their model did.

    What one of them is about, those after it know. For one memory six statements at most, for many some more. No
    subject of the app has more words than `longest`, and none than what it answers when these have theirs.
    """
    longest = max([longest, *(words_of(memory.subject) for memory in memories)])
    by_rules = named_by_rules(app, memories, longest)
    named = [named_by_model(memory) | found for memory, found in zip(memories, by_rules, strict=True)]
    known = keep_entities(app, memories, named, now)
    sources = {
        (memory.pk, known[key]): FoundBy.RULES if key in found else FoundBy.MODEL
        for memory, found, names in zip(memories, by_rules, named, strict=True)
        for key in names
    }
    edited = [memory.pk for memory in memories if memory.version > 1]
    had = mentions_of(app, edited) if edited else {}
    changed = [row.pk for pair, row in had.items() if sources.get(pair) != row.source]
    if changed:
        Mention.objects.for_app(app).filter(pk__in=changed).delete()
        drop_unmentioned(app, {entity_pk for _, entity_pk in had.keys() - sources.keys()})
    new = {pair: source for pair, source in sources.items() if pair not in had or had[pair].source != source}
    insert_all([Mention(app=app, entity_id=entity, memory_id=pk, source=new[pk, entity]) for pk, entity in new])
    return longest


def keep_entities(
    app: App, memories: Sequence[Memory], named: Sequence[Mapping[str, Named]], now: datetime
) -> dict[str, int]:  # fmt: skip
    """Pks by key of all that is named. What a memory is about is a subject, however it was met first."""
    first: dict[str, Named] = {}
    about: dict[str, Named] = {}
    for memory, names in zip(memories, named, strict=True):
        for key, one in names.items():
            first.setdefault(key, one)
            if one.kind == SUBJECT and one.name == memory.subject:
                about.setdefault(key, one)
    known: dict[str, int] = {}
    for keys in some_at_a_time(first):
        for key, pk, kind in entities_of(app, *padded(keys)):
            known[key] = pk
            if key in about and kind != SUBJECT:
                Entity.objects.for_app(app).filter(pk=pk).update(kind=SUBJECT, name=about[key].name)
    new = [
        Entity(app=app, key=key, name=one.name, kind=one.kind, created_at=now)
        for key, one in (first | about).items()
        if key not in known
    ]
    insert_all(new)
    return known | {row.key: row.pk for row in new}


@Prepared
def entities_of(app: App, *keys: str) -> QuerySet[Entity, tuple[str, int, str]]:
    """Key, number and kind."""
    return Entity.objects.for_app(app).filter(key__in=keys).order_by().values_list("key", "pk", "kind")


def mentions_of(app: App, pks: Sequence[int]) -> dict[tuple[int, int], Mention]:
    """By memory and entity."""
    return {(row.memory_id, row.entity_id): row for row in Mention.objects.for_app(app).filter(memory__in=pks)}


def named_by_rules(
    app: App, memories: Sequence[Memory], longest: int = MAX_SUBJECT_WORDS
) -> list[dict[str, Named]]:  # fmt: skip
    """Of each memory, by key. The app's other subjects are recognised in the text however they are written.

    Most have a word or two: runs of more words than the `longest` has need not be looked for, and they are most.
    """
    phrases = [phrase_keys(memory.content, longest) for memory in memories]
    subjects = known_subjects(app, {key for keys in phrases for key in keys})
    found = []
    for memory, keys in zip(memories, phrases, strict=True):
        about = [Named(memory.subject, SUBJECT)] if memory.subject else []
        others = [subjects[key] for key in keys if key in subjects]
        told = about + find_entities(memory.content, [one.name for one in about] + others)
        found.append(by_key([*told, *(Named(tag, TAG) for tag in memory.tags)]))
        subjects |= {key: one.name for key, one in by_key(about).items() if key not in subjects}
    return found


def named_by_model(memory: Memory) -> dict[str, Named]:
    return by_key([Named(name, NAMED) for name in memory.entities or ()])


def by_key(told: Iterable[Named]) -> dict[str, Named]:
    """Each once, as it was told first."""
    named: dict[str, Named] = {}
    for one in told:
        if key := entity_key(one.name)[:MAX_KEY_CHARS]:
            named.setdefault(key, Named(_CONTROL.sub(" ", one.name)[:MAX_KEY_CHARS], one.kind))
    return named


def words_of(subject: str | None) -> int:
    key = entity_key(subject or "")
    return key.count(" ") + 1 if key else 0


def known_subjects(app: App, keys: Collection[str]) -> dict[str, str]:
    """The names, by key, of the subjects among these."""
    if len(keys) >= MANY_KEYS:
        every = Entity.objects.for_app(app).filter(kind=SUBJECT).order_by()
        told = list(every.values_list("key", "name")[: len(keys)])
        if len(told) < len(keys):
            return {key: name for key, name in told if key in keys}
    subjects: dict[str, str] = {}
    for some in some_at_a_time(keys):
        subjects |= subjects_with(app, *padded(some))
    return subjects


@Prepared
def subjects_with(app: App, *keys: str) -> QuerySet[Entity, tuple[str, str]]:
    """Key and name. As a parameter the kind would have SQLite plan each time anew, for the index of subjects alone."""
    rows = Entity.objects.for_app(app).filter(kind=Literal(SUBJECT)).filter(key__in=keys)
    return rows.order_by().values_list("key", "name")


def some_at_a_time(keys: Iterable[str]) -> Iterator[list[str]]:
    """A statement has room for so many."""
    waiting = iter(keys)
    while some := list(islice(waiting, KEYS_AT_ONCE)):
        yield some


def drop_unmentioned(app: App, pks: Iterable[int]) -> None:
    """An entity that no memory mentions any more says nothing, and may be what had to be forgotten."""
    # One of its mentions is looked for: it may have as many as the app has memories.
    mentions = Mention.objects.for_app(app).filter(entity=OuterRef("pk"))
    Entity.objects.for_app(app).filter(~Exists(mentions), pk__in=list(pks)).delete()
