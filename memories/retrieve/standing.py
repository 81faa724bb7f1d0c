"""Give standing statements a place among the hits: what applies to a request, whatever else answers it."""

from __future__ import annotations

import numpy as np

from memories.index.similarity import Rows, top
from memories.language.standing import is_request
from memories.language.surface import Look
from memories.retrieve.ranking import Evidence, Ranked, rearranged
from memories.retrieve.scoped_view import ScopedView

PART = "standing"
"""The part of a score that a standing statement has for its place."""
NEAR, NEAR_REQUEST = 0.42, 0.2
"""The cosine, as MiniLM would have it, from which on a question touches the matter of a statement; and a request."""
PLACES, PLACES_OF_REQUEST = (4, 8), (2, 4, 6, 8)
"""Of the nearest, the second and so on, at the latest; none behind the end of a page."""
LOOKED_AT = 100
UNSURE = 0.15
"""What is estimated is looked at more closely where it may be so much nearer."""


def standing_places(scoped: ScopedView) -> Rows:
    """Return the places of standing statements, as far as it is known how the texts look."""
    places: Rows = np.flatnonzero(scoped.column("look") & np.uint16(Look.STANDING))
    return places


def applying(evidence: Evidence, relevant: float, limit: int) -> tuple[Rows, list[int]]:
    """Return the places of the standing statements whose matter the question touches, nearest first, and ranks.

    Such a rank is where each stands at the latest.

    A question that names somebody the app knows asks about them: it is no request.
    """
    places = standing_places(evidence.scoped) if limit else np.zeros(0, np.intp)
    likely = places[evidence.similarity(places, relevant) >= NEAR_REQUEST - UNSURE] if len(places) else places
    if not len(likely):
        return likely, []
    asks = not evidence.question.subjects and is_request(evidence.question.text)
    slots = [slot for slot in (PLACES_OF_REQUEST if asks else PLACES) if slot <= limit]
    likely = likely[top(evidence.similarity(likely, relevant).astype(np.float32), LOOKED_AT)]
    evidence.cosines.look_closer(likely)
    near = evidence.similarity(likely, relevant)
    nearest = top(near.astype(np.float32), len(slots)) if slots else np.zeros(0, np.intp)
    return likely[nearest[near[nearest] >= (NEAR_REQUEST if asks else NEAR)]], slots


def with_standing(evidence: Evidence, ranked: Ranked, relevant: float, limit: int) -> tuple[Ranked, set[int]]:
    """Return the ranking with the statements that apply no later than at their places, and the places of these.

    One that is moved up has the score of the hit before it. Where nothing else fits, they are all there is.
    """
    near, slots = applying(evidence, relevant, limit)
    order = ranked.places.tolist()
    scores = dict(zip(order, ranked.scores.tolist(), strict=True))
    for place, slot in zip(near.tolist(), slots, strict=False):
        if place in order[:slot]:
            continue
        if place in scores:
            order.remove(place)
        order.insert(slot - 1, place)
        before = order.index(place) - 1
        scores[place] = scores[order[before]] if before >= 0 else float(evidence.similarity(near[:1], relevant)[0])
    if order == ranked.places.tolist():
        return ranked, set(near.tolist())
    given = np.array([scores[place] for place in order])
    return rearranged(ranked, np.array(order, np.intp), given, PART), set(near.tolist())
