"""A Memsite server as LangGraph's long-term memory: `MemsiteStore` is a `BaseStore`.

Each item is a memory. Its key is the memory's `external_id`, its value the `metadata`, its namespace the `subject`; the
texts of the value are the `content`, by which `search` finds it. All items of a store have one category.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    validate_op_namespace,
)

from memsite_client import InvalidRequest, Memsite, NotFound

__all__ = ["MemsiteStore", "NotStored"]

Namespace = tuple[str, ...]
TAG_CHARACTERS, DIGEST_DIGITS = 100, 40
CONTENT_CHARACTERS = (2_000, 200)
"""The usual limit of an app, and the least that a preset has."""
UNINDEXED = ".unindexed"
SEARCH_PAGE, QUERY_CHARACTERS = 100, 10_000
GENERAL = "general"


class NotStored(ValueError):
    """The server does not keep this item exactly as it is, so it keeps none of it; what was there before stays."""


class MemsiteStore(BaseStore):
    """A store on the server of `memsite`, which stays open when the store is gone.

    `category` is where its items lie among an app's memories, `user_id` the end user they belong to. `index` names the
    fields by which items are found where `put` does not.
    """

    supports_ttl = False
    __slots__ = ("category", "index", "memsite", "user_id")

    def __init__(
        self,
        memsite: Memsite | None = None,
        *,
        category: str = "langgraph",
        user_id: str | None = None,
        index: Sequence[str] = ("$",),
    ) -> None:
        self.memsite = memsite or Memsite()
        self.category = category
        self.user_id = user_id
        self.index = list(index)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out reads, then writes, of which the last of a key counts: as LangGraph's own stores do."""
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = checked(op)
                results.append(None)
            elif isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(cast(Result, self._search(op)))
            elif isinstance(op, ListNamespacesOp):
                results.append(cast(Result, self._list_namespaces(op)))
            else:
                raise ValueError(f"Unknown operation type: {type(op)}")
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    # --- one item

    def _rows(self, namespace: Namespace, key: str) -> list[dict[str, Any]]:
        """Return the memory of a key. Where puts have met there are several for a moment: the first is the item."""
        if not key.strip():
            return []
        rows = self._list(subject=subject_of(namespace), external_id=key)
        return [row for row in rows if (namespace_of(row), row["external_id"]) == (namespace, key)]

    def _list(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield items, the latest first. Those of others are not ours, even where the app shows them."""
        if self.user_id is not None:
            filters["user_id"] = self.user_id
        rows = self.memsite.list_memories(category=self.category, **filters)
        return (cast(dict[str, Any], row) for row in rows if self._is_item(row))

    def _is_item(self, row: Mapping[str, Any]) -> bool:
        return bool(row["external_id"] and row["user_id"] == self.user_id and row["subject"])

    def _get(self, op: GetOp) -> Item | None:
        rows = self._rows(op.namespace, op.key)
        return Item(**shown(rows[0])) if rows else None

    def _put(self, op: PutOp) -> None:
        rows = self._rows(op.namespace, op.key)
        if op.value is None:
            self._delete(rows)
        elif not (rows and self._edit(rows[0], op)):
            self._create(op)

    def _delete(self, rows: Iterable[Mapping[str, Any]]) -> None:
        if ids := [row["id"] for row in rows]:
            self.memsite.delete_memories(ids)

    def _create(self, op: PutOp) -> None:
        fields = {**self._fields(op), "subject": subject_of(op.namespace), "external_id": op.key, "pinned": True}
        made = written(lambda content: self.memsite.create_memory(content, dedupe=False, **fields), self._text(op))
        if not is_kept(made, op):
            self._delete([made])
            raise NotStored(f"The server would keep {op.key!r} of {op.namespace} otherwise than it is: {CHANGED}")
        # Of puts that met, the latest counts, whoever of them asks last.
        self._delete(self._rows(op.namespace, op.key)[1:])

    def _edit(self, row: dict[str, Any], op: PutOp) -> bool:
        """Return False if somebody has deleted it meanwhile."""
        fields = self._fields(op)
        try:
            now = written(
                lambda content: self.memsite.change_memory(row["id"], content=content, **fields), self._text(op)
            )
        except NotFound:
            return False
        if not is_kept(now, op):
            before = {name: row[name] for name in ("content", "metadata", "tags")}
            self.memsite.change_memory(row["id"], **before)
            raise NotStored(f"The server would keep {op.key!r} of {op.namespace} otherwise than it is: {CHANGED}")
        return True

    def _fields(self, op: PutOp) -> dict[str, Any]:
        tags = [tag_of(op.namespace[:depth]) for depth in range(1, len(op.namespace) + 1)]
        if op.index is False:
            tags.append(UNINDEXED)
        return {"category": self.category, "user_id": self.user_id, "tags": tags, "metadata": dict(op.value or {})}

    def _text(self, op: PutOp) -> str:
        """Return what an item is found by. One that is not indexed needs some text all the same."""
        if op.index is False:
            return op.key
        value = op.value or {}
        paths = self.index if op.index is None else op.index
        texts = leaves(value) if "$" in paths else [text for path in paths for text in get_text_at_path(value, path)]
        return "\n".join(text for text in texts if text.strip()) or op.key

    # --- many items

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = (
            self._found(op) if (op.query or "").strip() else ((row, None) for row in self._below(op.namespace_prefix))
        )
        fitting = (pair for pair in found if is_wanted(pair[0], op))
        return [
            SearchItem(**shown(row), score=score) for row, score in islice(fitting, op.offset, op.offset + op.limit)
        ]

    def _found(self, op: SearchOp) -> Iterator[tuple[dict[str, Any], float | None]]:
        """Yield what answers the query, best first, then the rest without a score."""
        seen = set()
        narrowed: list[dict[str, Any]] = [{"category": self.category}, {"not": {"tags": UNINDEXED}}]
        if op.namespace_prefix:
            narrowed.append({"tags": tag_of(op.namespace_prefix)})
        hits = self.memsite.search_all(
            (op.query or "")[:QUERY_CHARACTERS],
            filters={"and": narrowed},
            user_id=self.user_id,
            documents="none",
            limit=SEARCH_PAGE,
        )
        for hit in hits:
            if self._is_item(hit):
                seen.add(hit["id"])
                yield cast(dict[str, Any], hit), hit["score"]
        for row in self._below(op.namespace_prefix):
            if row["id"] not in seen:
                yield row, None

    def _below(self, prefix: Namespace) -> Iterator[dict[str, Any]]:
        return self._list(tag=tag_of(prefix)) if prefix else self._list()

    def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        """Read all items below the prefix that is asked for."""
        conditions = op.match_conditions or ()
        prefix: Namespace = next((plain(one.path) for one in conditions if one.match_type == "prefix"), ())
        found = {namespace_of(row) for row in self._below(prefix)}
        matching = {one[: op.max_depth] for one in found if all(matches(one, condition) for condition in conditions)}
        return sorted(matching)[op.offset : op.offset + op.limit]


CHANGED = "secrets, private parts, blanks around keys and some numbers are not stored as they are."


def checked(op: PutOp) -> PutOp:
    """Raise before anything is sent: what is no JSON would not come back as it was."""
    if op.ttl is not None:
        raise NotImplementedError("TTL is not supported by MemsiteStore: items stay until they are deleted.")
    if op.value is not None:
        if json.loads(json.dumps(op.value, allow_nan=False)) != op.value:
            raise TypeError(f"The value of {op.key!r} is not plain JSON: names are texts, lists are lists.")
        if not op.key.strip():
            raise ValueError("A key has at least one visible character.")
    return op


def written(write: Any, content: str) -> dict[str, Any]:
    """Return the memory that `write` makes of this content, cut to what the app's policy takes."""
    for characters in CONTENT_CHARACTERS:
        try:
            answer = write(content[:characters])
            break
        except InvalidRequest as error:
            is_too_long = any(wrong["field"] == "content" for wrong in error.errors)
            if not is_too_long or len(content) <= CONTENT_CHARACTERS[-1] or characters == CONTENT_CHARACTERS[-1]:
                raise
    if "rejection_id" in answer:
        raise NotStored(f"A person has to decide about it first ({answer['outcome']}): {answer['reason']}")
    return cast(dict[str, Any], answer)


def is_kept(row: Mapping[str, Any], op: PutOp) -> bool:
    return row["metadata"] == op.value and row["external_id"] == op.key and namespace_of(row) == op.namespace


def subject_of(namespace: Namespace) -> str:
    """Return the namespace as a text. What is about "general" has no subject: a dot, which no label has, tells it."""
    name = ".".join(namespace)
    return f"{name}." if name.casefold() == GENERAL else name


def namespace_of(row: Mapping[str, Any]) -> Namespace:
    return tuple(row["subject"].removesuffix(".").split("."))


def tag_of(namespace: Namespace) -> str:
    """Return the tag that all items of this namespace and those below it have."""
    name = subject_of(namespace)
    if len(name) <= TAG_CHARACTERS and name == name.strip():
        return name
    return f"namespace:{hashlib.sha256(name.encode()).hexdigest()[:DIGEST_DIGITS]}"


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "namespace": namespace_of(row),
        "key": row["external_id"],
        "value": row["metadata"],
        "created_at": datetime.fromisoformat(row["created_at"]),
        "updated_at": datetime.fromisoformat(row["updated_at"]),
    }


def leaves(value: Any, name: str = "") -> Iterator[str]:
    """Yield `name: text` of all that a value says; the only text of an item as it is."""
    if (
        name == ""
        and isinstance(value, dict)
        and len(value) == 1
        and isinstance(text := next(iter(value.values())), str)
    ):
        yield text
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, name)
    elif value is not None:
        yield f"{name}: {value}" if name else str(value)


def is_wanted(row: Mapping[str, Any], op: SearchOp) -> bool:
    namespace = namespace_of(row)
    is_below = namespace[: len(op.namespace_prefix)] == tuple(op.namespace_prefix)
    value = row["metadata"]
    return is_below and all(fits(value.get(name), wanted) for name, wanted in (op.filter or {}).items())


def fits(value: Any, wanted: Any) -> bool:
    """Return whether a value is as a filter wants it, by the rules of LangGraph's InMemoryStore."""
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(OPERATORS[checked_operator(name)](value, operand) for name, operand in wanted.items())
        return isinstance(value, dict) and all(fits(value.get(name), inner) for name, inner in wanted.items())
    if isinstance(wanted, list | tuple):
        is_as_long = isinstance(value, list) and len(value) == len(wanted)
        return is_as_long and all(fits(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


OPERATORS = {
    "$eq": lambda value, operand: value == operand,
    "$ne": lambda value, operand: value != operand,
    "$gt": lambda value, operand: float(value) > float(operand),
    "$gte": lambda value, operand: float(value) >= float(operand),
    "$lt": lambda value, operand: float(value) < float(operand),
    "$lte": lambda value, operand: float(value) <= float(operand),
}


def checked_operator(name: str) -> str:
    if name not in OPERATORS:
        raise ValueError(f"Unsupported operator: {name}")
    return name


def plain(path: Sequence[str]) -> Namespace:
    """Return a path up to its first wildcard."""
    return tuple(path[: path.index("*")] if "*" in path else path)


def matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
