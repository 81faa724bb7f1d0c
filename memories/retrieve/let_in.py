"""Which memories a filter lets in, as the database says. What it said of the last few filters is kept, and of those it
is asked again about what was written since, alone.

Whatever a filter looks at, but for `BESIDE`, changes with the memory's `change_number`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.retrieve.filters import build_filter, names_in
from memories.retrieve.loading import MEANWHILE, counts_of, touched_between
from memsite.db.lru_cache import Latest, is_committed
from memsite.tenancy.models import App

BESIDE = {"access_count", "agent"}
"""Fields that change by themselves."""
FILTERS_KEPT = 8
"""Of all apps. One has eight bytes for each memory that it lets in."""
Pks = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LetIn:
    """Memories, as of a change of the app."""

    change_number: int
    pks: Pks


kept: Latest[LetIn] = Latest(FILTERS_KEPT)


def let_in(app: App, filters: Mapping[str, Any]) -> Pks:
    """The numbers of the app's memories that the filter lets in. FilterError if it cannot be read.

    One query over the whole app and a short one for a filter that is not kept; otherwise the short one if nothing was
    written since, and two about what was.
    """
    rows = Memory.objects.for_app(app).filter(build_filter(filters)).order_by()
    if not is_committed() or names_in(filters) & BESIDE:
        return pks_of(rows)
    key = app.pk, app.index_number, json.dumps(filters, sort_keys=True)
    # The number first: what is written meanwhile may be read twice, never missed.
    ((latest, _),) = counts_of(app.pk)
    known = kept.get(key)
    if known and known.change_number == latest:
        return known.pks
    pks = brought_up_to_date(app, rows, known, latest) if known else pks_of(rows)
    kept.put(key, LetIn(latest, pks))
    return pks


def brought_up_to_date(app: App, rows: MemoryQuerySet, known: LetIn, latest: int) -> Pks:
    """Two queries for what was written since; one for all, where that may be much."""
    if not 0 < latest - known.change_number <= MEANWHILE:
        return pks_of(rows)
    touched = touched_between(app.pk, known.change_number, latest)
    since = rows.filter(change_number__gt=known.change_number, change_number__lte=latest + MEANWHILE)
    return np.concatenate([known.pks[~np.isin(known.pks, touched)], pks_of(since)])


def pks_of(rows: MemoryQuerySet) -> Pks:
    return np.fromiter(rows.values_list("pk", flat=True), np.int64)
