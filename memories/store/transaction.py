"""The transaction that memories are written in, and that keeps an app within its limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import Exists, F

from memories.models import Webhook
from memories.store.due import mark_due
from memories.store.room import Suggestion, bring_down, hold
from memories.store.writer import Writer
from memsite.doorbell import ring
from memsite.tenancy.models import App, AppStatus

BATCH = 500
TELL = "memories.tasks.upkeep_tell"


class AppGone(ObjectDoesNotExist):
    """The app was uninstalled while this was under way: what it was told last is not kept."""


@contextmanager
def writing(app: App, actor: str, now: datetime, suggested: Sequence[Suggestion] = ()) -> Iterator[Writer]:
    """One transaction, one at a time per app. Nothing slow (no network, no embedding) belongs inside.

    At its end the app has no more live memories than its limit, or than before if that was more already (`shrink`):
    others have made room, `suggested` ones first. Raises LimitReached, and nothing is written, if none can.
    Raises AppGone where the app was active when `app` was read, and is not any more.
    """
    with transaction.atomic():
        # Taking the app's row first makes writers of the same app wait for each other on every database.
        row = App.objects.filter(pk=app.pk)
        row.update(change_number=F("change_number") + 1)
        known = (
            "change_number",
            "memory_count",
            "policy__memory_limit",
            "vector_model",
            "near_model",
            "status",
            "is_told",
        )
        is_told = Exists(Webhook.objects.for_app(app).active())
        change_number, count, limit, model, near_model, status, told = (
            row.annotate(is_told=is_told).values_list(*known).get()
        )
        if app.status == AppStatus.ACTIVE != status:
            raise AppGone
        write = Writer(app, app.policy, actor, now, change_number, count, limit, model, near_model)
        if told:
            ring(TELL, app.pk)
        yield write
        hold(write, max(limit, count), suggested)
        mark_due(app, write.summaries_due, now)
        if write.near_model != near_model:
            # Every process is to load an index of the other kind.
            row.update(near_model=write.near_model, index_number=F("index_number") + 1)
        if write.count != count or write.vector_model != model:
            row.update(memory_count=F("memory_count") + write.count - count, vector_model=write.vector_model)


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
        bring_down(write, max(write.limit, count - batch), suggested)
        return count - write.count
