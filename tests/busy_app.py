"""An app in which something of each kind waits, was shown and was paid for: what is listed of all apps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from memories.models import Extraction, Injection, LedgerEntry, Memory, Rejection
from memsite.jobs.models import JobRun
from sessions.models import AgentSession, Resource
from tests.conftest import Caller

BUSY: dict[str, Any] = {
    "review": 3, "to_decide": 1, "failed_texts": 1, "open_circuits": 1, "overdue_jobs": 1, "failed_jobs": 2,
    "new_memories": 1, "injections": 4, "used_share": 0.5, "month_cost": 0.75,
}  # fmt: skip
"""What it is found to have."""


def busy(caller: Caller) -> None:
    app, agent, now = caller.app, caller.agent, timezone.now()
    own: dict[str, Any] = {"app": app, "session": AgentSession.objects.create(app=app, agent=agent, title="A round")}
    for kind in ("fact", "fact", "quarantine"):
        Rejection.objects.create(**own, kind=kind, content=f"Perhaps {kind}", reason="chatter", category="work",
                                 candidate={"content": f"Perhaps {kind}"})  # fmt: skip
    Rejection.objects.create(**own, kind="fact", content="Old", reason="chatter", decision="confirmed")
    for number, status in enumerate(("dead", "failed", "done")):
        text = {"role": "user", "raw_content": "I am vegan.", "content_at": now, "source_key": f"{number}"}
        Extraction.objects.create(**own, resource=Resource.objects.create(**own, **text), status=status)
    memory = Memory.objects.get(uid=caller.remember("Whales sing")["id"])
    for used in (True, False, None, None):
        Injection.objects.create(**own, memory=memory, block="turn", line="- Whales sing", used=used)
    due = {"app": app, "fired_by": "beat", "until": now}
    late = now - timedelta(minutes=6)
    JobRun.objects.create(**due, job="decay", period="1", next_at=late)
    JobRun.objects.create(**due, job="decay", period="2", next_at=now)
    for period in "34":
        JobRun.objects.create(**due, job="weekly", period=period, status="dead")
    for cost, outcome, day in ((0.5, "ok", now), (0.25, "unavailable", now), (None, "unavailable", now),
                               (9.0, "unavailable", now - timedelta(days=32))):  # fmt: skip
        LedgerEntry.objects.create(
            app=app, operation="extract", provider="openai", model="m", cost=cost, outcome=outcome, day=day.date(),
            created_at=day,
        )  # fmt: skip
