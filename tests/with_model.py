"""Learning with a language model: what it answers, and which server of which kind gives the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings as django_settings

from memories.models import LedgerEntry
from memories.providers.http import Patience
from memories.providers.llm import client
from memories.providers.llm.client import ModelChat
from memories.providers.llm.provider import Ask
from tests.conftest import Caller
from tests.memories.providers.llm.servers import KEY, Behaviour, Says, Seen, Server
from tests.talking import turn

TEXT = "I moved to Lisbon in spring, I love it."
ONE_TRY = Patience(attempts=1, first_wait_seconds=0.0)


CHATS: list[ModelChat] = []


class HastyChat(ModelChat):
    """Waits less for what never comes, where a test says so."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        CHATS.append(self)

    def ask(self, ask: Ask, meter: Any) -> dict[str, Any]:
        return super().ask(replace(ask, total_seconds=HASTE.get(ask.operation, ask.total_seconds)), meter)


HASTE: dict[str, float] = {"rewrite": 60.0}
"""The seconds that an operation may take. All others have time: a stalled machine is no service that is away."""


def fact(content: str = "User lives in Lisbon", **changes: Any) -> dict[str, Any]:
    """As a model gives it."""
    return {
        "message": 1, "quote": "", "content": content, "kind": "fact", "category": "general", "subject": "",
        "entities": [], "tags": [], "importance": 3, "strength": "explicit", "sentiment": "neutral",
        "verifiable": 1.0, "useful": 0.9, "valid_from": "", "valid_until": "", **changes,
    }  # fmt: skip


OPERATIONS = {
    "['keep', 'reason', 'score']": "gate", "['facts']": "extract", "['verdicts']": "relate",
    "['content', 'into', 'number', 'reason']": "make_room",
}  # fmt: skip


def ask_for(seen: Seen) -> str:
    """Which question it is, by what its answer is made of."""
    properties = str(sorted((seen.schema or {}).get("properties", {})))
    return OPERATIONS.get(properties, "")


def answers(
    *facts: dict[str, Any], keep: bool = True, relation: str = "different", extract: Behaviour | None = None,
    gate: Behaviour | None = None, relate: Behaviour | None = None, capacity: Behaviour | None = None,
) -> Callable[[Seen], Behaviour]:  # fmt: skip
    """A model that answers each question well, or as told."""

    def answer(seen: Seen) -> Behaviour:
        if ask_for(seen) == "gate":
            return gate or Says({"keep": keep, "score": 0.9, "reason": "a statement"})
        if ask_for(seen) == "extract":
            return extract or Says({"facts": list(facts or [fact()])})
        if ask_for(seen) == "relate":
            verdicts = [
                {"number": number, "relation": relation, "reason": "because", "confidence": 0.9}
                for number in range(1, 41)
            ]
            return relate or Says({"verdicts": verdicts})
        if ask_for(seen) == "make_room":
            return capacity or Says({"reason": "trivial", "number": 1, "into": 0, "content": ""})
        return Says({"text": "A digest of what was said.", "query": "what?"})

    return answer


def forget_clients() -> None:
    """With their circuits, which count in real seconds."""
    client._make.cache_clear()
    while CHATS:
        CHATS.pop().close()


def use(settings: Any, server: Server, **changes: Any) -> None:
    settings.MEMSITE = replace(
        django_settings.MEMSITE, llm=server.kind, llm_url=server.url, llm_api_key=KEY, llm_small_model="small",
        **{"llm_large_model": "large", **changes},
    )  # fmt: skip


def operations() -> list[tuple[str, str, str]]:
    return list(LedgerEntry.objects.order_by("pk").values_list("operation", "model", "outcome"))


def say(caller: Caller, *texts: str) -> dict[str, Any]:
    session = caller.start_session()
    for number, text in enumerate(texts or (TEXT,), 1):
        turn(caller, session, number, text)
    return session
