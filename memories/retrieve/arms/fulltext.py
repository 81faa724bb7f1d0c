"""The full-text arm: which memories hold which of the question's words, stemmed (FTS5 or tsvector)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.models.fulltext import MEMORY, TABLE, WORDS, app_word
from memories.retrieve.reading import Reading, Rows
from memories.retrieve.words import Words, match_words
from memsite.tenancy.models import App
from memsite.tenancy.wall import is_up

# A word that more memories hold than this number, and this share of the app's, tells too little for what it costs.
COMMON_COUNT, COMMON_SHARE = 2_000, 0.05
NO_LIMIT = 2**62
# One text of numbers is read many times as fast as so many rows.
IN_SQLITE = f"(SELECT group_concat(rowid) FROM (SELECT rowid FROM {TABLE} WHERE {TABLE} MATCH %s LIMIT %s))"
# As the tables' owner: behind the wall the index of words could not be used, because its operators might tell of rows
# that are hidden. The function itself looks at nothing but this app.
BEHIND_THE_WALL = "memsite_holders(%s, %s, %s)"
IN_POSTGRES = (
    "(SELECT string_agg(id::text, ',') FROM "
    f"(SELECT id FROM {MEMORY} WHERE {WORDS} @@ memsite_query(%s, %s) LIMIT %s) AS found)"
)


def look_up(app: App, reading: Reading, words: Sequence[str]) -> Words:
    """The words against the memories of a reading, common ones left out unless no other is held by any. 1 to 3 queries.

    In SQLite first in all apps at once: the index knows the answer to that, and what others have is not in the reading.
    Where it is too much, in this app alone.
    """
    most = max(COMMON_COUNT, int(COMMON_SHARE * reading.view.size))
    places: dict[str, Rows] = {}
    common, unsure = list[str](), list[str]()
    whose = None if connection.vendor == "sqlite" else app.pk
    for word, pks in zip(words, holders(words, most + 1, whose), strict=True):
        places[word] = reading.places(pks)
        if len(places[word]) > most or (whose and len(pks) > most):
            common.append(word)
        elif len(pks) > most:
            unsure.append(word)
    for word, pks in zip(unsure, holders(unsure, most + 1, app.pk), strict=True):
        places[word] = reading.places(pks)
        if len(pks) > most:
            common.append(word)
    if common and not any(len(places[word]) for word in words if word not in common):
        places |= zip(common, map(reading.places, holders(common, NO_LIMIT, app.pk)), strict=True)
        common = []
    kept = [word for word in words if word not in common]
    return match_words(reading, kept, [places[word] for word in kept])


def holders(words: Sequence[str], most: int, app_pk: int | None) -> list[NDArray[np.int64]]:
    """For each word the pks of memories with it in content, subject or tags, `most` of them. One query.

    In SQLite of all apps if none is given: ten times as fast where one has most memories, slow where others have many
    more.
    """
    if not words:
        return []
    parameters: list[str | int | None] = []
    for word in words:
        parameters += [expression(word, app_pk), most] if connection.vendor == "sqlite" else [app_pk, word, most]
    one = IN_SQLITE if connection.vendor == "sqlite" else BEHIND_THE_WALL if is_up() else IN_POSTGRES
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join([one] * len(words))}", parameters)
        found = cursor.fetchone()
    return [np.fromstring(pks or "", np.int64, sep=",") for pks in found]


def expression(word: str, app_pk: int | None) -> str:
    """FTS5's. The word is quoted, so that nothing in it is syntax."""
    if app_pk is not None:
        return f'app : "{app_word(app_pk)}" AND {{content subject tags}} : "{word}"'
    # Without naming columns it is faster, but the column of apps holds words, too: each has a number in it.
    return f'{{content subject tags}} : "{word}"' if any(map(str.isdigit, word)) else f'"{word}"'
