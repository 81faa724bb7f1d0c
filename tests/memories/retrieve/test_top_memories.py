"""What is known without a question is the same as if the database had put all of it in order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.db.models import Q
from hypothesis import given
from hypothesis import strategies as st

from memories.index.app_index import IndexView
from memories.index.columns import Codes, Subjects, empty_columns, grow
from memories.inject.pipeline import ORDER
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import HashEmbedder
from memories.retrieve.scoped_view import Scope, ScopedView
from memories.retrieve.top_memories import LEAST_BESIDE, SPARE, highest, top_memories
from memories.store import Candidate, writing
from memsite.tenancy.models import App
from tests.conftest import Caller

NOW = datetime(2027, 3, 2, 12, tzinfo=UTC)
EMBEDDER = HashEmbedder(64)
COLUMNS = {"confirmed": "confirmed_at", "updated": "updated_at"}


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40), st.integers(1, 12), st.randoms())
def test_the_highest_are_those_that_sorting_finds(values, most: int, random: Any) -> None:
    columns = empty_columns(8).each(lambda column: grow(column, len(values)))
    columns.pk[:] = random.sample(range(1, 1000), len(values))
    columns.confidence[:], columns.importance[:], columns.confirmed[:] = np.array(values).T
    everything = np.ones(len(values), bool)
    scoped = ScopedView(IndexView(columns, Codes(), Subjects()), everything, everything)
    places = np.array(sorted(random.sample(range(len(values)), random.randint(0, len(values)))), np.intp)
    result = highest(scoped, places, ORDER["ops"], most).tolist()
    wanted = sorted(places.tolist(), key=lambda place: (values[place], columns.pk[place]), reverse=True)
    assert result == wanted[:most]


def tell(app: App, number: int, moment: datetime = NOW - timedelta(days=3), **fields: Any) -> Memory:
    candidate = Candidate(content=f"Takes {number} seconds", subject="gateway", **fields)
    with writing(app, "agent:alice", moment) as write:
        return write.create(candidate)


def sorted_by_the_database(app: App, rows: MemoryQuerySet, block: str) -> list[int]:
    names = [f"-{COLUMNS.get(name, name)}" for name in ORDER[block]]
    return list(rows.order_by(*names).values_list("pk", flat=True))


def ask(app: App, block: str, most: int = 100, scope: Scope | None = None, **options: Any) -> tuple[list[int], int]:
    options = {"least_confidence": 0.3, "shorter_than": 1000, **options}
    result = top_memories(app, scope or Scope(None, None, NOW.timestamp()), EMBEDDER, ORDER[block], most, **options)
    return [memory.pk for memory in result.memories], result.total


@pytest.mark.parametrize("block", ORDER)
def test_in_the_order_of_the_database(acme: App, block: str) -> None:
    for number in range(24):
        confidence, importance = (0.9, 0.6, 0.4)[number % 3], 1 + number % 5
        tell(acme, number, NOW - timedelta(hours=number % 7), confidence=confidence, importance=importance)
    Memory.objects.filter(pk__in=Memory.objects.values("pk")[:5]).update(confirmed_at=NOW, change_number=99)
    Memory.objects.filter(content__contains="1").update(priority=1.5, updated_at=NOW, change_number=99)
    App.objects.filter(pk=acme.pk).update(change_number=99)
    wanted = sorted_by_the_database(acme, Memory.objects.for_app(acme), block)
    assert ask(acme, block) == (wanted, 24)
    assert ask(acme, block, most=7) == (wanted[:7], 24)
    assert ask(acme, block, most=7, shown_pks=wanted[1:3]) == ([wanted[0], *wanted[3:9]], 22)
    more_certain = Q(confidence__gte=0.5)
    assert ask(acme, block, least_confidence=0.5) == (
        sorted_by_the_database(acme, Memory.objects.filter(more_certain), block),
        16,
    )


def test_a_long_one_only_counts(acme: App) -> None:
    short, long = tell(acme, 1), tell(acme, 10**30)
    assert ask(acme, "ops", shorter_than=len(long.content)) == ([short.pk], 2)


def test_no_more_rows_are_read_than_fill_the_block_and_some_to_spare(acme: App) -> None:
    for number in range(10, 70):
        tell(acme, number)
    pks, total = ask(acme, "ops")
    assert (len(pks), total) == (1000 // (len("Takes 10 seconds") + LEAST_BESIDE) + SPARE - 1, 60)


def test_of_what_the_caller_may_see_and_what_is_valid_now(acme: App, alice: Caller, bob: Caller) -> None:
    mine = alice.remember("Likes tea", user_id="ada")["id"]
    of_all = alice.remember("The office is in Kiel")["id"]
    alice.remember("Likes coffee", user_id="ben")
    alice.remember("Closed in May", valid_until="2027-01-01T00:00:00Z")
    alice.remember("Only alice knows", visibility="agent")
    scope = Scope(bob.agent.pk, ("ada",), NOW.timestamp())
    pks, total = ask(acme, "app", scope=scope)
    assert set(Memory.objects.filter(pk__in=pks).values_list("uid", flat=True)) == {*map(type_of_uid, (mine, of_all))}
    assert total == 2


def type_of_uid(text: str) -> Any:
    return Memory._meta.get_field("uid").to_python(text)


def test_of_nothing_there_is_nothing(acme: App) -> None:
    assert ask(acme, "ops") == ([], 0)
