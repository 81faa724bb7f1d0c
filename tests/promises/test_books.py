"""Whatever happens to an app: at any moment its books agree with each other.

Its count with the rows, revisions with what they tell of, a mirror that follows the feed with what is there, the index
of words and the one in the process with the database; in the end, what is told of the past with what it was, and a copy
with the app itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient
from time_machine import travel

from memories.index.app_index import AppIndex, IndexView
from memories.models import LIVE, Link, LinkKind, Memory, Revision, Status
from memories.retrieve.pipeline import index_of
from memories.services import CannotMerge, MemoryAgent
from memories.store import NothingToUndo
from memories.store.revisions import TRACKED, snapshot, states_at
from memsite.tenancy.models import App, AppPolicy
from tests.conftest import Caller, make_app
from tests.memories.import_export.moving import export, take_in, without_header
from tests.promises.lives import Life
from tests.scale import scaled

pytestmark = pytest.mark.long

SEEDS = (*range(scaled(6)), 30, 41)


class Curated(Life):
    """With an operator who merges, takes back, restores and deletes."""

    def acts(self) -> list[Callable[[bool], object]]:
        return [*super().acts(), self.merge, self.take_back, self.set_back, self.restore, self.forget, self.pin]

    @property
    def endpoint(self) -> MemoryAgent:
        return MemoryAgent(App.objects.get(pk=self.alice.app.pk), None, "operator:ann")

    def some(self, most: int) -> list[int]:
        pks = list(Memory.objects.for_app(self.alice.app).order_by("pk").values_list("pk", flat=True))
        return self.random.sample(pks, min(most, len(pks)))

    def merge(self, _: bool) -> None:
        live = list(Memory.objects.for_app(self.alice.app).live().order_by("pk").values_list("pk", flat=True))
        if len(live) > 1:
            with suppress(CannotMerge):
                self.endpoint.merge(self.random.sample(live, 2))

    def take_back(self, _: bool) -> None:
        self.endpoint.undo_each(self.some(2))

    def set_back(self, is_marked: bool) -> None:
        if memory := self.one_of(is_marked):
            with suppress(NothingToUndo):
                self.endpoint.set_back(memory, self.random.randint(1, memory.version))

    def restore(self, _: bool) -> None:
        self.endpoint.restore_each(self.some(3))

    def pin(self, _: bool) -> None:
        self.random.choice([self.endpoint.pin_each, self.endpoint.unpin_each])(self.some(2))

    def forget(self, is_marked: bool) -> None:
        if memory := self.one_of(is_marked):
            self.operator.delete(f"/api/v1/apps/acme/memories/{memory.uid}")


class Books:
    """`mirror` has what one who follows the feed has: versions by id. `past` are the moments that were looked at."""

    def __init__(self, app: App) -> None:
        self.app, self.since = app, 0
        self.mirror: dict[UUID, int] = {}
        self.past: list[tuple[datetime, dict[int, dict[str, Any]]]] = []

    @property
    def endpoint(self) -> MemoryAgent:
        return MemoryAgent(self.app, None, "operator:ann")

    def look(self) -> None:
        self.app.refresh_from_db()
        self.memories = list(Memory.objects.for_app(self.app).select_related("cold_text"))
        assert self.app.memory_count == sum(memory.status in LIVE for memory in self.memories)
        self.look_at_revisions()
        self.look_at_links()
        self.look_at_feed()
        self.look_at_words()
        self.look_at_index()
        self.past.append((timezone.now(), {memory.pk: snapshot(memory) for memory in self.memories}))

    def look_at_revisions(self) -> None:
        """Each begins where the one before it ends, and the last one ends with what is."""
        values: dict[int, dict[str, Any]] = defaultdict(dict)
        for row in Revision.objects.for_app(self.app).order_by("memory", "number"):
            state = values[row.memory_id]
            assert not differing(row.before, {name: state.get(name) for name in row.before}), row
            state |= row.after
        for memory in self.memories:
            assert not differing(values[memory.pk], snapshot(memory)), memory.pk

    def look_at_links(self) -> None:
        links = Link.objects.for_app(self.app).filter(kind=LinkKind.SUPERSEDES)
        superseded = {memory.pk for memory in self.memories if memory.status == Status.SUPERSEDED}
        assert superseded <= set(links.values_list("to_memory", flat=True))

    def look_at_feed(self) -> None:
        before = -1
        while before != self.since:
            before = self.since
            changes, self.since = self.endpoint.changes_since(before)
            for change in changes:
                self.mirror.pop(change.uid, None)
                self.mirror |= {change.uid: change.memory.version} if change.memory else {}
        assert self.mirror == {memory.uid: memory.version for memory in self.memories}

    def look_at_words(self) -> None:
        """PostgreSQL keeps its own with the row."""
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("INSERT INTO memories_fulltext (memories_fulltext, rank) VALUES ('integrity-check', 1)")

    def look_at_index(self) -> None:
        stored = index_of(self.app, self.endpoint.embedder)
        new = AppIndex(stored.app_pk, stored.model, stored.dim, stored.number, away=stored.away)
        assert hold(stored.view()) == hold(new.view())

    def look_back(self) -> None:
        """To what is left of what was there."""
        for moment, then in self.past:
            output = states_at(self.app, [memory for memory in self.memories if memory.pk in then], moment)
            for pk, state in output.items():
                assert not differing(then[pk], state), (moment, pk)


def differing(values: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    """Of the fields that revisions tell of. Between two of them time lowers the confidence."""
    return {name for name in TRACKED if values.get(name) != other.get(name)} - {"confidence", "status"}


def hold(view: IndexView) -> dict[int, dict[str, Any]]:
    """What an index says of each memory, but what it finds out when it is asked, and what it numbers itself."""
    names = {*view.columns.__slots__} - {"look", "session_number", "user", "subject"}
    rows = np.flatnonzero(view.columns.alive)
    return {
        int(view.columns.pk[row]): {name: getattr(view.columns, name)[row].tobytes() for name in names}
        | {"user": view.users.names[view.columns.user[row]], "subject": view.subjects.names[view.columns.subject[row]]}
        for row in rows
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_books_agree(seed: int, alice: Caller, operator: APIClient) -> None:
    random = Random(f"books {seed}")
    AppPolicy.objects.filter(app=alice.app).update(
        capture_summaries=random.random() < 0.5, approval_origins=["tool"] if random.random() < 0.3 else []
    )
    life, books = Curated(alice, operator, random, random.choice(["user", "session", "memory"])), Books(alice.app)
    life.live(books.look)
    books.look_back()
    with travel(life.now):
        copy, file = make_app("copy"), export(alice.app)
        assert take_in(copy, file).status == "done"
        assert without_header(export(copy)) == without_header(file)
