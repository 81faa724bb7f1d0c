"""What somebody used to do: over, if they are said to do it; nothing against what another does, or what else."""

from itertools import pairwise

from memories.text.wordlist import words

from .evidence import Seen, Sides
from .wishes import PAST_BE, tells_ahead

_USED_TO = ("used", "to")
_BEFORE_OTHER_USES = words("is are was were be been being get gets got")
"""What is used to store tells what for; who is used to it is accustomed."""


def find_habit(being: Seen, doing: Seen) -> str | None:
    """Name it where one does what the other used to do, and neither says more."""
    at = _habit_at(doing)
    if at is None or _habit_at(being) is not None or being.outline.turns or tells_ahead(being.outline.tokens):
        return None
    is_all = doing.has_only_known(at + len(_USED_TO), len(doing.outline.tokens))
    return "over: used to" if is_all and _is_of_it(being, doing, at) else None


def find_other_habit(sides: Sides) -> str | None:
    """Say so where it is another who used to do it, or something else: "drives to work" / "used to drive a taxi"."""
    for being, doing in sides.both_ways():
        at = _habit_at(doing)
        if at is not None and doing.outline.turns == (at,) and not being.outline.turns:
            return None if _is_of_it(being, doing, at) else "used to be so of another, or then"
    return None


def _is_of_it(being: Seen, doing: Seen, at: int) -> bool:
    """Tell whether the one is said to do now all that it does, and is who used to do it."""
    tokens = being.outline.tokens
    is_now = PAST_BE.isdisjoint(tokens)
    return is_now and doing.has_only_known(0, at) and being.has_only_known(0, len(tokens))


def _habit_at(side: Seen) -> int | None:
    told = zip(("", *side.outline.tokens), pairwise(side.outline.tokens), strict=False)
    return next(
        (at for at, (before, pair) in enumerate(told) if pair == _USED_TO and before not in _BEFORE_OTHER_USES), None
    )
