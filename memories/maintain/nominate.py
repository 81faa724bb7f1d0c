"""Which memories of a drawer may say the same: by vector, or word for word where there is none yet."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from memories.index.app_index import IndexView
from memories.maintain.drawers import MergeGroup
from memories.maintain.near import near_pairs
from memories.models import Memory
from memories.text.relate.tokens import canonical_text
from memsite.tenancy.models import App

NEAREST = 5
"""Of each memory: verdicts cost a millisecond each, and of a text that a machine wrote there may be thousands alike."""
READ_AT_ONCE = 500


class MergeCandidate(NamedTuple):
    """`cosine` None: word for word the same."""

    pk: int
    other: int
    cosine: float | None


class MergeCandidates:
    """Of what is new in the drawer, with everything in it: each pair once."""

    def __init__(self, app: App, view: IndexView, drawer: MergeGroup, floor: float) -> None:
        self.app, self.drawer, self.floor = app, drawer, floor
        self.held = view.held
        members = np.array([*drawer.new, *drawer.old], np.int64)
        rows = view.rows_of(members)
        self.rows = rows[view.columns.embedded[rows]]
        self.pks: list[int] = view.columns.pk[self.rows].tolist()
        self.has_blank = len(self.pks) < len(members)
        with_vector = set(self.pks)
        self.new = [pk for pk in drawer.new if pk in with_vector]

    def of(self, start: int, end: int) -> list[MergeCandidate]:
        """For the new ones from `start` to `end`."""
        new = self.drawer.new[start:end]
        first, last = bisect_left(self.new, new[0]), bisect_right(self.new, new[-1])
        near = near_pairs(self.held, self.rows, first, last, self.floor, NEAREST) if first < last else ()
        found = [MergeCandidate(self.pks[place], self.pks[other], cosine) for place, other, cosine in near]
        return found + [pair for pk in new for pair in self.verbatim(pk)] if self.has_blank else found

    def verbatim(self, pk: int) -> Iterator[MergeCandidate]:
        """With one that has the same words: all of them hang together by it."""
        same = self.by_words[self.words_of[pk]]
        if len(same) > 1:
            yield MergeCandidate(pk, same[0] if same[0] != pk else same[1], None)

    @cached_property
    def words_of(self) -> dict[int, int]:
        """A number for what each says, in whatever spelling."""
        words: dict[int, int] = {}
        pks = [*self.drawer.new, *self.drawer.old]
        for start in range(0, len(pks), READ_AT_ONCE):
            rows = Memory.objects.for_app(self.app).filter(pk__in=pks[start : start + READ_AT_ONCE])
            words |= {pk: hash(canonical_text(content)) for pk, content in rows.values_list("pk", "content")}
        return words

    @cached_property
    def by_words(self) -> dict[int, list[int]]:
        same = defaultdict(list)
        for pk in sorted(self.words_of):
            same[self.words_of[pk]].append(pk)
        return same
