"""Values in SQL: literals, the bounds of texts that begin alike, and numbers in stored JSON."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from django.db.models import Value
from django.db.models.functions import Greatest


class Literal(Value):
    """Of our own words only (a status, a kind): ValueError for anything else."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        word = str(self.value)
        if not word.isidentifier():
            raise ValueError(f"{word!r} is no word of ours")
        return f"'{word}'", ()


def literals(*words: str) -> list[Literal]:
    return [Literal(word) for word in words]


def hex_bounds(beginning: str, digits: int) -> tuple[str, Greatest]:
    """Return bounds for a `__range`, which a usual index of texts answers.

    Others may lie between, such as ":" and ";", have another order in each collation.
    """
    first, *lasts = outermost(beginning, digits)
    return first, Greatest(*map(Value, lasts))


def outermost(beginning: str, digits: int) -> tuple[str, str, str]:
    """Return the first, and those of which one is the last: "aa" is behind all others in Danish and Norwegian."""
    return f"{beginning}{'0' * digits}", f"{beginning}{'f' * digits}", f"{beginning}{'a' * digits}"


INTEGERS = range(-(2**63), 2**64)
"""What can be answered exactly: 64 bits."""
LONG = re.compile(r"\d{20}")
# From here on Python writes a float with an exponent.
WRITTEN_WITH_EXPONENT = 1e16


def read_number(digits: str) -> int | float:
    """Read an integer's digits: more than 64 bits were a float, as endpoints take no such integer."""
    number = int(digits)
    return number if number in INTEGERS else float(digits)


def with_floats(text: str) -> str:
    """Return the JSON that `jsonb` tells, with the floats among its numbers that are too large for an integer."""
    return json.dumps(json.loads(text, parse_int=read_number)) if LONG.search(text) else text


def settled(value: Any) -> Any:
    """Return a JSON value with each number as either database tells it, so that copies can be compared byte by byte."""
    if isinstance(value, dict):
        return {name: settled(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [settled(inner) for inner in value]
    if not isinstance(value, float):
        return value
    # No minus before 0, and whole numbers of 64 bits without an exponent, by the digits that are written.
    if abs(value) < WRITTEN_WITH_EXPONENT:
        return value or 0.0
    whole = int(Decimal(repr(value)))
    return whole if whole in INTEGERS else value
