"""Nightly: near-duplicates become one memory.

Similarity nominates, the relation verdict decides: what is to go must say nothing that the memory which stays does not
say. Memories that may be merged form groups: those of one matter, with the same readers, while they hold. First a group
is looked through (what is new, against everything in it), then what says the same is united. The cursor holds how far
it is and which pairs say the same, so whoever goes on comes to the same end. A group's key tells nothing of what is in
it, for the cursor may outlive a memory, and gives groups an order of their own, the same on every day.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from memories.index.app_index import IndexView
from memories.index.vector_store import VectorStore
from memories.language.relate import Relation, relate
from memories.language.relate.lexicon import canonical_text
from memories.models import LIVE, Action, Kind, Memory, Source, Status, Visibility
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import RULES, Provider
from memories.retrieve.pipeline import index_of
from memories.store import writing
from memories.store.revisions import confidence_at
from memories.store.transaction import with_app
from memsite.db.transactions import in_batches
from memsite.jobs.job import Run
from memsite.tenancy.models import App

TILE = 8_192
"""Columns at a time: with 256 rows 8 MB of cosines."""
Places = NDArray[np.intp]
NearPair = tuple[int, int, float]
COLUMNS = ("category", "subject", "user_id", "visibility", "agent_id", "valid_from", "valid_until", "kind")
Contents = tuple[Any, ...]
NEAREST = 5
"""Of each memory: verdicts cost a millisecond each, and of a text that a machine wrote there may be thousands alike."""
READ_AT_ONCE = 500
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
class Progress:
    """How far it is: `looked_to` is the last memory of the group that was looked at, None when all were.

    `same` are the pairs that are still to be united, of this group and those before, and `begun` when the first of
    them was looked for.
    """

    group: str = ""
    looked_to: int | None = None
    same: list[Pair] = field(default_factory=list)
    begun: str = ""


@dataclass(frozen=True, slots=True)
class Union:
    """What is to be done: these go, each for a reason, and `stays` stands for them."""

    stays: Memory
    go: Sequence[tuple[Memory, str]]


def merge_duplicates(app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
    """Merge near-duplicates.

    Counts `looked_at`, `compared` (pairs judged) and `merged` (memories that another stands for now).
    """
    MergeRun(app, now, run, provider, embedder).work_off()


class MergeRun:
    def __init__(self, app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
        self.app, self.now, self.run, self.provider, self.embedder = app, now, run, provider, embedder
        self.place = Progress(**deepcopy(run.cursor.get("merge", {})))
        self.counts = Counter[str]()
        self.nominated: list[MergeCandidate] = []
        is_quick = provider.name == RULES
        self.rows_at_once = ROWS_AT_ONCE if is_quick else ASKED_AT_ONCE
        self.most_united = MOST_UNITED if is_quick else ASKED_AT_ONCE
        self.share_at_once = SHARE_AT_ONCE if is_quick else 0

    def work_off(self) -> None:
        """Merge group after group.

        Pairs are united when all of their group have been found: what says the same may be in one group.
        """
        since = self.run.since - LOOK_BACK if self.run.since else None
        for key, group in groups_with_news(self.app, since).items():
            if key > self.place.group or (key == self.place.group and self.place.looked_to is not None):
                # Look through a group; its candidates are judged before there are too many, else with those of
                # the next groups.
                nominations = MergeCandidates(self.app, self.view, group, self.app.policy.dedup_similarity)
                start = bisect_right(group.new, self.place.looked_to or 0) if key == self.place.group else 0
                while start < len(group.new):
                    end = min(start + self.rows_at_once, len(group.new))
                    self.nominated += nominations.of(start, end)
                    self.counts["looked_at"] += end - start
                    self.place.group = key
                    self.place.looked_to = group.new[end - 1] if end < len(group.new) else None
                    if self.counts["looked_at"] >= max(self.rows_at_once, len(self.place.same) * self.share_at_once):
                        self.judge()
                    start = end
            if len(self.place.same) >= self.most_united:
                self.unite_all()
        self.unite_all()

    # --- looking

    @cached_property
    def view(self) -> IndexView:
        return index_of(self.app, self.embedder).view()

    def judge(self) -> None:
        """Add those that say the same to what is to be united."""
        if not self.place.same:
            self.place.begun = self.now.isoformat()
        rows = self.load({pk for pair in self.nominated for pk in (pair.pk, pair.other)})
        # A model is asked once for each memory that may go.
        questions: dict[int, list[tuple[Memory, float | None]]] = defaultdict(list)
        for pair in self.nominated:
            if pair.pk in rows and pair.other in rows:
                stays, goes = sorted((rows[pair.pk], rows[pair.other]), key=self.standing, reverse=True)
                if not goes.pinned:
                    questions[goes.pk].append((stays, pair.cosine))
        for pk, known in questions.items():
            self.counts["compared"] += len(known)
            answers = are_equivalent(self.provider, rows[pk], known)
            self.place.same += [(stays.pk, pk) for (stays, _), is_same in zip(known, answers, strict=True) if is_same]
        self.nominated = []
        with transaction.atomic():
            self.save()

    def save(self) -> None:
        """Save the progress, inside the transaction of what it tells of."""
        self.run.done(self.counts, merge={**vars(self.place), "same": list(self.place.same)})
        self.counts = Counter()

    def standing(self, memory: Memory) -> tuple[bool, float, datetime, int]:
        """Return the rank by which the greatest stays.

        A pinned one, then the surest, then what was confirmed last, then the newest.
        """
        return memory.pinned, confidence_at(memory, self.now, self.app.policy), memory.confirmed_at, memory.pk

    def load(self, pks: Iterable[int]) -> dict[int, Memory]:
        """Return live ones, without those taken back from a merge by somebody: these stand on their own for good."""
        rows = Memory.objects.for_app(self.app).live().in_bulk(list(pks))
        merged = {"revisions__action": Action.MERGED, "revisions__after__status": Status.SUPERSEDED}
        apart = set(Memory.objects.for_app(self.app).live().filter(pk__in=rows, **merged).values_list("pk", flat=True))
        return {pk: memory for pk, memory in rows.items() if pk not in apart}

    # --- uniting

    def unite_all(self) -> None:
        """Unite all pairs. What was looked at is judged first: the cursor says that it has been."""
        if self.counts:
            self.judge()
        known = {(stays, goes) for stays, goes in self.place.same}
        bundles = bundles_of(groups_of(self.place.same, self.most_united), self.most_united)
        united = set[int]()
        for number, groups in enumerate(bundles, 1):
            united.update(pk for group in groups for pk in group)
            is_time = number == len(bundles) or len(united) > len(self.place.same) * self.share_at_once
            rows = self.load({pk for group in groups for pk in group})
            begun = datetime.fromisoformat(self.place.begun)
            planned: list[Union] = []
            for group in groups:
                # What was changed since it was looked at waits for the next night.
                planned += self.plan([rows[pk] for pk in group if pk in rows and rows[pk].updated_at <= begun], known)
            self.unite(planned, united if is_time else set())
            united = set() if is_time else united

    def unite(self, planned: Sequence[Union], united: set[int]) -> None:
        """Unite in one transaction. Without `united`, the cursor stays: whoever goes on from it finds these gone."""
        with writing(self.app, ACTOR, self.now) as write:
            # Those that somebody changed since they were read stay; all do if it is the one that was to stay.
            read = {union.stays.pk: union.stays for union in planned}
            read |= {memory.pk: memory for union in planned for memory, _ in union.go}
            rows = with_app(write, Memory.objects.for_app(write.app).filter(pk__in=read))
            unchanged = {memory.pk: memory for memory in rows if is_as_read(memory, read[memory.pk])}
            merged = 0
            for union in planned:
                go = [(unchanged[memory.pk], why) for memory, why in union.go if memory.pk in unchanged]
                if go and union.stays.pk in unchanged:
                    write.unite(unchanged[union.stays.pk], go, SAYS_THE_SAME)
                    merged += len(go)
            self.counts["merged"] += merged
            if united:
                self.place.same = [pair for pair in self.place.same if not united.intersection(pair)]
                self.save()
            else:
                self.run.done(self.counts)
                self.counts = Counter()

    def plan(self, group: Sequence[Memory], known: set[Pair]) -> Iterator[Union]:
        """Yield unions: the greatest takes in all that it says too; then the greatest of the rest does, and so on."""
        rest = sorted(group, key=self.standing, reverse=True)
        while len(rest) > 1:
            stays, *others = rest
            undecided = [memory for memory in others if not memory.pinned and (stays.pk, memory.pk) not in known]
            answers = {memory.pk: are_equivalent(self.provider, memory, [(stays, None)])[0] for memory in undecided}
            self.counts["compared"] += len(undecided)
            go = [memory for memory in others if (stays.pk, memory.pk) in known or answers.get(memory.pk)]
            if go:
                yield Union(stays, [(memory, why_the_same(self.provider, stays, memory)) for memory in go])
            gone = {memory.pk for memory in go}
            rest = [memory for memory in others if memory.pk not in gone]


def bundles_of(groups: Sequence[list[int]], most: int) -> list[list[list[int]]]:
    """Return as many groups at a time as have `most` memories together, in order."""
    bundles: list[list[list[int]]] = []
    size = most
    for group in groups:
        if size + len(group) > most:
            bundles.append([])
            size = 0
        bundles[-1].append(group)
        size += len(group)
    return bundles


def groups_of(pairs: Sequence[Sequence[int]], most: int) -> list[list[int]]:
    """Return what hangs together by pairs, up to `most` of it; the group with the smallest number first."""
    group_of: dict[int, list[int]] = {}
    for pair in pairs:
        left, right = (group_of.setdefault(pk, [pk]) for pk in pair)
        if left is not right and len(left) + len(right) <= most:
            left.extend(right)
            group_of.update(dict.fromkeys(right, left))
    groups = {id(group): sorted(group) for group in group_of.values() if len(group) > 1}
    return sorted(groups.values())


def is_as_read(memory: Memory, read: Memory) -> bool:
    """Decay and use may have moved its numbers: they say nothing about what it says, or whose it is."""
    same = all(getattr(memory, name) == getattr(read, name) for name in ("content", "updated_at", "pinned"))
    now, then = (group_of([getattr(row, name) for name in COLUMNS]) for row in (memory, read))
    return same and memory.status in LIVE and now == then


def near_pairs(store: VectorStore, rows: Places, first: int, end: int, floor: float, most: int) -> Iterator[NearPair]:
    """Yield (place, later place, cosine) in `rows` with a cosine of `floor` or more, for places from `first` to `end`.

    Of each place the `most` nearest of those behind it, the nearest first; the same whatever pieces they are asked in.
    """
    vectors = store.of(rows[first:end])
    blocks: list[tuple[Places, Places, NDArray[np.float32]]] = []
    # One grid for all, so that what a place is compared with does not depend on the piece it is asked in.
    for start in range((first + 1) // TILE * TILE, len(rows), TILE):
        places = start + store.worth_comparing(rows[first:end], rows[start : start + TILE], floor)
        cosines = vectors @ store.of(rows[places]).T
        # What is not behind the place itself was or will be seen from the other side.
        cosines[np.arange(first, end)[:, None] >= places] = -2
        row_places, columns = highest(cosines, floor, most)
        blocks.append((row_places + first, places[columns], cosines[row_places, columns]))
    if blocks:
        places, others, alike = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        taken, last = 0, -1
        for row_places in np.lexsort((others, -alike, places)).tolist():
            taken = taken + 1 if places[row_places] == last else 1
            last = int(places[row_places])
            if taken <= most:
                yield last, int(others[row_places]), float(alike[row_places])


def highest(cosines: NDArray[np.float32], floor: float, most: int) -> tuple[Places, Places]:
    """Return where the `most` highest of each row are, as far as they reach the floor."""
    reached = np.count_nonzero(cosines >= floor, axis=1)
    crowded = np.flatnonzero(reached > most)
    few = np.flatnonzero((reached > 0) & (reached <= most))
    places, columns = np.nonzero(cosines[few] >= floor)
    best = np.argpartition(-cosines[crowded], most, axis=1)[:, :most]
    return np.concatenate([few[places], np.repeat(crowded, most)]), np.concatenate([columns, best.ravel()])


@dataclass(slots=True)
class MergeGroup:
    """Primary keys, rising: of what is new to it, and of what was in it."""

    new: array[int] = field(default_factory=lambda: array("q"))
    old: array[int] = field(default_factory=lambda: array("q"))


def groups_with_news(app: App, since: datetime | None) -> dict[str, MergeGroup]:
    """Return the groups with two memories or more of which one has changed since, by key and in its order.

    None: everything is new. Two queries over the app's live memories, one if nothing has changed.
    """
    # Digests and insights are texts made of others, one for each session and group.
    rows = Memory.objects.for_app(app).live().exclude(source__in=(Source.DIGEST, Source.INSIGHT))
    changed = rows.filter(updated_at__gte=since).order_by() if since else rows.order_by()
    new = set(changed.values_list("pk", flat=True))
    touched = {group_of(columns) for columns in changed.values_list(*COLUMNS).distinct()}
    groups: dict[Contents, MergeGroup] = {group: MergeGroup() for group in touched}
    for pk, *columns in rows.order_by("pk").values_list("pk", *COLUMNS).iterator() if new else ():
        group = groups.get(group_of(columns))
        if group is not None:
            (group.new if pk in new else group.old).append(pk)
    keyed = {opaque_key(*columns): group for columns, group in groups.items()}
    return {key: keyed[key] for key in sorted(keyed) if len(keyed[key].new) + len(keyed[key].old) > 1}


def group_of(columns: Sequence[Any]) -> Contents:
    """Return the group from the values of COLUMNS.

    Lessons have groups of their own: they are injected on their own, too.
    """
    category, subject, user_id, visibility, agent_id, valid_from, valid_until, kind = columns
    owner = agent_id if visibility == Visibility.AGENT else None
    return category, subject, user_id or None, visibility, owner, valid_from, valid_until, kind == Kind.LESSON


def opaque_key(*parts: Any) -> str:
    """Return a key that is the same for the same parts, and from which nothing of them can be read."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:24]


class MergeCandidate(NamedTuple):
    """`cosine` None: word for word the same."""

    pk: int
    other: int
    cosine: float | None


class MergeCandidates:
    """Of what is new in the group, with everything in it: each pair once."""

    def __init__(self, app: App, view: IndexView, group: MergeGroup, floor: float) -> None:
        self.app, self.group, self.floor = app, group, floor
        self.vectors = view.held
        members = np.array([*group.new, *group.old], np.int64)
        rows = view.rows_of(members)
        self.rows = rows[view.columns.embedded[rows]]
        self.pks: list[int] = view.columns.pk[self.rows].tolist()
        self.has_blank = len(self.pks) < len(members)
        with_vector = set(self.pks)
        self.new = [pk for pk in group.new if pk in with_vector]

    def of(self, start: int, end: int) -> list[MergeCandidate]:
        """Return the candidates for the new ones from `start` to `end`."""
        new = self.group.new[start:end]
        first, last = bisect_left(self.new, new[0]), bisect_right(self.new, new[-1])
        near = near_pairs(self.vectors, self.rows, first, last, self.floor, NEAREST) if first < last else ()
        candidates = [MergeCandidate(self.pks[place], self.pks[other], cosine) for place, other, cosine in near]
        for pk in new if self.has_blank else ():
            # With one that has the same words: all of them hang together by it.
            same = self.by_words[self.words_of[pk]]
            if len(same) > 1:
                candidates.append(MergeCandidate(pk, same[0] if same[0] != pk else same[1], None))
        return candidates

    @cached_property
    def words_of(self) -> dict[int, int]:
        """Return a number for what each says, in whatever spelling."""
        words: dict[int, int] = {}
        pks = [*self.group.new, *self.group.old]
        for batch in in_batches(pks, READ_AT_ONCE):
            rows = Memory.objects.for_app(self.app).filter(pk__in=batch)
            words |= {pk: hash(canonical_text(content)) for pk, content in rows.values_list("pk", "content")}
        return words

    @cached_property
    def by_words(self) -> dict[int, list[int]]:
        same = defaultdict(list)
        for pk in sorted(self.words_of):
            same[self.words_of[pk]].append(pk)
        return same


def are_equivalent(provider: Provider, memory: Memory, known: Sequence[tuple[Memory, float | None]]) -> list[bool]:
    """Return for each of the known ones (with the cosine, if there is one) whether it says all that the memory says."""
    own = canonical_text(memory.content)
    # Whatever a model makes of it, the same words are the same statement.
    same = [canonical_text(other.content) == own for other, _ in known]
    undecided = [place for place, is_same in enumerate(same) if not is_same]
    if undecided:
        contents, cosines = [known[place][0].content for place in undecided], [known[place][1] for place in undecided]
        verdicts = provider.relate(memory.content, contents, memory.subject or "", cosines)
        for place, verdict in zip(undecided, verdicts, strict=True):
            same[place] = verdict.relation == Relation.SAME
    return same


def why_the_same(provider: Provider, stays: Memory, goes: Memory) -> str:
    """Return the rules' reason, if they see it too."""
    verdict = relate(stays.content, goes.content, None, goes.subject or "")
    if verdict.relation == Relation.SAME:
        return verdict.reason
    return "says the same" if provider.name == RULES else f"says the same, as {provider.name} judged"
