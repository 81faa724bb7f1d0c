"""What comes first: "A before B" and "B after A" say one thing, "A after B" denies it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from . import cues
from .alignment import Words, match
from .evidence import Evidence
from .negation import DENIED
from .outline import Outline

MAX_ORDERS = 3
"""More of them are no statement any more."""

_DIRECTIONS = {"before": -1, "prior": -1, "after": 1, "once": 1, "following": 1}
_ORDERING = frozenset({*_DIRECTIONS, "until", "for"})


@dataclass(frozen=True)
class Order:
    """`first` and `second` are the words left and right of the one that orders them; -1 says "before"."""

    direction: int
    first: Words
    second: Words


def weigh_order(found: Evidence, old: Outline, new: Outline) -> None:
    agreed = {_agree(one, other) for one in _orders(old) for other in _orders(new)}
    found.features["order_agrees"] = float(1 in agreed)
    found.features["order_clashes"] = float(-1 in agreed and 1 not in agreed)
    if found.features["order_clashes"]:
        found.notes["order_clashes"] = "opposed: before / after"


def _orders(side: Outline) -> list[Order]:
    places = [at for at, word in enumerate(side.tokens) if word in _ORDERING and _direction(side, at)]
    return list(islice(_split(side, places), MAX_ORDERS))


def _direction(side: Outline, at: int) -> int:
    """A negated "before" is "after", as is a negated "until"; "after two hours" orders nothing."""
    word, before, behind = side.tokens[at], side.tokens[max(at - 1, 0)], side.tokens[at + 1 : at + 2]
    if behind and (behind[0][0].isdigit() or behind[0] in cues.QUANTITY_WORDS):
        return 0
    if word == "once":
        return int(before == "only" or behind == ("the",))
    if word == "for":
        return int(before in ("wait", "waits", "waiting"))
    is_denied = any(0 < at - place <= DENIED for place in side.negators)
    return 1 if word in ("before", "until") and is_denied else _DIRECTIONS.get(word, 0)


def _split(side: Outline, places: list[int]) -> Iterator[Order]:
    """Each order reaches from the boundary before it to the next boundary or order; it may stand in front."""
    edges = [at for at, word in enumerate(side.tokens) if word in cues.BOUNDARIES]
    for at in places:
        start = max((edge for edge in edges if edge < at), default=-1)
        end = min((edge for edge in edges + places if edge > at), default=len(side.tokens))
        first = tuple(word for word in side.words if start < word.at < at)
        second = tuple(word for word in side.words if at < word.at < end)
        if second:
            yield Order(_direction(side, at), first or tuple(word for word in side.words if word.at > end), second)


def _agree(one: Order, other: Order) -> int:
    """Return 1 when both put the same thing first, -1 when not, 0 when one cannot tell."""
    straight = _shared(one.first, other.first) + _shared(one.second, other.second)
    crossed = _shared(one.first, other.second) + _shared(one.second, other.first)
    if straight == crossed:
        return 0
    same_way = one.direction == other.direction
    return 1 if same_way == (straight > crossed) else -1


def _shared(left: Words, right: Words) -> float:
    return sum(max((match(word, other) * word.weight for other in right), default=0.0) for word in left)
