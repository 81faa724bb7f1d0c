"""The transaction that memories are written in, and that keeps an app within its limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import F
from django.dispatch import Signal

from memories.models import Memory
from memories.store.damage import COUNTS, noticing_damage, report_damage
from memories.store.due import mark_due
from memories.store.room import Suggestion, enforce_limit, evict
from memories.store.writer import Writer
from memsite.db.inserts import execute_all
from memsite.db.prepared import fetch_all
from memsite.jobs.task_queue import ring
from memsite.tenancy.models import App, AppStatus

BATCH = 500
TELL = "memories.tasks.upkeep_tell"
# The ORM takes 2 ms to write these, in which nobody else may write to SQLite.
# Taking the app's row first makes writers of the same app wait for each other on every database. Whoever waited reads
# what the others left of it; the policy, the webhooks and the longest subject may be those from before it waited, as if
# it had come first.
TAKE = """
UPDATE tenancy_app SET change_number = change_number + 1 WHERE id = %s
RETURNING change_number, memory_count, vector_model, near_model, status,
          (SELECT p.memory_limit FROM tenancy_apppolicy p WHERE p.app_id = %s),
          EXISTS (SELECT 1 FROM memories_webhook w WHERE w.app_id = %s AND w.is_active),
          (SELECT LENGTH("key") - LENGTH(REPLACE("key", ' ', '')) FROM memories_entity
           WHERE app_id = %s AND kind = 'subject' ORDER BY 1 DESC LIMIT 1)
"""
# Never below none: what was counted wrong refuses no write until it is counted anew (`memories.maintain.derived`).
KEEP = """
UPDATE tenancy_app SET memory_count = CASE WHEN memory_count + %s < 0 THEN 0 ELSE memory_count + %s END,
vector_model = %s WHERE id = %s
"""

committed = Signal()
"""Some of an app's memories were written, and it is committed. With its `app_pk`; what a receiver raises is logged."""


class AppGone(ObjectDoesNotExist):
    """The app was uninstalled while this was under way: what it was told last is not kept."""


@contextmanager
def writing(app: App, actor: str, now: datetime, suggested: Sequence[Suggestion] = ()) -> Iterator[Writer]:
    """One transaction, one at a time per app. Nothing slow (no network, no embedding) belongs inside.

    At its end the app has no more live memories than its limit, or than before if that was more already (`shrink`):
    others have made room, `suggested` ones first. Raises LimitReached, and nothing is written, if none can.
    Raises AppGone where the app was active when `app` was read, and is not any more.
    """
    with noticing_damage(app.pk), transaction.atomic():
        change_number, count, model, near_model, status, limit, told, blanks = take(app)
        if app.status == AppStatus.ACTIVE != status:
            raise AppGone
        longest_subject = 0 if blanks is None else blanks + 1
        write = Writer(app, app.policy, actor, now, change_number, count, limit, model, near_model, longest_subject)
        if told:
            ring(TELL, app.pk)
        transaction.on_commit(partial(committed.send_robust, sender=Writer, app_pk=app.pk))
        yield write
        enforce_limit(write, max(limit, count), suggested)
        mark_due(app, write.summaries_due, now)
        if write.near_model != near_model:
            # Every process is to load an index of the other kind.
            row = App.objects.filter(pk=app.pk)
            row.update(near_model=write.near_model, index_number=F("index_number") + 1)
        if write.count != count or write.vector_model != model:
            more = write.count - count
            execute_all([(KEEP, [more, more, write.vector_model, app.pk])])
        if write.count < 0:
            report_damage(app.pk, COUNTS)


def take(app: App) -> tuple[Any, ...]:
    """The app's state, which nobody else changes until the transaction ends. DoesNotExist if the app is gone."""
    state: list[tuple[Any, ...]] = fetch_all(TAKE, [app.pk] * 4)
    if not state:
        raise App.DoesNotExist
    change_number, count, *rest = state[0]
    if not isinstance(count, int):
        report_damage(app.pk, COUNTS)
        count = Memory.objects.for_app(app).live().count()
    return change_number, count, *rest


def shrink(
    app: App, actor: str, now: datetime, batch: int = BATCH, suggested: Sequence[Suggestion] = ()
) -> int:  # fmt: skip
    """Brings an app nearer to a limit that was lowered; answers how many memories, `batch` at most, made room.

    0 when the limit holds, or when all that are left are pinned: call it until then.
    """
    if not App.objects.filter(pk=app.pk, memory_count__gt=F("policy__memory_limit")).exists():
        return 0
    with writing(app, actor, now) as write:
        count = write.count
        evict(write, max(write.limit, count - batch), suggested)
        return count - write.count
