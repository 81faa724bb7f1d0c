"""The full-text arm: which memories hold which of the question's words, stemmed (SQLite FTS5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.models.fulltext import TABLE, app_word

MATCH = f"SELECT %s, rowid FROM {TABLE} WHERE {TABLE} MATCH %s"


def holders(app_pk: int, words: Sequence[str]) -> list[NDArray[np.int64]]:
    """For each word the pks of the app's memories with it in content, subject or tags. One query."""
    if not words:
        return []
    parameters = [value for number, word in enumerate(words) for value in (number, expression(app_pk, word))]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join([MATCH] * len(words)), parameters)
        found = np.array(cursor.fetchall(), np.int64).reshape(-1, 2)
    return [found[found[:, 0] == number, 1] for number in range(len(words))]


def expression(app_pk: int, word: str) -> str:
    """FTS5's. The word is quoted, so that nothing in it is syntax."""
    return f'app : "{app_word(app_pk)}" AND {{content subject tags}} : "{word}"'
