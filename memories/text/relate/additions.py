"""What a new statement says beyond the one already kept: it must not be swallowed as "the same"."""

from .evidence import Sides
from .outline import LIGHT_WEIGHT

MAX_ADDED = 2
"""Of the 479 pairs labelled the same, four add more, and the model calls none of them the same; 19 add two."""


def find_additions(sides: Sides) -> list[str]:
    """Return what only the new statement says, when it is too much to be lost; else nothing.

    A word that is left over on the other side is taken for another word for one of these, so only the
    surplus counts.
    """
    words = [word.text for word in sides.aligned.lone_new if word.weight > LIGHT_WEIGHT]
    numbers = _added_numbers(sides)
    surplus = len(words) - len(sides.aligned.lone_existing) + len(numbers)
    return words + numbers if surplus > MAX_ADDED else []


def _added_numbers(sides: Sides) -> list[str]:
    """Return the texts of the digits that only the new statement has, if it has more numbers than the other."""
    old, new = sides.existing_statement.quantities, sides.new_statement.quantities
    values = {quantity.named for quantity in old}
    added = [quantity.text for quantity in new if quantity.named not in values and quantity.text[:1].isdecimal()]
    return added[: max(len(new) - len(old), 0)]
