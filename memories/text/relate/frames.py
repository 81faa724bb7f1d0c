"""Two statements that begin and end alike, and other words between: another value, if no list knows these to mean the
same.

"Runs on node heron" is not what was said with "falcon", nor is the key "with Tom" where it was "under the mat": what is
not known to mean the same is kept beside it, for two memories of one thing are found and merged, and one that was taken
for another is lost.
"""

from itertools import product

from . import grammar
from .alignment import LONE_WEIGHT, match
from .evidence import Sides
from .outline import Outline, Word
from .replacements import MOST_LONE, TAKING, are_spellings
from .topics import said_at


def find_replacement(sides: Sides) -> tuple[str, str] | None:
    """Return the first words that stand in the place of each other, unless they are known to mean the same or are one
    word in two spellings.

    Others that mean the same may stand in the place of each other beside them: "afraid of dogs" / "scared of cats". Of
    several words nothing is denied and none is the verb, and they are few: else it may be the same in other words.
    """
    start, end, other_end = _differing(sides.existing, sides.new)
    mine, others = _told_within(sides.existing, start, end), _told_within(sides.new, start, other_end)
    if not mine or not others or any(match(*pair) for pair in product(mine, others)):
        return None
    left, right = mine[0], others[0]
    if end == other_end == start + 1:
        is_other = not are_spellings(left, right) and not {left.text, right.text} <= TAKING
    else:
        is_short = max(len(mine), len(others)) <= MOST_LONE
        is_other = is_short and all(_differs_behind(side, start) for side in (sides.existing, sides.new))
    return (left.text, right.text) if is_other else None


def _differs_behind(side: Outline, start: int) -> bool:
    """Tell whether it is the same up to the verb there, and denies nothing."""
    said = said_at(side)
    return not side.turns and (said < start or side.tokens[said] in grammar.PREPOSITIONS)


def _differing(old: Outline, new: Outline) -> tuple[int, int, int]:
    """Where two statements begin to differ, and where each ends to."""
    lengths = len(old.tokens), len(new.tokens)
    start, behind, least = 0, 0, min(lengths)
    while start < least and _is_alike(old, start, new, start):
        start += 1
    while behind < least - start and _is_alike(old, lengths[0] - behind - 1, new, lengths[1] - behind - 1):
        behind += 1
    return start, lengths[0] - behind, lengths[1] - behind


def _is_alike(old: Outline, at: int, new: Outline, other_at: int) -> bool:
    return old.tokens[at] == new.tokens[other_at] or bool(old.groups[at] & new.groups[other_at])


def _told_within(side: Outline, start: int, end: int) -> list[Word]:
    return [word for word in side.words if start <= word.at < end and word.weight > LONE_WEIGHT]
