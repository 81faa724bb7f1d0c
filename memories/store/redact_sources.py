"""What was said of a memory goes with it: its sentences in the texts that it was made of, and in their turns.

Raw texts and turns are never changed, but for this: a purge puts others in their place, under the same number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F, Model, OuterRef, Q, Subquery

from memories.language.messages import SENTENCE
from memories.language.secrets import each_text
from memories.language.similarity import shared_words
from memories.models import Action, Extraction, ExtractionStatus, Memory, Rejection, Revision, Source, What
from memsite.db.transactions import in_batches
from memsite.tenancy.models import App
from memsite.tenancy.scoping import Scoped
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
        memories_of = of_text.get(text.pk, []) + of_turn.get((text.session_id or 0, text.turn_number or 0), [])
        replace(text, {"raw_content": redactor(memories_of)(text.raw_content)})
    for turn in Turn.objects.for_app(app).filter(places(of_turn)):
        blank = redactor(of_turn[turn.session_id, turn.number])
        replace(turn, {name: each_text(getattr(turn, name), blank) for name in TURN_TEXTS})
    events = Event.objects.for_app(app).filter(places(of_turn, "turn_number"))
    drop_saying((row, row.message, of_turn[row.session_id or 0, row.turn_number or 0]) for row in events)
    refused = Rejection.objects.for_app(app).filter(resource__in=of_text)
    drop_saying((row, row.content, of_text[row.resource_id or 0]) for row in refused)
    # Take the claims of who is just reading one of the texts, with the old words. Digests are written again.
    rows = Extraction.objects.for_app(app)
    reading = Q(resource__in=of_text, status=ExtractionStatus.RUNNING)
    digests = Q(what=What.DIGEST, session__in={memory.session_id for memory in memories} - {None})
    rows.filter(reading | digests).update(
        status=ExtractionStatus.PENDING, token=F("token") + 1, lease_until=None, finished_at=None
    )


def places(turns: Iterable[Place], name: str = "number") -> Q:
    """Return a condition for rows of these turns; for none of them, nothing."""
    condition = Q(pk__in=())
    for session, number in turns:
        condition |= Q(session=session, **{name: number})
    return condition


def redactor(memories: Sequence[Memory]) -> Callable[[str], str]:
    """Return a function that puts FORGOTTEN in the place of each sentence that says what one of these says."""

    def blank(sentence: re.Match[str]) -> str:
        text = sentence.group()
        if not text.strip() or not says(text, memories):
            return text
        return text[: len(text) - len(text.lstrip())] + FORGOTTEN

    return lambda whole: SENTENCE.sub(blank, whole)


def says(text: str, memories: Sequence[Memory]) -> bool:
    folded = text.casefold()
    return any(memory.text.casefold() in folded or shared_words(memory.text, text) for memory in memories)


def drop_saying(rows: Iterable[tuple[Model, str, Sequence[Memory]]]) -> None:
    """Delete the rows whose text says what one of the memories beside it says."""
    for row, text, memories in rows:
        if says(text, memories):
            row.delete()


def replace(row: Scoped, values: Mapping[str, Any]) -> None:
    """Replace a row by the same with other values, if they are others. Nothing that points to it notices."""
    if all(getattr(row, name) == value for name, value in values.items()):
        return
    with connection.cursor() as cursor:
        sql = f"DELETE FROM {row._meta.db_table} WHERE id = %s AND app_id = %s"  # noqa: S608  # our own names
        cursor.execute(sql, [row.pk, row.app_id])
    for name, value in values.items():
        setattr(row, name, value)
    row.save(force_insert=True)


def redact_reasons(app: App, memories: Sequence[Memory]) -> None:
    """Empty the reasons of others' revisions that tell of having been contradicted or superseded by one of these.

    Call it with a purge permit, while their revisions are there: a link of it may have been taken back. Two queries for
    up to 500 statements that did nothing to others, one more for each that the busiest did, and one for each that told.

    What a statement did to others is recorded right behind it, in one transaction, where nobody else writes to the app:
    however many revisions of other apps come in between.
    """
    later = Revision.objects.for_app(app).filter(pk__gt=OuterRef("pk")).order_by("pk")
    behind = Subquery(later.values("pk")[:1])
    rows = Revision.objects.for_app(app).order_by()
    stated = rows.filter(memory__in=memories, action__in=(Action.CREATED, Action.REINFORCED))
    done = rows.filter(action__in=DONE_TO_OTHERS).annotate(behind=behind)
    places: list[RevisionPlace] = list(stated.values_list(behind, "created_at"))
    for step in in_batches(places, MOST_AT_ONCE):
        while expected := {pk: created_at for pk, created_at in step if pk}:
            changes = [row for row in done.filter(pk__in=expected) if row.created_at == expected[row.pk]]
            for row in changes:
                replace(row, {"reason": ""})
            step = [(row.behind, row.created_at) for row in changes]
