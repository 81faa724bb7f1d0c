"""What tests of recall share: asking, linking, and what a policy says."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memories.models import Memory
from memories.providers.embeddings import Embedder
from memories.retrieve.hits import Recall
from memories.retrieve.pipeline import SearchRequest
from memories.services import MemoryAgent
from tests.conftest import Caller


def agent_of(caller: Caller) -> MemoryAgent:
    return MemoryAgent(caller.app, caller.agent, "test")


def embedder_of(caller: Caller) -> Embedder:
    return agent_of(caller).embedder


def search(caller: Caller, text: str, now: datetime | None = None, **options: Any) -> Recall:
    return agent_of(caller).search(SearchRequest(text=text, **options), now)


def contents(result: Recall) -> list[str]:
    return [hit.memory.content for hit in result.hits]


def store(caller: Caller, content: str, **fields: Any) -> Memory:
    """Whatever is known already."""
    return Memory.objects.get(uid=caller.remember(content, dedupe=False, **fields)["id"])


def link(caller: Caller, item: Memory, other: Memory, kind: str = "related") -> None:
    answer = caller.post(f"memories/{item.uid}/links", {"to": str(other.uid), "kind": kind})
    assert answer.status_code == 201, answer.content


def change(caller: Caller, memory: Memory, **fields: Any) -> None:
    answer = caller.patch(f"memories/{memory.uid}", fields)
    assert answer.status_code == 200, answer.content


def forget(caller: Caller, memory: Memory) -> None:
    assert caller.delete(f"memories/{memory.uid}").status_code == 200


def set_policy(caller: Caller, **values: Any) -> None:
    for name, value in values.items():
        setattr(caller.app.policy, name, value)
    caller.app.policy.full_clean()
    caller.app.policy.save()


def set_domain(caller: Caller, domain: str) -> None:
    caller.agent.domain = domain
    caller.agent.save()
