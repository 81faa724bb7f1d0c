"""A Memsite server as CrewAI's memory: `MemsiteMemory`, in the place of `Memory`.

A record is a memory: its id is the `external_id`, its scope the `subject`. The server embeds, compares and ranks, so
neither a model nor an embedder is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Literal, cast

from crewai.memory.types import MemoryMatch, MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory
from crewai.memory.utils import join_scope_paths

from memsite_client import Memsite

__all__ = ["MemsiteMemory", "MemsiteStorage"]
OWN = ("categories", "metadata", "importance", "source", "private")
"""What only a record has: it is kept in the metadata."""
TAG_CHARACTERS = 100
MOST_AT_ONCE = 500
MOST_FOUND = 100
PARTS = re.compile(r"(?:Task|Input): (?P<user>.*?)\nAgent: .*?\nResult: (?P<assistant>.*)", re.DOTALL)


class MemsiteStorage:
    """Records on a server: CrewAI's StorageBackend, which searches by text instead of by vector."""

    def __init__(self, memsite: Memsite, category: str, user_id: str | None) -> None:
        self.memsite = memsite
        self.category = category
        self.user_id = user_id

    def save(self, records: list[MemoryRecord]) -> list[MemoryRecord]:
        """Store records and return them as they are kept: one that says what is known is the known one."""
        kept = []
        for start in range(0, len(records), MOST_AT_ONCE):
            items: Any = [self._fields(record) for record in records[start : start + MOST_AT_ONCE]]
            for answer in self.memsite.create_memories(items, dedupe=True)["results"]:
                if "error" in answer:
                    raise ValueError(f"It was not stored: {answer['error']}")
                # What a person has to decide about first is no record yet.
                kept += [record_of(answer)] if "rejection_id" not in answer else []
        return kept

    def find(self, query: str, scope: str | None, categories: list[str] | None) -> Iterator[tuple[MemoryRecord, float]]:
        wanted: list[dict[str, Any]] = [{"category": self.category}]
        if categories:
            wanted.append({"tags": [category_tag(category) for category in categories]})
        if scope and is_tag(scope):
            wanted.append({"tags": normal(scope)})
        hits = self.memsite.search_all(
            query, filters={"and": wanted}, user_id=self.user_id, documents="none", limit=MOST_FOUND
        )
        for hit in hits:
            if self._is_record(hit) and is_within(hit["subject"], scope):
                yield record_of(hit), hit["score"]

    def search(self, query_embedding: list[float], **options: Any) -> list[tuple[MemoryRecord, float]]:
        raise NotImplementedError("The server searches by text: MemsiteMemory.recall.")

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete records for good; without any condition all of them."""
        going = []
        for row in self._rows(scope_prefix):
            record = record_of(row)
            is_meant = (
                (not record_ids or record.id in record_ids)
                and (not categories or set(categories) & set(record.categories))
                and (older_than is None or record.created_at < plain(older_than))
                and all(record.metadata.get(name) == value for name, value in (metadata_filter or {}).items())
            )
            going += [row["id"]] if is_meant else []
        for start in range(0, len(going), MOST_AT_ONCE):
            self.memsite.delete_memories(going[start : start + MOST_AT_ONCE])
        return len(going)

    def update(self, record: MemoryRecord) -> None:
        for row in self._rows(external_id=record.id):
            fields = self._fields(record)
            fields.pop("external_id")
            self.memsite.change_memory(row["id"], **cast(Any, fields))

    def get_record(self, record_id: str) -> MemoryRecord | None:
        return next((record_of(row) for row in self._rows(external_id=record_id)), None)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        return [record_of(row) for row in islice(self._rows(scope_prefix), offset, offset + limit)]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        records = [record_of(row) for row in self._rows(scope)]
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=normal(scope),
            record_count=len(records),
            categories=sorted({category for record in records for category in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=children(records, scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        return children((record_of(row) for row in self._rows(parent)), parent)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        return dict(Counter(category for row in self._rows(scope_prefix) for category in record_of(row).categories))

    def count(self, scope_prefix: str | None = None) -> int:
        return sum(1 for _ in self._rows(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        self.delete(scope_prefix)

    def _rows(self, scope: str | None = None, **filters: Any) -> Iterator[Mapping[str, Any]]:
        if scope and is_tag(scope):
            filters["tag"] = normal(scope)
        if self.user_id is not None:
            filters["user_id"] = self.user_id
        rows = self.memsite.list_memories(category=self.category, **filters)
        return (row for row in rows if self._is_record(row) and is_within(row["subject"], scope))

    def _is_record(self, row: Mapping[str, Any]) -> bool:
        return bool(row["external_id"] and row["subject"] and row["user_id"] == self.user_id)

    def _fields(self, record: MemoryRecord) -> dict[str, Any]:
        scopes = [scope for scope in scopes_of(record.scope) if is_tag(scope)]
        return {
            "content": record.content,
            "category": self.category,
            "subject": normal(record.scope),
            "user_id": self.user_id,
            "external_id": record.id,
            "importance": 1 + round(4 * record.importance),
            "tags": [*scopes, *map(category_tag, record.categories)],
            "metadata": {name: getattr(record, name) for name in OWN},
        }


class MemsiteMemory(Memory):
    """CrewAI's memory on a server. `user_id` is the end user whom it is about.

    With an `llm` that extracts statements from what agents do, as CrewAI does it; without one the server does.
    """

    def __init__(
        self, memsite: Memsite | None = None, *, user_id: str | None = None, category: str = "crewai", **options: Any
    ) -> None:
        storage: Any = MemsiteStorage(memsite or Memsite(), category, user_id)
        super().__init__(storage=storage, embedder=no_vectors, **options)

    @property
    def server(self) -> MemsiteStorage:
        return cast(MemsiteStorage, self.storage)

    def extract_memories(self, content: str) -> list[str]:
        if "llm" in self.model_fields_set:
            return super().extract_memories(content)
        parts = PARTS.fullmatch(content)
        told = parts.groupdict() if parts else {"user": content}
        messages = [{"role": role, "content": text} for role, text in told.items() if text.strip()]
        preview = self.server.memsite.request("POST", "extractions/preview", json={"messages": messages})
        return [fact["content"] for fact in preview["facts"]]

    def remember(
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> MemoryRecord | None:
        """Store a statement. Return None if a person has to decide about it first."""
        told = (scope, categories, metadata, importance, source, private, agent_role, root_scope)
        return next(iter(self.remember_many([content], *told)), None)

    def remember_many(
        self,
        contents: list[str],
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> list[MemoryRecord]:
        """Store statements at once, and not in the background as CrewAI does."""
        if self.read_only:
            return []
        root = root_scope if root_scope is not None else self.root_scope
        records = [
            MemoryRecord(
                content=content,
                scope=join_scope_paths(root, scope or "/") if root else normal(scope),
                categories=categories or [],
                metadata=metadata or {},
                importance=self.default_importance if importance is None else importance,
                source=source,
                private=private,
            )
            for content in contents
        ]
        return self.server.save(records)

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        """Return what answers the query, best first. Both depths are one search of the server."""
        within = join_scope_paths(self.root_scope, scope or "/") if self.root_scope else scope
        found = self.server.find(query, within, categories)
        shown = (
            (record, score)
            for record, score in found
            if include_private or not record.private or (source is not None and record.source == source)
        )
        return [
            MemoryMatch(record=record, score=score, match_reasons=["semantic"])
            for record, score in islice(shown, limit)
        ]


def no_vectors(texts: list[str]) -> list[list[float]]:
    """Stand where CrewAI wants an embedder: the server has its own."""
    return [[] for _ in texts]


def record_of(row: Mapping[str, Any]) -> MemoryRecord:
    own = {name: row["metadata"][name] for name in OWN if name in row["metadata"]}
    created, accessed = row["created_at"], row["accessed_at"] or row["created_at"]
    return MemoryRecord(
        id=row["external_id"],
        content=row["content"],
        scope=row["subject"],
        created_at=plain(datetime.fromisoformat(created)),
        last_accessed=plain(datetime.fromisoformat(accessed)),
        **own,
    )


def plain(moment: datetime) -> datetime:
    """Return a time as CrewAI has it: in UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def normal(scope: str | None) -> str:
    return "/" + "/".join(filter(None, (scope or "").split("/")))


def scopes_of(scope: str) -> list[str]:
    """Return a scope and all that it lies in."""
    names = normal(scope).strip("/").split("/")
    return list(dict.fromkeys(normal("/".join(names[:depth])) for depth in range(len(names) + 1)))


def is_within(scope: str, prefix: str | None) -> bool:
    return normal(prefix) in scopes_of(scope)


def children(records: Iterable[MemoryRecord], parent: str) -> list[str]:
    depth = len(scopes_of(parent))
    return sorted({scopes_of(record.scope)[depth] for record in records if len(scopes_of(record.scope)) > depth})


def is_tag(scope: str) -> bool:
    return len(normal(scope)) <= TAG_CHARACTERS


def category_tag(category: str) -> str:
    return f"category:{category}"[:TAG_CHARACTERS]
