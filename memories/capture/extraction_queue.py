"""Extraction as durable work: queued with the text, claimed with a lease, finished once, retried when it failed.

The rows are the truth. Whoever looks for due ones (a worker that was rung for, the sweep) may find them; a claim
gives them to one. Each night, texts that should be learnt from and are not queued are enqueued.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Min
from django.utils import timezone

from memories.ledger.budget import BUDGET, asks_models, limits
from memories.models import Extraction, ExtractionStatus, What
from memories.models.capture import READ_BY_RULES
from memories.providers.llm.provider import (
    RULES,
    LLMDenied,
    LLMMisconfigured,
    LLMTooDear,
    LLMTooSlow,
    LLMUnavailable,
)
from memories.store import Writer
from memsite.db.transactions import BUSY, is_busy
from memsite.jobs.task_queue import enqueue
from memsite.ops.storage_errors import TOLD, why_unwritable
from memsite.tenancy.models import App, AppPolicy
from sessions.markers import without_markers
from sessions.models import AgentSession, Resource, Role

if TYPE_CHECKING:
    from memsite.jobs.job import Run

LEASE = timedelta(minutes=15)
LOOK_EVERY = timedelta(seconds=5)
MOST_RUNG_FOR = 100
"""Sessions whose texts are taken up at once; those of the others, within a minute."""
MOST_AT_ONCE = 40
ASK_AGAIN = timedelta(minutes=5)
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(hours=1)
# What fails for another reason than that a service is away is given up after so many attempts.
MOST_ATTEMPTS = 5
MOST_TIMEOUTS = 3
"""So often a text waits for a model that takes too long, before the rules read it."""
MISCONFIGURED_FOR = timedelta(days=1)
READ_AGAIN_AFTER = timedelta(hours=1)
"""So long after the rules have read a text a model that is back reads it again; all others by night."""
KILLED = "each worker that read this text was killed"
TASK = "memories.tasks.learn"
SPOKEN = (Role.USER, Role.ASSISTANT)
BATCH = 200
LOOK_BACK = timedelta(hours=6)
"""What was committed only after the run before had looked."""
FIRST_TIME = timedelta(days=1)


class LeaseLost(Exception):
    """Somebody else has claimed the work meanwhile; nothing of ours is stored."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Work of one session that is ours until the lease runs out: texts in the order they were said, or its digest."""

    session: AgentSession
    rows: list[Extraction]

    @property
    def is_digest(self) -> bool:
        return self.rows[0].what == What.DIGEST


def queue_facts(session: AgentSession, resources: Iterable[Resource], now: datetime) -> int:
    """Queue one row per text that says more than its markers; call it in the transaction that stores the texts."""
    rows = [
        Extraction(app_id=session.app_id, session=session, resource=resource, next_at=now, created_at=now)
        for resource in resources
        if resource.role in SPOKEN and without_markers(resource.raw_content).strip()
    ]
    if not rows:
        return 0
    is_rung = Extraction.objects.for_app(session.app).open().filter(session=session, attempts=0).exists()
    Extraction.objects.bulk_create(rows)
    if not is_rung:
        enqueue(TASK, session.app_id, session.pk)
    return len(rows)


def queue_digest(session: AgentSession, now: datetime) -> None:
    """Queue the digest of a session. Once per session; a session that went on is digested anew."""
    row = {"status": ExtractionStatus.PENDING, "next_at": now, "reason": "", "finished_at": None}
    Extraction.objects.for_app(session.app).update_or_create(
        session=session, what=What.DIGEST, defaults=row, create_defaults={**row, "app": session.app, "created_at": now}
    )
    enqueue(TASK, session.app_id, session.pk)


def ring_for_retries(now: datetime) -> int:
    """Call workers to texts whose time to be tried again has just come; return to those of how many sessions.

    Texts are rung for as they are said; what comes again later is known by its time alone. What this misses, or a
    worker, is found by the sweep of each minute, which may have come and gone in that minute already. One query.
    """
    came = Extraction.objects.due(now).filter(next_at__gt=now - 3 * LOOK_EVERY, created_at__lt=F("next_at"))
    sessions = came.order_by().values_list("app", "session").distinct()[:MOST_RUNG_FOR]
    for app, session in sessions:
        enqueue(TASK, app, session)
    return len(sessions)


def sessions_due(app: App, now: datetime) -> list[int]:
    """Return pks of the sessions with something to extract now; those with only the rest of long texts last."""
    sessions = Extraction.objects.for_app(app).due(now).order_by().values("session").annotate(read=Min("windows_read"))
    return [row["session"] for row in sessions.order_by("read", "session")]


def claim(app: App, session_pk: int, now: datetime) -> Claim | None:
    """Return the session's due work, the oldest first; None if there is none, or somebody else has it.

    The rest of a text that was too long for a day's budget is read with what all other texts of the app leave.
    """
    with transaction.atomic():
        # Writers of one app wait for each other here, so that two workers never see the same row as due.
        App.objects.filter(pk=app.pk).update(change_number=F("change_number"))
        due = Extraction.objects.for_app(app).due(now).filter(session=session_pk)
        left_behind = due.filter(status=ExtractionStatus.RUNNING)
        left_behind.filter(attempts__gte=MOST_ATTEMPTS).update(
            status=ExtractionStatus.DEAD, lease_until=None, finished_at=now, reason=KILLED
        )
        first = due.order_by("-what", "pk").values_list("what", flat=True).first()
        # What a worker left behind may be what ended it, and what the day's budget was not enough for may be enough for
        # one of them: read alone, the least tried first.
        is_long = due.filter(windows_read__gt=0).exists()
        is_hard = is_long or left_behind.exists() or due.filter(reason__startswith=BUDGET).exists()
        of_app = Extraction.objects.for_app(app).due(now)
        if is_long and not due.filter(windows_read=0).exists() and of_app.filter(windows_read=0).exists():
            return None
        most = 1 if is_hard else MOST_AT_ONCE
        in_order = due.filter(what=first).order_by("windows_read", "attempts", "resource_id", "pk")
        pks = list(in_order.values_list("pk", flat=True)[:most])
        ours = Extraction.objects.for_app(app).filter(pk__in=pks)
        ours.update(
            status=ExtractionStatus.RUNNING,
            token=F("token") + 1,
            attempts=F("attempts") + 1,
            lease_until=now + LEASE,
        )
        rows = list(ours.select_related("resource").order_by("resource_id", "pk"))
    if not rows:
        return None
    return Claim(AgentSession.objects.for_app(app).select_related("agent", "app__policy").get(pk=session_pk), rows)


def finish(write: Writer, row: Extraction, **counts: object) -> None:
    """Finish a row, in the transaction that stores what was found. Raises LeaseLost if the work is not ours."""
    fields = {"status": ExtractionStatus.DONE, "finished_at": timezone.now(), "reason": ""}
    if not update_ours(write.app, row, **{**fields, **counts}):
        raise LeaseLost


def pause(write: Writer, row: Extraction, windows_read: int, denied: LLMDenied, **counts: object) -> None:
    """Pause a row, as `finish` does: so much of its text is read, and the budget is not enough for the rest today."""
    fields = waiting(f"{denied}; what was read before is kept", denied.until, write.now)
    cut = {"attempts": F("attempts") - 1, "windows_read": windows_read, "is_gated": True}
    if not update_ours(write.app, row, status=ExtractionStatus.PENDING, **fields, **cut, **counts):
        raise LeaseLost


def fail(claim: Claim, rows: Sequence[Extraction], error: Exception, now: datetime) -> None:
    """Have rows tried again, later each time.

    A service that is away is waited for, and so are a full disk and a database that is busy; anything else is given up
    in the end.
    """
    if why := why_unwritable(error):
        again = {"status": ExtractionStatus.FAILED, "attempts": F("attempts") - 1, **waiting(TOLD[why], None, now)}
        for row in rows:
            update_ours(claim.session.app, row, **again)
        return
    for row in rows:
        is_away = isinstance(error, LLMUnavailable | LLMMisconfigured) and not isinstance(error, LLMTooDear)
        is_over = not is_away and not is_busy(error) and row.attempts >= MOST_ATTEMPTS
        until = error.until if isinstance(error, LLMDenied) else None
        update_ours(
            claim.session.app,
            row,
            status=ExtractionStatus.DEAD if is_over else ExtractionStatus.FAILED,
            next_at=until or now + wait_after(error, row.attempts),
            reason=explain(error)[:500],
            is_gated=row.is_gated or (isinstance(error, LLMTooDear) and is_read_alone(claim, rows)),
            finished_at=now if is_over else None,
        )


def is_patience_over(row: Extraction, error: Exception, now: datetime) -> bool:
    """Return whether the rules read a text, or have read it, rather than that it waits on for a model."""
    is_read = row.made_by == RULES
    if isinstance(error, LLMTooSlow):
        return is_read or row.attempts >= MOST_TIMEOUTS
    return isinstance(error, LLMMisconfigured) and (is_read or now - row.created_at >= MISCONFIGURED_FOR)


def mark_for_later(claim: Claim, rows: Sequence[Extraction], error: Exception) -> None:
    """Mark what the rules have read in a model's place, now or before; the model reads it again."""
    done = {"status": ExtractionStatus.DONE, "finished_at": timezone.now(), "lease_until": None}
    for row in rows:
        ours = Extraction.objects.for_app(claim.session.app).filter(pk=row.pk, token=row.token)
        status = ExtractionStatus.RUNNING if row.made_by == RULES else ExtractionStatus.DONE
        ours.filter(status=status).update(reason=marked(explain(error)), **done)


def marked(why: str) -> str:
    return f"{READ_BY_RULES}{why}"[:500]


def is_read_again(row: Extraction) -> bool:
    """Return whether a model reads a text that the rules have read to its end."""
    return row.made_by == RULES and not row.windows_read


def requeue_marked(app: App, now: datetime, before: datetime | None = None) -> int:
    """Make due what the rules have read in a model's place, `before` a time, if the app asks one. Return how many."""
    if not app.policy.capture_facts or not asks_models(app.policy):
        return 0
    rows = Extraction.objects.for_app(app).to_read_again()
    rows = rows.filter(finished_at__lte=before) if before else rows
    fresh = {"attempts": 0, "windows_read": 0, "is_gated": False, "finished_at": None}
    return rows.update(status=ExtractionStatus.PENDING, next_at=now, **fresh)


def defer(claim: Claim, rows: Sequence[Extraction], denied: LLMDenied, now: datetime) -> None:
    """Put rows back that were not tried after all: due when they may be, with as many attempts left as before."""
    waits = {"status": ExtractionStatus.PENDING, "attempts": F("attempts") - 1, **waiting(denied, denied.until, now)}
    for row in rows:
        update_ours(claim.session.app, row, is_gated=row.is_gated or is_read_alone(claim, rows), **waits)
    put_off(claim.session.app, denied, denied.until, now)


def is_read_alone(claim: Claim, rows: Sequence[Extraction]) -> bool:
    """Return whether a denial tells that the gate let a text's next window pass, which need not be paid for again."""
    return len(rows) == 1 and not claim.is_digest


def put_off(app: App, reason: object, until: datetime | None, now: datetime) -> None:
    """Have whatever is due of the app wait, and say why; until somebody knows when, it is asked again soon."""
    Extraction.objects.for_app(app).due(now).update(**waiting(reason, until, now))


def release(now: datetime) -> None:
    """Make due what waits for the next day's budget, once its app asks no model or has other limits.

    Rules cost nothing. One query if nothing waits, and one more for each app where something does.
    """
    rows = Extraction.objects.filter(
        status__in=(ExtractionStatus.PENDING, ExtractionStatus.FAILED), next_at__gt=now, reason__startswith=BUDGET
    )
    for policy in AppPolicy.objects.filter(pk__in=rows.order_by().values("app")):
        of_app = rows.filter(app=policy.pk)
        freed = of_app.exclude(reason__contains=limits(policy)) if asks_models(policy) else of_app
        freed.update(next_at=now)


def waiting(reason: object, until: datetime | None, now: datetime) -> dict[str, object]:
    return {"reason": str(reason)[:500], "next_at": until or now + ASK_AGAIN}


def retry(row: Extraction, now: datetime) -> bool:
    """Make a row due at once, by hand, with all its attempts. False if it is done or being worked on."""
    rows = Extraction.objects.for_app(row.app).filter(pk=row.pk)
    again = rows.exclude(status__in=(ExtractionStatus.DONE, ExtractionStatus.RUNNING))
    fresh = {"status": ExtractionStatus.PENDING, "attempts": 0, "next_at": now, "finished_at": None}
    return bool(again.update(**fresh))


def update_ours(app: App, row: Extraction, **fields: object) -> bool:
    """Release a row with other fields; return False if somebody else has claimed it meanwhile."""
    rows = Extraction.objects.for_app(app).filter(pk=row.pk, token=row.token, status=ExtractionStatus.RUNNING)
    return bool(rows.update(lease_until=None, **fields))


def wait_after(error: Exception, attempts: int) -> timedelta:
    if isinstance(error, LLMUnavailable) and error.wait_seconds is not None:
        return min(LONGEST_WAIT, timedelta(seconds=max(1.0, error.wait_seconds)))
    if isinstance(error, LLMMisconfigured):
        return LONGEST_WAIT
    return min(LONGEST_WAIT, FIRST_WAIT * (1 << min(attempts - 1, 10)))


def explain(error: Exception) -> str:
    """Return what an operator reads. Only our own errors may speak: others may quote what was said."""
    if why := why_unwritable(error):
        return TOLD[why]
    if is_busy(error):
        return BUSY
    known = isinstance(error, LLMUnavailable | LLMMisconfigured) or type(error).__module__.startswith("memories.")
    return str(error) or type(error).__name__ if known else f"unexpected {type(error).__name__}"


def enqueue_unprocessed(app: App, now: datetime, run: Run) -> None:
    """Queue what was said in the run's time and nobody queued, if the app learns facts. Counts `queued`.

    Texts are queued as they come. What is missed was left out by a crash, or came in some other way. What was said
    before that, when the app may not have learnt facts, stays as it is.
    """
    if not app.policy.capture_facts:
        return
    queued_to: int = run.cursor.get("queued_to", 0)
    if not queued_to:
        with transaction.atomic():
            if again := requeue_marked(app, now):
                run.done({"queued": again})
    since = (run.since or run.until - FIRST_TIME) - LOOK_BACK
    spoken = Resource.objects.for_app(app).filter(role__in=SPOKEN, extraction=None, created_at__gte=since)
    spoken = spoken.exclude(session=None).filter(created_at__lte=run.until).order_by("pk")
    while texts := list(spoken.filter(pk__gt=queued_to)[:BATCH]):
        queued_to = texts[-1].pk
        with transaction.atomic():
            # Queue texts under the app's lock: a worker or another run may have queued one meanwhile.
            App.objects.select_for_update().get(pk=app.pk)
            pks = [text.pk for text in texts]
            rows = Resource.objects.for_app(app).filter(pk__in=pks, extraction=None).select_related("session__app")
            in_sessions = groupby(rows.order_by("session", "pk"), key=lambda text: text.session)
            queued = sum(queue_facts(session, resources, now) for session, resources in in_sessions if session)
            run.done({"queued": queued}, queued_to=queued_to)
