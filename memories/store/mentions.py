"""Which entities a memory names, kept beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from memories.models import Entity, FoundBy, Memory, Mention
from memories.text.entities import MAX_KEY_CHARS, entity_key, find_entities, phrase_keys
from memories.text.entities import Entity as Named
from memsite.tenancy.models import App

SUBJECT, TAG, NAMED = "subject", "tag", "name"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def keep_mentions(memory: Memory, now: datetime) -> None:
    """Sets the memory's mentions to what its text, subject and tags name, and its model did. Six statements at most."""
    by_rules = entities_of(memory)
    named = named_by_model(memory) | by_rules
    known = dict(Entity.objects.for_app(memory.app).filter(key__in=named).values_list("key", "pk"))
    new = [
        Entity(app=memory.app, key=key, name=one.name, kind=one.kind, created_at=now)
        for key, one in named.items()
        if key not in known
    ]
    known |= {row.key: row.pk for row in Entity.objects.bulk_create(new)}
    own = [key for key, one in named.items() if one.kind == SUBJECT and one.name == memory.subject]
    for key in own:
        # Once somebody has told about it, it is known wherever it is named, however it was met first.
        Entity.objects.for_app(memory.app).filter(key=key).exclude(kind=SUBJECT).update(
            kind=SUBJECT, name=named[key].name
        )
    sources = {pk: FoundBy.RULES if key in by_rules else FoundBy.MODEL for key, pk in known.items()}
    had = dict(memory.mentions.values_list("entity_id", "source")) if memory.version > 1 else {}
    gone = had.keys() - sources.keys()
    changed = [pk for pk, source in had.items() if sources.get(pk) != source]
    if changed:
        memory.mentions.filter(entity_id__in=changed).delete()
        drop_unmentioned(memory.app, gone)
    Mention.objects.bulk_create(
        Mention(app=memory.app, entity_id=pk, memory=memory, source=source)
        for pk, source in sources.items()
        if had.get(pk) != source
    )


def entities_of(memory: Memory) -> dict[str, Named]:
    """By key. The app's other subjects are recognised in the text however they are written."""
    subjects = known_subjects(memory.app, memory.content)
    told = [Named(memory.subject, SUBJECT)] if memory.subject else []
    told += find_entities(memory.content, [one.name for one in told] + subjects)
    return by_key([*told, *(Named(tag, TAG) for tag in memory.tags)])


def named_by_model(memory: Memory) -> dict[str, Named]:
    return by_key([Named(name, NAMED) for name in memory.entities or ()])


def by_key(told: Iterable[Named]) -> dict[str, Named]:
    """Each once, as it was told first."""
    named: dict[str, Named] = {}
    for one in told:
        if key := entity_key(one.name)[:MAX_KEY_CHARS]:
            named.setdefault(key, Named(_CONTROL.sub(" ", one.name)[:MAX_KEY_CHARS], one.kind))
    return named


def known_subjects(app: App, text: str) -> list[str]:
    keys = phrase_keys(text)
    rows = Entity.objects.for_app(app).filter(kind=SUBJECT, key__in=keys)
    return list(rows.values_list("name", flat=True)) if keys else []


def drop_unmentioned(app: App, pks: Iterable[int]) -> None:
    """An entity that no memory mentions any more says nothing, and may be what had to be forgotten."""
    Entity.objects.for_app(app).filter(pk__in=list(pks), mentions=None).delete()
