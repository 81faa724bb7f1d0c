"""The indexes tidied: words that are missing put back, segments merged, statistics taken anew, memory given back."""

from __future__ import annotations

from datetime import datetime

from django.db import connection, transaction
from django.db.models import F

from memories.maintain.run import Run
from memories.models import sqlite_stats
from memories.models.fulltext import COLUMNS, SOURCE, TABLE
from memories.store.sweep import PAGES_AT_A_TIME, changes_of
from memsite.tenancy.models import App
from memsite.tenancy.row_level_security import site_wide

BATCH = 500
NAMES = ", ".join(COLUMNS)
# Each row of the index has its sizes in a table of its own, which can be asked by number.
MISSING = f"""
SELECT id FROM memories_memory AS m WHERE app_id = %s AND content <> '' AND id > %s
AND NOT EXISTS (SELECT 1 FROM {TABLE}_docsize AS d WHERE d.id = m.id) ORDER BY id LIMIT %s
"""  # noqa: S608  # our own names
PUT_BACK = f"INSERT INTO {TABLE} (rowid, {NAMES}) SELECT id, {NAMES} FROM {SOURCE} WHERE id = %s"  # noqa: S608
ANALYSED = ("memories_memory", "memories_vector", "memories_revision", "memories_mention", "memories_injection")


def reindex(app: App, now: datetime, run: Run) -> None:
    """Counts `words_put_back` (memories), `merges` (steps) and `reindexed`. No step keeps writers waiting for long."""
    if connection.vendor == "sqlite":
        put_back_words(app, run)
        merge_words(run)
    with transaction.atomic():
        analyse()
        # Every process loads the app's vectors anew, without dead rows and names of what is gone.
        App.objects.filter(pk=app.pk).update(index_number=F("index_number") + 1)
        run.done({"reindexed": 1})


def put_back_words(app: App, run: Run) -> None:
    """What the index of words misses: nothing, unless it was damaged or written around the triggers."""
    after = 0
    while pks := missing(app, after):
        after = pks[-1]
        with transaction.atomic():
            # Asked again under the lock: a row that is put in twice stays in for ever.
            still = set(missing(app, pks[0] - 1)) & set(pks)
            with connection.cursor() as cursor:
                cursor.executemany(PUT_BACK, [[pk] for pk in sorted(still)])
            run.done({"words_put_back": len(still)})


def missing(app: App, after: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(MISSING, [app.pk, after, BATCH])
        return [pk for (pk,) in cursor.fetchall()]


def merge_words(run: Run) -> None:
    """All segments into one, some pages at a time. The index is of all apps: the next one finds nothing left to do."""
    pages, changes = -PAGES_AT_A_TIME, 2
    while changes > 1:
        with transaction.atomic():
            changes = changes_of(pages)
            run.done({"merges": int(changes > 1)})
        pages = PAGES_AT_A_TIME


@site_wide()
def analyse() -> None:
    """Tells the database how its tables are filled: all of them, which only their owner may."""
    if connection.vendor == "sqlite":
        sqlite_stats.write_statistics()
        return
    with connection.cursor() as cursor:
        for table in ANALYSED:
            cursor.execute(f"ANALYZE {table}")
