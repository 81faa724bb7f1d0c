"""What a statement brings along that only says again what is known: it joins what the memory has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memories.models import Memory
from memories.models.memory import MAX_TAGS
from memories.store import Candidate
from memsite.http.json_body import MAX_OBJECT_CHARACTERS, json_length
from memsite.tenancy.policy import AppPolicy


def merged_attributes(memory: Memory, candidate: Candidate, policy: AppPolicy) -> dict[str, Any]:
    """The memory's fields as they are with what the candidate brings; of these it loses nothing.

    Whoever is not taken at their word makes somebody else's memory surer and no more: what it is marked with would pass
    for theirs. Their own name for it is. What was learnt from texts of another session leaves no word of it
    here, where it would stay when that session is purged.
    """
    is_elsewhere = candidate.resource is not None and is_of_another_session(memory, candidate)
    brought: dict[str, Any] = {} if is_elsewhere else {"external_id": memory.external_id or candidate.external_id}
    if is_doubted(candidate, policy) and not memory.needs_review(policy):
        return brought
    brought["importance"] = max(memory.importance, candidate.importance or 0)
    brought["pinned"] = memory.pinned or candidate.pinned
    if not is_elsewhere:
        brought["tags"] = joined_tags(memory.tags, candidate.tags)
        brought["metadata"] = joined(memory.metadata, candidate.metadata)
    return brought


def is_of_another_session(memory: Memory, candidate: Candidate) -> bool:
    return candidate.session is not None and candidate.session.pk != memory.session_id


def is_doubted(candidate: Candidate, policy: AppPolicy) -> bool:
    return candidate.origin in policy.review_origins and candidate.reviewed_at is None


def joined_tags(tags: Sequence[str], more: Sequence[str]) -> list[str]:
    """As many more as there is room for."""
    new = [tag for tag in dict.fromkeys(more) if tag not in tags]
    return [*tags, *new[: max(0, MAX_TAGS - len(tags))]]


def joined(metadata: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """What stands under a name stays; all of it if both are too much for one memory."""
    both = {**metadata, **{name: value for name, value in more.items() if name not in metadata}}
    return dict(metadata) if json_length(both) > MAX_OBJECT_CHARACTERS else both
