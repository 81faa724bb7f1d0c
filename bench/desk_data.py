"""An app as an operator finds it after a year: memories, and all that was said, shown and refused around them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import models

from bench.progress import progress
from bench.synthetic import VOCABULARY
from bench.upkeep_data import MERGE_GROUPS, SEED, fill, varied
from memories.maintain.figures import first_uid
from memories.models import (
    Entity,
    FutureTrigger,
    Injection,
    LedgerEntry,
    Link,
    LinkKind,
    Memory,
    Mention,
    RecallCount,
    Rejection,
    RejectionKind,
    Status,
)
from memories.providers.embeddings import Embedder
from memsite.tenancy.models import Agent, App
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES
from sessions.models import AgentSession, Event, Resource, Turn

TURNS = 20
DAYS = 365
AT_ONCE = 1_000
MENTIONS = 3


def furnish(size: int, embedder: Embedder, now: datetime, name: str = "") -> App:
    """`size` memories. A session for each fifty, two injections and three mentions for each one."""
    app = fill(name or f"desk-{size}", varied(size, MERGE_GROUPS), embedder, now)
    App.objects.filter(pk=app.pk).update(vector_model=embedder.name)
    luck = random.Random(SEED)  # noqa: S311
    spread_out(app)
    pks = list(Memory.objects.for_app(app).order_by("pk").values_list("pk", flat=True))
    moments = [now - timedelta(days=luck.uniform(0, DAYS)) for _ in range(max(1, size // 50))]
    talk(app, sorted(moments), pks, luck)
    name_things(app, pks, luck)
    refuse_and_plan(app, size, now, luck)
    count(app, now)
    return app


def spread_out(app: App) -> None:
    """Over categories, with a tenth archived and a thirtieth unsure: what lists are filtered by."""
    rows = Memory.objects.for_app(app)
    for number, category in enumerate(OPERATIONAL_CATEGORIES):
        some = rows.annotate(rest=models.F("pk") % len(OPERATIONAL_CATEGORIES)).filter(rest=number)
        some.update(category=category, importance=1 + number % 5)
    rows.annotate(rest=models.F("pk") % 30).filter(rest=7).update(status=Status.INACTIVE, confidence=0.2)
    rows.annotate(rest=models.F("pk") % 10).filter(rest=3).update(status=Status.ARCHIVED)
    rows.annotate(rest=models.F("pk") % 200).filter(rest=1).update(kind="lesson")


def talk(app: App, moments: Sequence[datetime], pks: Sequence[int], luck: random.Random) -> None:
    agent = Agent.objects.for_app(app).get()
    sessions = insert(
        AgentSession(
            app=app, agent=agent, title=f"Round {number}", started_at=index, heartbeat_at=index, ended_at=index,
            status="ended", uid=UUID(int=first_uid(index).int + number),
        )
        for number, index in enumerate(moments)
    )  # fmt: skip
    for session in sessions:
        index = session.started_at
        mine = [luck.choice(pks) for _ in range(100)]
        statement = [f"What about {luck.choice(VOCABULARY)} and {luck.choice(VOCABULARY)}?" for _ in range(TURNS)]
        own: dict[str, Any] = {"app": app, "session": session}
        insert(Turn(**own, number=number, user_input=text) for number, text in enumerate(statement, 1))
        insert(
            Resource(
                **own, turn_number=number, role="user", raw_content=text, content_at=index, source_key=f"{number}",
            )
            for number, text in enumerate(statement, 1)
        )  # fmt: skip
        insert(
            Event(**own, turn_number=number, level="info", message=text) for number, text in enumerate(statement[:2], 1)
        )
        insert(
            Injection(
                **own, memory_id=pk, turn_number=1 + place % TURNS, block="turn", line="- a line", created_at=index,
                judged_at=index, used=place % 3 == 0, word_share=0.4, evidence="a word",
            )
            for place, pk in enumerate(mine)
        )  # fmt: skip
        Memory.objects.filter(pk__in=mine[:50]).update(session=session, turn_number=1)


def name_things(app: App, pks: Sequence[int], luck: random.Random) -> None:
    names = VOCABULARY[: max(20, len(pks) // 20)]
    entities = insert(Entity(app=app, key=name, name=name, kind="name") for name in names)
    weights = [1 / (place + 1) for place in range(len(entities))]
    for start in progress(range(0, len(pks), AT_ONCE), f"desk: {AT_ONCE} memories name things"):
        some = pks[start : start + AT_ONCE]
        named = {(pk, choice.pk) for pk in some for choice in luck.choices(entities, weights, k=MENTIONS)}
        insert(Mention(app=app, memory_id=pk, entity_id=entity) for pk, entity in sorted(named))
    pairs = {tuple(luck.sample(pks, 2)) for _ in range(len(pks) // 10)}
    insert(
        Link(app=app, from_memory_id=item, to_memory_id=other, kind=LinkKind.ELABORATES)
        for item, other in sorted(pairs)
    )


def refuse_and_plan(app: App, size: int, now: datetime, luck: random.Random) -> None:
    kinds = (RejectionKind.FACT, RejectionKind.CONFLICT, RejectionKind.QUARANTINE)
    insert(
        Rejection(
            app=app, kind=kinds[number % 3], content=f"Perhaps {luck.choice(VOCABULARY)}", reason="chatter",
            category="work", candidate={"content": "Perhaps"}, scores={"useful": 0.3},
        )
        for number in range(size // 20)
    )  # fmt: skip
    insert(
        FutureTrigger(
            app=app, trigger_date=(now + timedelta(days=number % DAYS)).date(), text="soon", message=f"Task {number}",
        )
        for number in range(size // 100)
    )  # fmt: skip


def count(app: App, now: datetime) -> None:
    """Store what is counted day by day, and each call of a model."""
    days = [(now - timedelta(days=back)).date() for back in range(DAYS)]
    insert(
        RecallCount(app=app, day=day, mode=mode, tier=tier, searches=40, found=200, seconds=1.5)
        for day in days
        for mode in ("auto", "tiered")
        for tier in ("summaries", "items", "none")
    )
    insert(
        LedgerEntry(
            app=app, operation=operation, provider="openai", model="small", input_tokens=900, output_tokens=80,
            cost=0.001, day=day,
        )
        for day in days
        for operation in ("gate", "extract", "relate", "rewrite")
        for _ in range(20)
    )  # fmt: skip


def insert(rows: Iterable[Any]) -> list[Any]:
    given = list(rows)
    model: Any = type(given[0]) if given else None
    return list(model.objects.bulk_create(given, batch_size=AT_ONCE)) if given else []
