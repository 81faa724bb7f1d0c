"""mem0's filters as ours: AND, OR, NOT, ids, times, categories, metadata; `*` is any value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ValidationError

from memories.compat.mem0.shapes import IDS, OTHER_IDS
from memories.retrieve.filters import MAX_DEPTH, FilterError, build_filter

JOINED = {"AND": "and", "OR": "or"}
NAMES = {"categories": "category"}
TIMES = ("created_at", "updated_at")
ANY = "*"


def translated(filters: Mapping[str, Any] | None, owner: Mapping[str, Any]) -> dict[str, Any]:
    """Our filter for theirs and for the ids named beside it. ValidationError for what cannot be asked here."""
    named = [{name: owner[name]} for name in IDS if owner.get(name)]
    parts = [condition(part, 0) for part in (*named, *([filters] if filters else []))]
    try:
        build_filter(whole := {"and": parts} if parts else {})
    except FilterError as error:
        raise ValidationError({"filters": [str(error)]}) from error
    return whole


def condition(filters: Any, depth: int) -> dict[str, Any]:
    if not isinstance(filters, Mapping) or depth > MAX_DEPTH:
        raise ValidationError({"filters": ["Not a filter."]})
    parts = [part(str(name), value, depth) for name, value in filters.items()]
    return parts[0] if len(parts) == 1 else {"and": parts} if parts else {}


def part(name: str, value: Any, depth: int) -> dict[str, Any]:
    if name in JOINED or name == "NOT":
        given = value if isinstance(value, list) else [value]
        inner = [condition(one, depth + 1) for one in given]
        return {JOINED[name]: inner} if name in JOINED else {"not": {"or": inner}}
    if name == "metadata" and isinstance(value, Mapping):
        return {"and": [compared(f"metadata.{key}", one) for key, one in value.items()]} if value else {}
    return compared(column(name), value)


def column(name: str) -> str:
    if name == "user_id" or name in TIMES:
        return name
    return NAMES.get(name) or f"metadata.{name}"


def compared(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return equal(name, value)
    parts = [operated(name, operator, one) for operator, one in value.items()]
    return {"and": parts} if parts else {}


def equal(name: str, value: Any) -> dict[str, Any]:
    return {"not": {name: None}} if value == ANY else {name: value}


def operated(name: str, operator: str, value: Any) -> dict[str, Any]:
    if operator in ("eq", "in") or (operator == "contains" and name == "category"):
        return equal(name, value)
    if operator in ("ne", "nin"):
        return {"not": equal(name, value)}
    if operator in ("gt", "gte", "lt", "lte") and name in TIMES:
        return {name: {operator: value}}
    raise ValidationError({"filters": [f"{name.removeprefix('metadata.')}: {operator} cannot be asked here."]})


def owner_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """The ids that new memories get: at the top, or in `filters`, plain or joined with AND."""
    found = {name: fields[name] for name in IDS if fields.get(name)}
    waiting: list[Any] = [fields.get("filters")]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            found |= {name: one[name] for name in IDS if isinstance(one.get(name), str) and one[name] != ANY}
            waiting.extend(one["AND"] if isinstance(one.get("AND"), list) else [])
    return {name: value[:200] for name, value in found.items()}


def metadata_of(owner: Mapping[str, str], given: Mapping[str, Any] | None) -> dict[str, Any]:
    return {**(given or {}), **{name: owner[name] for name in OTHER_IDS if name in owner}}
