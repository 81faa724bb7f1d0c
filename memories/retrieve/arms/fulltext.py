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

# bm25 is smaller for better. What is not allowed is left out before the best are taken.
MATCH = f"""
SELECT rowid, -bm25({TABLE}, 0.0, 1.0, 1.0, 0.5) FROM {TABLE}
WHERE {TABLE} MATCH %s AND rowid IN (ALLOWED) ORDER BY bm25({TABLE}, 0.0, 1.0, 1.0, 0.5) LIMIT %s
"""


def search_words(query: Query) -> dict[int, float]:
    """BM25 (bigger is better) by memory pk, the best `depth`. One query, or none where nothing is said."""
    expression = match_expression(query)
    if not expression:
        return {}
    allowed, parameters = query.allowed.order_by().values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(MATCH.replace("ALLOWED", allowed), [expression, *parameters, query.depth])
        return dict(cursor.fetchall())


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
