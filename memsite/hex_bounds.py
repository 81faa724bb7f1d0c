"""Between which texts all lie that begin alike and end in hexadecimal digits, in the order of any database."""

from __future__ import annotations

from django.db.models import Value
from django.db.models.functions import Greatest


def hex_bounds(beginning: str, digits: int) -> tuple[str, Greatest]:
    """For a `__range`, which a usual index of texts answers. Others may lie between them, too: signs, as ":" and ";",
    have another order in each collation.
    """
    first, *lasts = outermost(beginning, digits)
    return first, Greatest(*map(Value, lasts))


def outermost(beginning: str, digits: int) -> tuple[str, str, str]:
    """The first one, and those of which one is the last: "aa" is a letter behind all others in Danish and Norwegian."""
    return f"{beginning}{'0' * digits}", f"{beginning}{'f' * digits}", f"{beginning}{'a' * digits}"
