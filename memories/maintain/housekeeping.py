"""What is tidied up: indexes, sessions that fell silent, purges, rows that are kept for a while only, backups."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from traceback import format_tb

import structlog
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from memories.maintain.derived import damage_in_copy, mend_all, named
from memories.models import Delivery, Import, ImportStatus, Injection, Purge, sqlite_stats
from memories.models.fulltext import COLUMNS, SOURCE, TABLE
from memories.store import writing
from memories.store.purge import settle, stages
from memories.store.vacuum import PAGES_AT_A_TIME, changes_of, sweep
from memsite.config.conf import get_conf
from memsite.jobs.job import Run
from memsite.ops.backup import make_backup
from memsite.tenancy.models import App, IdempotentAnswer
from memsite.tenancy.row_level_security import site_wide
from sessions.models import AgentSession, Event, Level
from sessions.recording import end_silent

log = structlog.get_logger("memories.maintain")
BROKEN_OFF_AFTER = timedelta(hours=6)
DELIVERIES_KEPT = timedelta(days=30)
REINDEX_BATCH = 500
NAMES = ", ".join(COLUMNS)
# Each row of the index has its sizes in a table of its own, which can be asked by number.
MISSING = f"""
SELECT id FROM memories_memory AS m WHERE app_id = %s AND content <> '' AND id > %s
AND NOT EXISTS (SELECT 1 FROM {TABLE}_docsize AS d WHERE d.id = m.id) ORDER BY id LIMIT %s
"""  # noqa: S608  # our own names
PUT_BACK = f"INSERT INTO {TABLE} (rowid, {NAMES}) SELECT id, {NAMES} FROM {SOURCE} WHERE id = %s"  # noqa: S608
ANALYSED = ("memories_memory", "memories_vector", "memories_revision", "memories_mention", "memories_injection")
SESSIONS_AT_ONCE = 100
Handle = Callable[[AgentSession], object]
ACTOR = "system:purge"
PAUSE_SECONDS = 0.05
"""SQLite asks for its lock anew after 100 ms at most: who waits comes in within some batches."""


def drop_expired_answers(now: datetime) -> int:
    """Delete answers that can no longer be repeated."""
    oldest = now - timedelta(hours=get_conf().idempotency_hours)
    return IdempotentAnswer.objects.filter(created_at__lte=oldest).delete()[0]


def drop_broken_off_imports(now: datetime) -> int:
    """Delete files whose sender, or whose reader, was gone before all of it was looked at."""
    rows = Import.objects.filter(status=ImportStatus.READING, created_at__lt=now - BROKEN_OFF_AFTER)
    return rows.delete()[0]


def drop_old_deliveries(now: datetime) -> int:
    """Delete what webhooks were told long ago, and what never arrived. What waits still is for one switched off."""
    return Delivery.objects.filter(created_at__lt=now - DELIVERIES_KEPT).delete()[0]


def reindex(app: App, now: datetime, run: Run) -> None:
    """Tidy the app's indexes.

    Counts `words_put_back` (memories), `merges` (steps) and `reindexed`. No step keeps writers waiting for long.
    """
    if connection.vendor == "sqlite":
        # Put back what the index of words misses: nothing, unless it was damaged or written around the triggers.
        after = 0
        while pks := missing(app, after):
            after = pks[-1]
            with transaction.atomic():
                # Asked again under the lock: a row that is put in twice stays in for ever.
                still = set(missing(app, pks[0] - 1)) & set(pks)
                with connection.cursor() as cursor:
                    cursor.executemany(PUT_BACK, [[pk] for pk in sorted(still)])
                run.done({"words_put_back": len(still)})
        # Merge all segments into one, some pages at a time. The index is of all apps: the next one finds nothing
        # left to do.
        pages, changes = -PAGES_AT_A_TIME, 2
        while changes > 1:
            with transaction.atomic():
                changes = changes_of(pages)
                run.done({"merges": int(changes > 1)})
            pages = PAGES_AT_A_TIME
    with transaction.atomic():
        analyse()
        # Every process loads the app's vectors anew, without dead rows and names of what is gone.
        App.objects.filter(pk=app.pk).update(index_number=F("index_number") + 1)
        run.done({"reindexed": 1})


def missing(app: App, after: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(MISSING, [app.pk, after, REINDEX_BATCH])
        return [pk for (pk,) in cursor.fetchall()]


@site_wide()
def analyse() -> None:
    """Tell the database how its tables are filled: all of them, which only their owner may."""
    if connection.vendor == "sqlite":
        sqlite_stats.write_statistics()
        return
    with connection.cursor() as cursor:
        for table in ANALYSED:
            cursor.execute(f"ANALYZE {table}")


def flush_crashed(app: App, now: datetime, run: Run, catch_up: Handle, wind_up: Handle) -> None:
    """End each session without a sign of life for `MEMSITE_CRASHED_AFTER_MINUTES`, one to a transaction.

    `catch_up` reads what was stored and not read before the crash: outside of the transaction, for it may be slow.
    `wind_up` is the rest of what an end brings with it. Counts `sessions`, and `unread` where catching up failed.
    """
    since = silent_since(now)
    for session in silent_sessions(app, since, after=run.cursor.get("session", 0)):
        is_caught_up = False
        try:
            catch_up(session)
            is_caught_up = True
        except Exception as error:
            # One that makes trouble keeps no other from its end. Where, and not what: an error may quote what was said.
            place = format_tb(error.__traceback__)
            log.error("not_caught_up", session=str(session.uid), error=type(error).__name__, at=place)
        with transaction.atomic():
            if not end_silent(session, since, now):
                continue
            wind_up(session)
            minutes = get_conf().crashed_after_minutes
            message = f"No sign of life for {minutes} minutes: the session is taken for crashed and has been ended."
            Event.objects.create(app=app, session=session, level=Level.WARNING, message=message, created_at=now)
            run.done({"sessions": 1, "unread": int(not is_caught_up)}, session=session.pk)


def silent_since(now: datetime) -> datetime:
    """Return the moment since when a session without a sign of life is taken for crashed."""
    return now - timedelta(minutes=get_conf().crashed_after_minutes)


def silent_sessions(app: App, since: datetime, after: int) -> Iterator[AgentSession]:
    injected = Injection.objects.for_app(app).filter(session=OuterRef("pk"), created_at__gte=since)
    rows = AgentSession.objects.for_app(app).active().silent(since).exclude(Exists(injected)).order_by("pk")
    while batch := list(rows.filter(pk__gt=after).select_related("agent")[:SESSIONS_AT_ONCE]):
        for session in batch:
            session.app = app
            yield session
        after = batch[-1].pk


def backup(now: datetime, run: Run) -> None:
    """Make one backup of all apps in `MEMSITE_BACKUP_DIR`, old ones rotated out.

    Counts `bytes`, `seconds` and, of what is damaged and can be made anew, `damaged` and `mended`: what the copy shows
    is mended on the site.

    Raises BackupError, with a sentence for people.
    """
    conf = get_conf()
    made = make_backup(conf.backups, now, conf.backup_keep, damage_in_copy)
    with transaction.atomic():
        run.done({"bytes": made.bytes, "seconds": round(made.seconds)})
    if made.damaged:
        log.error("backed_up_with_damage", damaged=named(made.damaged))
        mended = mend_all(made.damaged)
        with transaction.atomic():
            run.done({"damaged": sum(map(Counter.total, made.damaged.values())), "mended": mended.total()})
    log.info("backed_up", bytes=made.bytes, seconds=round(made.seconds, 1))


def purge(app: App, now: datetime, run: Run) -> None:
    """Delete what the app's open purges have hidden, batch by batch; then sweep, if anything was deleted anywhere.

    Counts rows by kind. To be run for apps that are not active, too: see `apps_to_purge`.
    """
    while Purge.objects.for_app(app).open().exists() and not erase_hidden(app, now, run, PAUSE_SECONDS):
        pass
    sweep(now)


def erase_hidden(app: App, now: datetime, run: Run, pause_seconds: float = 0.0) -> bool:
    """Delete what is hidden; return False if more was hidden meanwhile. Between batches others can write."""
    for name, delete in stages(app):
        is_over = False
        while not is_over:
            with writing(app, ACTOR, now) as write:
                count = delete(write)
                is_over = not count
                if count:
                    run.done({name: count})
            if count:
                time.sleep(pause_seconds)
    with writing(app, ACTOR, now) as write:
        return settle(write)


def apps_to_purge() -> QuerySet[App]:
    """Return the apps with an open purge, whatever their status. One query."""
    return App.objects.filter(pk__in=Purge.objects.open().order_by().values("app")).select_related("policy")
