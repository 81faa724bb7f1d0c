"""What makes room in a full app: a model is asked beforehand, outside of any transaction.

The store follows what it said as far as that still makes sense, and finds what else has to go by rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from time import monotonic

import structlog

from memories.capture.known import RelatedMemories
from memories.models import Memory
from memories.models.memory import as_noted
from memories.providers.llm.provider import RULES, Choice, LLMDenied, LLMError, Provider
from memories.store import Candidate, Suggestion
from memories.store.transaction import BATCH
from memories.text.relate import Relation
from memsite.tenancy.models import App

log = structlog.get_logger("memories.capture")
REQUEST_SECONDS, BACKGROUND_SECONDS = 4.0, 60.0
"""How long whoever writes waits for a model, in all."""
LEAST_SECONDS = 0.5
MOST_QUESTIONS = 10
SHOWN = 50
"""The least worthy memories, of which a model chooses."""
TAKE_NO_ROOM = (Relation.SAME, Relation.SUPERSEDES)
OLDEST = "the oldest, as the model gave no usable answer"


def needing_capacity(candidates: Sequence[Candidate], outlooks: Iterable[RelatedMemories]) -> list[str]:
    """What will take room: the texts of the candidates that neither confirm a memory nor take the place of one."""
    return [
        candidate.content
        for candidate, outlook in zip(candidates, outlooks, strict=True)
        if not any(item.verdict.relation in TAKE_NO_ROOM for item in outlook.telling)
    ]


def suggest_evictions(
    app: App, provider: Provider | None, coming: Sequence[str], now: datetime, seconds: float
) -> list[Suggestion]:  # fmt: skip
    """What goes when these texts come: nothing while the app has room for them. One query then, none with the rules."""
    if provider is None or provider.name == RULES or not coming:
        return []
    count, limit = how_full(app)
    return choose(app, provider, count + len(coming) - max(count, limit), coming, now, seconds)


def suggest_reductions(app: App, provider: Provider, now: datetime) -> list[Suggestion]:
    """What goes first in an app that holds more than its limit, because that was lowered."""
    if provider.name == RULES:
        return []
    count, limit = how_full(app)
    return choose(app, provider, min(count - limit, BATCH), (), now, BACKGROUND_SECONDS)


def how_full(app: App) -> tuple[int, int]:
    """How many live memories the app has, and how many it may have."""
    count, limit = App.objects.values_list("memory_count", "policy__memory_limit").get(pk=app.pk)
    return count, limit


def choose(
    app: App, provider: Provider, surplus: int, coming: Sequence[str], now: datetime, seconds: float
) -> list[Suggestion]:  # fmt: skip
    """One question for each memory that has to go, as far as time allows. Where the model fails, the oldest go."""
    deadline = monotonic() + seconds
    suggestions: list[Suggestion] = []
    rows = list(Memory.objects.for_app(app).least_worthy()[:SHOWN]) if surplus > 0 else []
    while rows and len(suggestions) < min(surplus, MOST_QUESTIONS) and deadline - monotonic() > LEAST_SECONDS:
        try:
            choice = provider.make_room(
                [as_noted(row) for row in rows], now, app.policy.max_characters, coming, deadline - monotonic()
            )
        except LLMDenied:
            break
        except LLMError as error:
            log.warning("oldest_makes_room", app=app.app_id, model=provider.name, reason=str(error))
            return suggestions + oldest(rows, surplus - len(suggestions))
        suggestions.append(Suggestion.of(choice, rows))
        rows = [row for row in rows if row.pk not in (choice.number, choice.into)]
    return suggestions


def oldest(rows: Sequence[Memory], count: int) -> list[Suggestion]:
    """Of what was shown, what was said or confirmed longest ago."""
    first = sorted(rows, key=lambda row: (row.confirmed_at, row.pk))[:count]
    return [Suggestion.of(Choice(row.pk, OLDEST), rows) for row in first]
