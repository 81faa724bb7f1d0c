"""Nightly: near-duplicates become one memory.

Similarity nominates, the relation verdict decides: what is to go must say nothing that the memory which stays does not
say. First a drawer is looked through (what is new, against everything in it), then what says the same is united. The
cursor holds how far it is and which pairs say the same, so whoever goes on comes to the same end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from django.db import transaction

from memories.index.app_index import IndexView
from memories.maintain.drawers import MergeGroup, group_of_memory, groups_with_news
from memories.maintain.nominate import MergeCandidate, MergeCandidates
from memories.maintain.run import Run
from memories.maintain.sameness import say_the_same, taken_back, why_the_same
from memories.models import LIVE, Memory
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import RULES, Provider
from memories.retrieve.pipeline import index_of
from memories.store import Writer, writing
from memories.store.confidence import confidence_at
from memories.store.room import with_app
from memsite.tenancy.models import App

ACTOR = "system:merge"
SAYS_THE_SAME = "says the same"
LOOK_BACK = timedelta(hours=6)
"""What was written shortly before the last run may have got its vector, or been committed, only after it."""
ROWS_AT_ONCE = 256
"""Memories looked at between two commits."""
MOST_UNITED = 100
"""Memories of one transaction, and so of one group. A larger group becomes one in the nights to come."""
SHARE_AT_ONCE = 1 / 32
"""Of the pairs that are known. They are written down as a whole: the more there are, the rarer that has to be."""
ASKED_AT_ONCE = 16
"""The same two where a model takes seconds for each: the lease must not run out."""

Pair = tuple[int, int]
"""(stays, goes): primary keys, and the second says nothing that the first does not say."""


@dataclass
class Place:
    """How far it is: `looked_to` is the last memory of the drawer that was looked at, None when all were.

    `same` are the pairs that are still to be united, of this drawer and those before, and `begun` when the first of
    them was looked for.
    """

    drawer: str = ""
    looked_to: int | None = None
    same: list[Pair] = field(default_factory=list)
    begun: str = ""


@dataclass(frozen=True, slots=True)
class Union:
    """What is to be done: these go, each for a reason, and `stays` stands for them."""

    stays: Memory
    go: Sequence[tuple[Memory, str]]

    @property
    def memories(self) -> list[Memory]:
        return [self.stays, *(memory for memory, _ in self.go)]


def merge_duplicates(app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
    """Counts: `looked_at`, `compared` (pairs judged) and `merged` (memories that another stands for now)."""
    Night(app, now, run, provider, embedder).work_off()


class Night:
    def __init__(self, app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
        self.app, self.now, self.run, self.provider, self.embedder = app, now, run, provider, embedder
        self.place = Place(**deepcopy(run.cursor.get("merge", {})))
        self.counts = Counter[str]()
        self.nominated: list[MergeCandidate] = []
        is_quick = provider.name == RULES
        self.rows_at_once = ROWS_AT_ONCE if is_quick else ASKED_AT_ONCE
        self.most_united = MOST_UNITED if is_quick else ASKED_AT_ONCE
        self.share_at_once = SHARE_AT_ONCE if is_quick else 0

    def work_off(self) -> None:
        """Pairs are united when all of their drawer have been found: what says the same may be in one group."""
        since = self.run.since - LOOK_BACK if self.run.since else None
        for key, drawer in groups_with_news(self.app, since).items():
            if key > self.place.drawer or (key == self.place.drawer and self.place.looked_to is not None):
                self.look_through(key, drawer)
            if len(self.place.same) >= self.most_united:
                self.unite_all()
        self.unite_all()

    # --- looking

    @cached_property
    def view(self) -> IndexView:
        return index_of(self.app, self.embedder).view()

    def look_through(self, key: str, drawer: MergeGroup) -> None:
        """What it nominates is judged before too much has been looked at, and else with that of the next drawers."""
        nominations = MergeCandidates(self.app, self.view, drawer, self.app.policy.dedup_similarity)
        start = bisect_right(drawer.new, self.place.looked_to or 0) if key == self.place.drawer else 0
        while start < len(drawer.new):
            end = min(start + self.rows_at_once, len(drawer.new))
            self.nominated += nominations.of(start, end)
            self.counts["looked_at"] += end - start
            self.place.drawer, self.place.looked_to = key, drawer.new[end - 1] if end < len(drawer.new) else None
            if self.counts["looked_at"] >= max(self.rows_at_once, len(self.place.same) * self.share_at_once):
                self.judge()
            start = end

    def judge(self) -> None:
        """Adds those that say the same to what is to be united."""
        if not self.place.same:
            self.place.begun = self.now.isoformat()
        self.place.same += self.of_those_the_same(self.nominated)
        self.nominated = []
        with transaction.atomic():
            self.save()

    def save(self) -> None:
        """Inside the transaction of what it tells of."""
        self.run.done(self.counts, merge={**vars(self.place), "same": list(self.place.same)})
        self.counts = Counter()

    def of_those_the_same(self, nominated: Sequence[MergeCandidate]) -> Iterator[Pair]:
        """A model is asked once for each memory that may go."""
        rows = self.load({pk for one in nominated for pk in (one.pk, one.other)})
        questions: dict[int, list[tuple[Memory, float | None]]] = defaultdict(list)
        for one in nominated:
            if one.pk in rows and one.other in rows:
                stays, goes = sorted((rows[one.pk], rows[one.other]), key=self.standing, reverse=True)
                if not goes.pinned:
                    questions[goes.pk].append((stays, one.cosine))
        for pk, known in questions.items():
            self.counts["compared"] += len(known)
            for (stays, _), is_same in zip(known, say_the_same(self.provider, rows[pk], known), strict=True):
                if is_same:
                    yield stays.pk, pk

    def standing(self, memory: Memory) -> tuple[bool, float, datetime, int]:
        """The greatest stays: a pinned one, then the surest, then what was confirmed last, then the newest."""
        return memory.pinned, confidence_at(memory, self.now, self.app.policy), memory.confirmed_at, memory.pk

    def load(self, pks: Iterable[int]) -> dict[int, Memory]:
        """Live ones, without those that somebody has taken back from a merge: these stand on their own for good."""
        rows = Memory.objects.for_app(self.app).live().in_bulk(list(pks))
        apart = taken_back(self.app, rows)
        return {pk: memory for pk, memory in rows.items() if pk not in apart}

    # --- uniting

    def unite_all(self) -> None:
        """What was looked at is judged first: the cursor says that it has been."""
        if self.counts:
            self.judge()
        known = {(stays, goes) for stays, goes in self.place.same}
        bundles = bundles_of(groups_of(self.place.same, self.most_united), self.most_united)
        united = set[int]()
        for number, groups in enumerate(bundles, 1):
            united.update(pk for group in groups for pk in group)
            is_time = number == len(bundles) or len(united) > len(self.place.same) * self.share_at_once
            self.unite(list(self.plan_all(groups, known)), united if is_time else set())
            united = set() if is_time else united

    def unite(self, planned: Sequence[Union], united: set[int]) -> None:
        """One transaction. Without `united`, the cursor stays: whoever goes on from it finds these gone."""
        with writing(self.app, ACTOR, self.now) as write:
            self.counts["merged"] += carry_out(write, planned)
            if united:
                self.place.same = [pair for pair in self.place.same if not united.intersection(pair)]
                self.save()
            else:
                self.run.done(self.counts)
                self.counts = Counter()

    def plan_all(self, groups: Sequence[Sequence[int]], known: set[Pair]) -> Iterator[Union]:
        """What was changed since it was looked at waits for the next night."""
        rows = self.load({pk for group in groups for pk in group})
        begun = datetime.fromisoformat(self.place.begun)
        for group in groups:
            yield from self.plan([rows[pk] for pk in group if pk in rows and rows[pk].updated_at <= begun], known)

    def plan(self, group: Sequence[Memory], known: set[Pair]) -> Iterator[Union]:
        """The greatest takes in all that it says too; then the greatest of the rest does, and so on."""
        rest = sorted(group, key=self.standing, reverse=True)
        while len(rest) > 1:
            stays, *others = rest
            asked = [memory for memory in others if not memory.pinned and (stays.pk, memory.pk) not in known]
            answers = {memory.pk: say_the_same(self.provider, memory, [(stays, None)])[0] for memory in asked}
            self.counts["compared"] += len(asked)
            go = [memory for memory in others if (stays.pk, memory.pk) in known or answers.get(memory.pk)]
            if go:
                yield Union(stays, [(memory, why_the_same(self.provider, stays, memory)) for memory in go])
            gone = {memory.pk for memory in go}
            rest = [memory for memory in others if memory.pk not in gone]


def bundles_of(groups: Sequence[list[int]], most: int) -> list[list[list[int]]]:
    """As many groups at a time as have `most` memories together, in order."""
    bundles: list[list[list[int]]] = []
    held = most
    for group in groups:
        if held + len(group) > most:
            bundles.append([])
            held = 0
        bundles[-1].append(group)
        held += len(group)
    return bundles


def groups_of(pairs: Sequence[Sequence[int]], most: int) -> list[list[int]]:
    """What hangs together by pairs, up to `most` of it; the group with the smallest number first."""
    group_of: dict[int, list[int]] = {}
    for pair in pairs:
        left, right = (group_of.setdefault(pk, [pk]) for pk in pair)
        if left is not right and len(left) + len(right) <= most:
            left.extend(right)
            group_of.update(dict.fromkeys(right, left))
    groups = {id(group): sorted(group) for group in group_of.values() if len(group) > 1}
    return sorted(groups.values())


def carry_out(write: Writer, planned: Sequence[Union]) -> int:
    """How many go. Those that somebody changed since they were read stay; all do if it is the one that was to stay."""
    read = {memory.pk: memory for union in planned for memory in union.memories}
    rows = with_app(write, Memory.objects.for_app(write.app).filter(pk__in=read))
    unchanged = {memory.pk: memory for memory in rows if is_as_read(memory, read[memory.pk])}
    merged = 0
    for union in planned:
        go = [(unchanged[memory.pk], why) for memory, why in union.go if memory.pk in unchanged]
        if go and union.stays.pk in unchanged:
            write.unite(unchanged[union.stays.pk], go, SAYS_THE_SAME)
            merged += len(go)
    return merged


def is_as_read(memory: Memory, read: Memory) -> bool:
    """Decay and use may have moved its numbers: they say nothing about what it says, or whose it is."""
    same = all(getattr(memory, name) == getattr(read, name) for name in ("content", "updated_at", "pinned"))
    return same and memory.status in LIVE and group_of_memory(memory) == group_of_memory(read)
