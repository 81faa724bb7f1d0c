"""What was said of a memory goes with it: its sentences in the texts that it was made of, and in their turns.

Raw texts and turns are never changed, but for this: a purge puts others in their place, under the same number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F, Model, OuterRef, Q, Subquery

from memories.language.messages import SENTENCE
from memories.language.secrets import each_text
from memories.language.similarity import shared_words
from memories.models import Action, Extraction, ExtractionStatus, Memory, Rejection, Revision, Source, What
from memsite.tenancy.models import App
from sessions.models import Event, Resource, Turn

FORGOTTEN = "[forgotten]"
TURN_TEXTS = ("user_input", "tool_calls", "llm_output", "internal_state")
Place = tuple[int, int]
"""Session and turn."""
MOST_AT_ONCE = 500
DONE_TO_OTHERS = (Action.CONTRADICTED, Action.SUPERSEDED)
RevisionPlace = tuple[int | None, datetime]
"""The number of the revision behind a statement, if there is one, and when that was recorded."""


def digests_of(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """Return the digests of their sessions, which tell of the same. They are written anew from what is left."""
    sessions = {memory.session_id for memory in memories if memory.source != Source.DIGEST} - {None}
    rows = Memory.objects.for_app(app).filter(source=Source.DIGEST, session__in=sessions)
    return [digest for digest in rows if says(digest.text, memories)] if sessions else []


def redact_sources(app: App, memories: Sequence[Memory]) -> None:
    """Call it with a purge permit. No query for memories that nothing was said of."""
    of_text: dict[int, list[Memory]] = defaultdict(list)
    of_turn: dict[Place, list[Memory]] = defaultdict(list)
    for memory in memories:
        if memory.resource_id:
            of_text[memory.resource_id].append(memory)
        if memory.session_id and memory.turn_number:
            of_turn[memory.session_id, memory.turn_number].append(memory)
    if not of_text and not of_turn:
        return
    own = Resource.objects.for_app(app).filter(pk__in=of_text, session__isnull=False, turn_number__isnull=False)
    for pk, session, number in own.values_list("pk", "session_id", "turn_number"):
        of_turn[session or 0, number or 0] += of_text[pk]
    for text in Resource.objects.for_app(app).filter(Q(pk__in=of_text) | places(of_turn, "turn_number")):
        told = of_text.get(text.pk, []) + of_turn.get((text.session_id or 0, text.turn_number or 0), [])
        replace(text, {"raw_content": without(text.raw_content, told)})
    for turn in Turn.objects.for_app(app).filter(places(of_turn)):
        blank = redactor(of_turn[turn.session_id, turn.number])
        replace(turn, {name: each_text(getattr(turn, name), blank) for name in TURN_TEXTS})
    drop_saying(Event.objects.for_app(app).filter(places(of_turn, "turn_number")), of_turn, "message")
    for refused in Rejection.objects.for_app(app).filter(resource__in=of_text):
        if says(refused.content, of_text[refused.resource_id or 0]):
            refused.delete()
    # Take the claims of who is just reading one of the texts, with the old words. Digests are written again.
    rows = Extraction.objects.for_app(app)
    reading = Q(resource__in=of_text, status=ExtractionStatus.RUNNING)
    digests = Q(what=What.DIGEST, session__in=({memory.session_id for memory in memories} - {None}))
    rows.filter(reading | digests).update(
        status=ExtractionStatus.PENDING, token=F("token") + 1, lease_until=None, finished_at=None
    )


def places(turns: Iterable[Place], name: str = "number") -> Q:
    """Return a condition for rows of these turns; for none of them, nothing."""
    found = Q(pk__in=())
    for session, number in turns:
        found |= Q(session=session, **{name: number})
    return found


def drop_saying(events: Iterable[Event], of_turn: Mapping[Place, Sequence[Memory]], field: str) -> None:
    for event in events:
        if says(getattr(event, field), of_turn[event.session_id or 0, event.turn_number or 0]):
            event.delete()


def without(text: str, memories: Sequence[Memory]) -> str:
    return redactor(memories)(text)


def redactor(memories: Sequence[Memory]) -> Callable[[str], str]:
    """Return a function that puts FORGOTTEN in the place of each sentence that says what one of these says."""

    def blank(sentence: re.Match[str]) -> str:
        said = sentence.group()
        if not said.strip() or not says(said, memories):
            return said
        return said[: len(said) - len(said.lstrip())] + FORGOTTEN

    return lambda text: SENTENCE.sub(blank, text)


def says(text: str, memories: Sequence[Memory]) -> bool:
    folded = text.casefold()
    return any(memory.text.casefold() in folded or shared_words(memory.text, text) for memory in memories)


def replace(row: Model, values: Mapping[str, Any]) -> None:
    """Replace a row by the same with other values, if they are others. Nothing that points to it notices."""
    if all(getattr(row, name) == value for name, value in values.items()):
        return
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {row._meta.db_table} WHERE id = %s", [row.pk])  # noqa: S608  # our own names
    for name, value in values.items():
        setattr(row, name, value)
    row.save(force_insert=True)


def redact_reasons(app: App, memories: Sequence[Memory]) -> None:
    """Empty the reasons of others' revisions that tell of having been contradicted or superseded by one of these.

    Call it with a purge permit, while their revisions are there: a link of it may have been taken back. Two queries for
    up to 500 statements that did nothing to others, one more for each that the busiest did, and one for each that told.
    """
    rows = Revision.objects.for_app(app).filter(memory__in=memories).order_by()
    stated = rows.filter(action__in=(Action.CREATED, Action.REINFORCED))
    places = list(stated.values_list(next_of(app), "created_at"))
    for start in range(0, len(places), MOST_AT_ONCE):
        for row in done_behind(app, places[start : start + MOST_AT_ONCE]):
            replace(row, {"reason": ""})


def done_behind(app: App, places: Iterable[RevisionPlace]) -> Iterator[Revision]:
    """Yield what these statements did to others.

    That is recorded right behind each, in one transaction, where nobody else writes to the app: however many revisions
    of other apps come in between.
    """
    rows = Revision.objects.for_app(app).filter(action__in=DONE_TO_OTHERS).order_by().annotate(behind=next_of(app))
    while expected := {pk: at for pk, at in places if pk}:
        found = [row for row in rows.filter(pk__in=expected) if row.created_at == expected[row.pk]]
        yield from found
        places = [(row.behind, row.created_at) for row in found]


def next_of(app: App) -> Subquery:
    """Return the number of the one that was recorded next; None if there is none."""
    later = Revision.objects.for_app(app).filter(pk__gt=OuterRef("pk")).order_by("pk")
    return Subquery(later.values("pk")[:1])
