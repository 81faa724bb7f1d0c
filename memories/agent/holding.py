"""What is being held back now, and until when: by rates, by budgets, by services that fail, by agents themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from django.db import transaction
from django.db.models import F, Min
from django.utils import timezone

from memories.agent.base import Caller
from memories.ledger.budget import may_learn
from memories.ledger.outages import outages, service_away
from memories.models import Extraction, ExtractionStatus
from memories.providers.llm.factory import make_chat
from memories.providers.llm.provider import LLMMisconfigured
from memories.text.clean import clean
from memsite.config.conf import get_conf
from memsite.tenancy.authentication import WINDOW_SECONDS
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import WriteRate
from sessions.models import AgentSession, Cooldown

MOST_AGENTS = 200


@dataclass(frozen=True, slots=True)
class Held:
    """One thing that waits. `until` None: until somebody acts, as `detail` says."""

    kind: Literal["write rate", "learning", "model"]
    name: str
    detail: str
    until: datetime | None


class Holding(Caller):
    def held_back(self) -> list[Held]:
        """What the server holds back, the most pressing kind first. Seven queries at most."""
        now = timezone.now()
        return [*self.models_left_alone(now), *self.learning_deferred(now), *self.agents_over_their_rate(now)]

    def agents_over_their_rate(self, now: datetime) -> Iterator[Held]:
        window, limit = int(now.timestamp() // WINDOW_SECONDS), self.app.policy.writes_per_minute
        over = WriteRate.objects.filter(agent__app=self.app, window=window, written__gte=limit)
        until = datetime.fromtimestamp((window + 1) * WINDOW_SECONDS, UTC)
        for row in over.select_related("agent").order_by("agent__name")[:MOST_AGENTS]:
            yield Held("write rate", row.agent.name, f"has written {row.written:,} memories this minute", until)

    def learning_deferred(self, now: datetime) -> Iterator[Held]:
        """Energy or budget are short; or single texts failed and are tried again later."""
        work = Extraction.objects.for_app(self.app).open().exclude(status=ExtractionStatus.RUNNING)
        denial = may_learn(self.app, now)
        if denial:
            waits = f"{denial.detail}; {work.count():,} wait"
            yield Held("learning", denial.reason, waits, denial.until)
            return
        failed = work.filter(status=ExtractionStatus.FAILED, next_at__gt=now)
        if number := failed.count():
            soonest = failed.aggregate(next=Min("next_at"))["next"]
            yield Held("learning", "failed texts", f"{number:,} will be tried again", soonest)

    def models_left_alone(self, now: datetime) -> Iterator[Held]:
        """The circuit of this process, and what the calls of all processes tell of its service and of the models."""
        try:
            chat = make_chat(get_conf().llm_settings)
        except LLMMisconfigured as error:
            yield Held("model", get_conf().llm, f"cannot be asked: {error}", None)
            return
        if chat is not None and (seconds := chat.wait_seconds()):
            detail = "is left alone after failures in a row; rules answer meanwhile"
            yield Held("model", chat.name, detail, now + timedelta(seconds=seconds))
            return
        if chat is not None and (away := service_away(chat.name, now)):
            detail = f"has not answered the last {away.failures} questions; rules answer meanwhile"
            yield Held("model", chat.name, detail, None)
            return
        for outage in outages(self.app, now):
            detail = f"the last {outage.failures} calls failed ({outage.outcome}); rules answer meanwhile"
            yield Held("model", outage.name, detail, None)

    def report_cooldown(
        self, action: str, service: str, until: datetime, reason: str = "", session: AgentSession | None = None
    ) -> tuple[Cooldown, bool]:
        """The agent will not do this again before `until`; (the cooldown, whether it is new or was renewed)."""
        assert self.agent is not None, "cooldowns are reported by agents"
        with transaction.atomic():
            rows = Cooldown.objects.for_app(self.app)
            return rows.update_or_create(
                app=self.app,
                service=service,
                action=action,
                defaults={
                    "until": until, "reason": clean(reason), "agent": self.agent, "session": session,
                    "created_at": timezone.now(),
                },
            )  # fmt: skip

    def running_cooldowns(self) -> list[Cooldown]:
        """Those that agents reported and that are not over, the first to end first."""
        rows = Cooldown.objects.for_app(self.app).running(timezone.now())
        return list(rows.select_related("agent", "session").order_by(F("until"), "pk")[:MOST_AGENTS])

    def lift_cooldown(self, cooldown: Cooldown) -> None:
        """It may be done again at once."""
        with transaction.atomic():
            Cooldown.objects.for_app(self.app).filter(pk=cooldown.pk).delete()
            forget_answers(self.app, [cooldown.uid])
