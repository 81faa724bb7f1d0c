"""Administration of an app: webhooks and bridges, throttles, energy, purges, rollbacks of one source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F, Min
from django.utils import timezone

from memories.capture.extraction_queue import MOST_RUNG_FOR, TASK, sessions_due
from memories.capture.ingest_messages import Captured
from memories.import_export.sources import MEMSITE
from memories.language.secrets import clean
from memories.ledger import outages, service_away
from memories.ledger.budget import may_learn
from memories.ledger.energy import Consumption, consumed, is_low, set_level
from memories.maintain.housekeeping import erase_hidden
from memories.models import (
    Bridge,
    Delivery,
    Extraction,
    ExtractionStatus,
    Import,
    ImportStatus,
    Memory,
    Purge,
    Rollback,
    RollbackStatus,
    RollbackWhat,
    Webhook,
)
from memories.notifications import Change, changes_since, current_number
from memories.notifications.alerts import release_webhook
from memories.notifications.webhooks import TEST, deliver_due, last_of, note_changes, payload, replay
from memories.providers.llm.client import make_chat
from memories.providers.llm.provider import LLMMisconfigured
from memories.services.sessions import SessionService
from memories.store import writing
from memories.store.purge import purge_app, purge_memories, purge_session, purge_user
from memories.store.rollback import Source, stop, undo_changes, withdraw
from memories.store.transaction import TELL
from memsite.config.conf import get_conf
from memsite.http.signatures import secret_of
from memsite.jobs.engine import WORK
from memsite.jobs.job import Run, Unclaimed
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.audit import note
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import Agent
from memsite.tenancy.origin import Origin
from memsite.tenancy.scoping import ScopedQuerySet
from memsite.tenancy.write_rate import agents_at_limit
from sessions.models import AgentSession, Cooldown, Resource
from sessions.recording import Said

__all__ = ["AdministrationService", "Change"]
MOST_AGENTS = 200
SWEEP_TASK = "memories.tasks.upkeep_sweep"
PURGE_BATCH = 2_000
"""Rows: what goes in a second or two is gone when the caller is told so."""
ROLLBACK_BATCH, SAMPLES = 1_000, 10
MOST_IN_NAME = 200
BY_ID: dict[str, Any] = {
    RollbackWhat.SESSION: AgentSession,
    RollbackWhat.RESOURCE: Resource,
    RollbackWhat.IMPORT: Import,
}


@dataclass(frozen=True, slots=True)
class Throttle:
    """One thing that waits. `until` None: until somebody acts, as `detail` says."""

    kind: Literal["write rate", "learning", "model"]
    name: str
    detail: str
    until: datetime | None


@dataclass(frozen=True, slots=True)
class EnergyReport:
    """The energy of an app; `deferred` counts texts and sessions that wait for extraction."""

    consumption: Consumption
    level: float
    low: bool
    deferred: int


class NoSuchSource(Exception):
    """The app has no such source; the text tells nothing of other apps."""


class CannotRollBack(Exception):
    """The source cannot be rolled back, or not yet; the text says why."""


@dataclass(frozen=True, slots=True)
class RollbackPreview:
    """What a rollback would do."""

    memories: int
    sessions: int
    changes: int
    samples: list[Memory]


class AdministrationService(SessionService):
    """Administer an app: webhooks and bridges, throttles, energy, purges and rollbacks."""

    def add_webhook(self, url: str, description: str, events: Sequence[str]) -> Webhook:
        """Add a webhook that is notified of changes from now on."""
        with transaction.atomic():
            row = Webhook.objects.create(
                app=self.app, url=url, description=description, events=list(events), **last_of(self.app)
            )
            note(
                self.actor,
                self.app,
                "webhook added",
                str(row.uid),
                after={"url": row.url_shown, "events": list(events)},
            )
        return row

    def change_webhook(self, row: Webhook, changes: Mapping[str, Any]) -> Webhook:
        """Change a webhook. One that is switched on again is notified of changes from then on."""
        wakes = changes.get("is_active") and not row.is_active
        fields = {**changes, **({"reason": "", **last_of(self.app)} if wakes else {})}
        for name, value in fields.items():
            setattr(row, name, value)
        with transaction.atomic():
            # Not all of the row: a worker notes in it how far it is told.
            row.save(update_fields=list(fields))
            details = {**changes, **({"url": row.url_shown} if "url" in changes else {})}
            note(self.actor, self.app, "webhook changed", str(row.uid), after=details)
        return row

    def delete_webhook(self, row: Webhook) -> None:
        """Delete a webhook with the log of its deliveries."""
        with transaction.atomic():
            note(self.actor, self.app, "webhook deleted", str(row.uid))
            forget_answers(self.app, [row.uid])
            release_webhook(row.pk)
            row.delete()

    def renew_secret(self, row: Webhook | Bridge) -> str:
        """Renew the secret. A webhook's old one is valid for another day, a bridge's is not."""
        rows: Any = type(row)._default_manager
        changed = {"secret_changed_at": timezone.now()} if isinstance(row, Webhook) else {}
        with transaction.atomic():
            rows.for_app(self.app).filter(pk=row.pk).update(secret_number=F("secret_number") + 1, **changed)
            note(self.actor, self.app, "secret renewed", str(row.uid))
        row.refresh_from_db()
        return secret_of(row.uid, row.secret_number)

    def test_webhook(self, row: Webhook) -> Delivery:
        now = timezone.now()
        event = payload(TEST, now, {"app_id": self.app.app_id})
        delivery = Delivery.objects.create(app=self.app, webhook=row, kind=TEST, payload=event, next_at=now)
        enqueue(TELL, self.app.pk)
        return delivery

    def replay(self, row: Delivery) -> Delivery:
        replay(row, timezone.now())
        enqueue(TELL, self.app.pk)
        row.refresh_from_db()
        return row

    def tell(self, run: Run) -> None:
        """Record new changes for each webhook, and send the due deliveries."""
        made = note_changes(self.app, timezone.now())
        if made:
            with transaction.atomic():
                run.done({"noted": made})
        deliver_due(self.app, run)

    def current_change(self) -> int:
        return current_number(self.app)

    def changes_since(self, number: int) -> tuple[list[Change], int]:
        """Return (memories that were written or deleted since, where to go on)."""
        return changes_since(self.app, self.agent, self.memories_of(), number, self.users())

    def add_bridge(self, name: str, agent: Agent) -> Bridge:
        with transaction.atomic():
            row = Bridge.objects.create(app=self.app, name=name, agent=agent)
            note(self.actor, self.app, "bridge added", name, after={"agent": agent.name})
        return row

    def delete_bridge(self, row: Bridge) -> None:
        with transaction.atomic():
            note(self.actor, self.app, "bridge deleted", row.name)
            forget_answers(self.app, [row.uid])
            row.delete()

    def hear_chat(self, bridge: Bridge, place: str, user: str | None, messages: Sequence[Said]) -> Captured:
        """Store what was said in one place of a chat: each place and user has a session of its own."""
        name = f"{bridge.name}:{place}" + (f":{user}" if user else "")
        if len(name) > MOST_IN_NAME:
            name = f"{name[: MOST_IN_NAME - 17]}~{sha256(name.encode()).hexdigest()[:16]}"
        fields = {"title": place[:500], "user_id": user, "environment": {"client": "chat", "bridge": bridge.name}}
        session, _ = self.open_session(name, fields)
        session.agent = bridge.agent
        return self.capture_messages(session, messages)

    def held_back(self) -> list[Throttle]:
        """Return the throttles that apply now: of models, of learning, of agents. Seven queries at most."""
        now = timezone.now()
        throttles = list(self.models_left_alone(now))
        # Energy or budget are short, or single texts failed and are tried again later.
        work = Extraction.objects.for_app(self.app).open().exclude(status=ExtractionStatus.RUNNING)
        failed = work.filter(status=ExtractionStatus.FAILED, next_at__gt=now)
        if denial := may_learn(self.app, now):
            waits = f"{denial.detail}; {work.count():,} wait"
            throttles.append(Throttle("learning", denial.reason, waits, denial.until))
        elif number := failed.count():
            soonest = failed.aggregate(next=Min("next_at"))["next"]
            throttles.append(Throttle("learning", "failed texts", f"{number:,} will be tried again", soonest))
        for name, written, wait in islice(agents_at_limit(self.app), MOST_AGENTS):
            detail = f"has written {written:,} memories within a minute"
            throttles.append(Throttle("write rate", name, detail, now + timedelta(seconds=wait)))
        return throttles

    def models_left_alone(self, now: datetime) -> Iterator[Throttle]:
        """Yield throttles of models: this process's circuit breaker, and failures in the calls of all processes."""
        if of_site := throttle_of_site(now):
            yield of_site
            return
        for outage in outages(self.app, now):
            detail = f"the last {outage.failures} calls failed ({outage.outcome}); rules answer meanwhile"
            yield Throttle("model", outage.name, detail, None)

    def report_cooldown(
        self, action: str, service: str, until: datetime, reason: str = "", session: AgentSession | None = None
    ) -> tuple[Cooldown, bool]:
        """Record that the agent will not do this again before `until`; return the cooldown, and whether it is new."""
        assert self.agent is not None, "cooldowns are reported by agents"
        with transaction.atomic():
            rows = Cooldown.objects.for_app(self.app)
            return rows.update_or_create(
                app=self.app,
                service=service,
                action=action,
                defaults={
                    "until": until,
                    "reason": clean(reason),
                    "agent": self.agent,
                    "session": session,
                    "created_at": timezone.now(),
                },
            )

    def running_cooldowns(self) -> list[Cooldown]:
        """Return cooldowns that agents reported and that are not over, the first to end first."""
        rows = Cooldown.objects.for_app(self.app).running(timezone.now())
        return list(rows.select_related("agent", "session__agent").order_by(F("until"), "pk")[:MOST_AGENTS])

    def lift_cooldown(self, cooldown: Cooldown) -> None:
        """End a cooldown at once."""
        self.check_may_change([cooldown.agent_id])
        with transaction.atomic():
            Cooldown.objects.for_app(self.app).filter(pk=cooldown.pk).delete()
            forget_answers(self.app, [cooldown.uid])

    def report_energy(self) -> EnergyReport:
        """Return what all agents of the app have used since the last report. A repeated call returns only new use."""
        return EnergyReport(consumed(self.app), self.app.energy_level, is_low(self.app), self.deferred())

    def set_energy(self, level: float) -> bool:
        """Record the energy (0 to 1) of the app's agents; return whether that is too little to learn.

        Deferred work continues as soon as there is enough.
        """
        set_level(self.app, level)
        if is_low(self.app):
            return True
        waiting = Extraction.objects.for_app(self.app).open().exclude(status=ExtractionStatus.RUNNING)
        now = timezone.now()
        if waiting.filter(reason__startswith="energy:").update(next_at=now, reason=""):
            # For each session, as when its texts were told: a job's run of this minute may have come and gone.
            for session in sessions_due(self.app, now)[:MOST_RUNG_FOR]:
                enqueue(TASK, self.app.pk, session)
        return False

    def deferred(self) -> int:
        waiting = Extraction.objects.for_app(self.app).open()
        return waiting.exclude(status=ExtractionStatus.RUNNING, lease_until__gt=timezone.now()).count()

    def purge_app(self) -> Purge:
        """Uninstall the app and delete its memories and texts; its name, agents, keys and policy stay."""
        return self.carry_out(purge_app(self.app, self.actor, timezone.now()))

    def purge_memories(self) -> Purge:
        return self.carry_out(purge_memories(self.app, self.actor, timezone.now()))

    def purge_user(self, user_id: str) -> Purge:
        return self.carry_out(purge_user(self.app, user_id, self.actor, timezone.now()))

    def purge_session(self, session: AgentSession) -> Purge:
        self.check_may_change([session.agent_id])
        return self.carry_out(purge_session(session, self.actor, timezone.now()))

    def carry_out(self, purge: Purge) -> Purge:
        """Begin a purge. Call it outside of transactions: the job does the rest, and a worker sweeps the files."""
        now = timezone.now()
        if sum(purge.counts.values()) <= PURGE_BATCH:
            erase_hidden(self.app, now, Unclaimed(until=now))
            purge.refresh_from_db()
        enqueue(SWEEP_TASK)
        return purge

    def foresee(self, what: str, name: str, since: datetime | None = None) -> RollbackPreview:
        """Return the preview of a rollback. Raise NoSuchSource, CannotRollBack."""
        source = self.source(Rollback(app=self.app, what=what, source=name, since=since))
        rows = source.memories()
        changes = len(source.changes(0))
        return RollbackPreview(rows.count(), len(source.sessions), changes, list(rows.order_by("-pk")[:SAMPLES]))

    def roll_back(
        self,
        what: str,
        name: str,
        since: datetime | None = None,
        reason: str = "",
        *,
        begun: Callable[[Rollback], None] = lambda row: None,
    ) -> Rollback:
        """Roll back a source outside of transactions; the job finishes large ones. Raise as `foresee`.

        `begun` is called with it in the transaction that begins it.
        """
        now = timezone.now()
        row = Rollback(
            app=self.app,
            what=what,
            source=name,
            since=since,
            reason=clean(reason)[:400],
            asked_by=self.actor,
            asked_at=now,
        )
        source = self.source(row)
        with writing(self.app, self.actor, now) as write:
            row.save(force_insert=True)
            stop(write, source, why(source, row))
            note(self.actor, self.app, "rolled back", str(row.uid), after={"what": what, "source": name})
            begun(row)
        if source.memories().count() <= ROLLBACK_BATCH:
            self.carry_on_rollback(row, Unclaimed(until=now))
        else:
            enqueue(WORK)
        return row

    def carry_on_rollbacks(self, run: Run) -> None:
        """Continue rollbacks that others have begun (a job)."""
        for row in Rollback.objects.for_app(self.app).open().order_by("pk"):
            self.carry_on_rollback(row, run)

    def carry_on_rollback(self, row: Rollback, run: Run) -> None:
        """Roll back in batches, each with its progress: another process can continue after a crash."""
        row.app = self.app
        while row.status == RollbackStatus.OPEN:
            with writing(self.app, row.asked_by, timezone.now()) as write:
                source = Source(self.app, row)
                reason = why(source, row)
                # First its memories, then what it changed of others.
                counts = withdraw(write, source, reason)
                if not counts and (changes := source.changes(row.looked_to)):
                    row.looked_to = changes[-1].pk
                    counts = Counter(undone=undo_changes(write, source, changes, reason))
                elif not counts:
                    row.status, row.finished_at = RollbackStatus.DONE, write.now
                row.counts = dict(Counter(row.counts) + counts)
                row.save(update_fields=["counts", "looked_to", "status", "finished_at"])
                run.done(counts)

    def source(self, row: Rollback) -> Source:
        if not self.is_there(row.what, row.source):
            raise NoSuchSource(f"There is no such {row.what} in this app.")
        if row.what == RollbackWhat.IMPORT:
            imported = Import.objects.for_app(self.app).get(uid=row.source)
            if imported.source == MEMSITE:
                raise CannotRollBack("An app's own file cannot be told from what was there before it.")
            if imported.status == ImportStatus.WAITING:
                raise CannotRollBack("It is still being taken in.")
        return Source(self.app, row)

    def is_there(self, what: str, name: str) -> bool:
        if what == RollbackWhat.ORIGIN:
            return name in Origin.values
        if what == RollbackWhat.AGENT:
            return Agent.objects.for_app(self.app).filter(name=name).exists()
        if what == RollbackWhat.BRIDGE:
            return AgentSession.objects.for_app(self.app).filter(environment__bridge=name).exists()
        try:
            uid = UUID(name)
        except ValueError:
            return False
        rows: ScopedQuerySet[Any] = BY_ID[what].objects.for_app(self.app)
        return rows.filter(uid=uid).exists()


def throttle_of_site(now: datetime) -> Throttle | None:
    """Return why the language model answers no app at the moment; None where it does. One query at most."""
    try:
        chat = make_chat(get_conf().llm_settings)
    except LLMMisconfigured as error:
        return Throttle("model", get_conf().llm, f"cannot be asked: {error}", None)
    if chat is not None and (seconds := chat.wait_seconds()):
        detail = "is left alone after failures in a row; rules answer meanwhile"
        return Throttle("model", chat.name, detail, now + timedelta(seconds=seconds))
    if chat is not None and (away := service_away(chat.name, now)):
        detail = f"has not answered the last {away.failures} questions; rules answer meanwhile"
        return Throttle("model", chat.name, detail, None)
    return None


def why(source: Source, row: Rollback) -> str:
    return source.revision_reason + (f": {row.reason}" if row.reason else "")
