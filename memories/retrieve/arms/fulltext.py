"""The full-text arm: BM25 over stemmed words (SQLite FTS5)."""

import re

from django.db import connection

from memories.models.fulltext import TABLE, app_word
from memories.retrieve.query import Query

WORD = re.compile(r"\w+")
MAX_WORDS = 40
# Words that say nothing about what is asked for; without them an OR of words reads far fewer postings.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further had has have having he her here hers
    him his how i if in into is it its just me more most my no nor not now of off on once only or other our out
    over own please same she should so some such than that the their them then there these they this those through
    to too under until up us very was we were what when where which while who whom why will with would you your"""
    .split()
)  # fmt: skip

# The alias of the MATCH column keeps the planner on the index; bm25 is smaller for better.
MATCH = f"""
SELECT rowid, -bm25({TABLE}, 0.0, 1.0, 1.0, 0.5) FROM {TABLE}
WHERE {TABLE} MATCH %s ORDER BY bm25({TABLE}, 0.0, 1.0, 1.0, 0.5) LIMIT %s
"""


def search_words(query: Query) -> dict[int, float]:
    """BM25 (bigger is better) by memory pk, the best `depth`. Two queries, or one where nothing is said."""
    expression = match_expression(query)
    if not expression:
        return {}
    with connection.cursor() as cursor:
        # Deeper than asked for: what is not allowed is dropped afterwards.
        cursor.execute(MATCH, [expression, 4 * query.depth])
        found = dict(cursor.fetchall())
    allowed = set(query.allowed.filter(pk__in=found).values_list("pk", flat=True))
    kept = [(pk, score) for pk, score in found.items() if pk in allowed]
    return dict(kept[: query.depth])


def match_expression(query: Query) -> str:
    """FTS5's: the app's word and any of the query's. Every word is quoted, so nothing in it is syntax."""
    words = query_words(query.text)
    if not words:
        return ""
    anywhere = " OR ".join(f'"{word}"' for word in words)
    return f'app : "{app_word(query.app.pk)}" AND {{content subject tags}} : ({anywhere})'


def query_words(text: str) -> list[str]:
    """Its distinct words in order, without stop words unless there are no others."""
    words = list(dict.fromkeys(WORD.findall(text.casefold())))
    return ([word for word in words if word not in STOP_WORDS] or words)[:MAX_WORDS]
