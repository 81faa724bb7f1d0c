"""One statement for a group of archived facts: the most central of them, and of how many and when it is one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from math import sqrt

from memories.providers.llm.provider import Noted, Written
from memories.providers.llm.rules.likeness import gist_of
from memories.providers.llm.rules.plain import cut_words, moment_of, one_line


def insight(facts: Sequence[Noted], max_characters: int) -> Written:
    """`Statement (one of 5 notes on nginx, 2025-03 to 2025-06)`; a shorter note, or none, where that does not fit."""
    facts = [fact for fact in facts if one_line(fact.content)]
    if not facts:
        return Written("")
    ranked = rank_central(facts)
    for note in _notes(facts):
        for text in ranked:
            whole = f"{_without_full_stop(text)} ({note})" if note else text
            if len(whole) <= max_characters:
                return Written(whole)
    return Written(cut_words(ranked[0], max_characters))


def rank_central(facts: Sequence[Noted]) -> list[str]:
    """The statements, most central first: by the sum of their cosines with all, over shared telling words.

    cos(i, j) = |common| / √(|i|·|j|), so that one pass over the words is enough.
    """
    words = [sorted((gist := gist_of(fact.content)).words | gist.figures) for fact in facts]
    weights: dict[str, float] = defaultdict(float)
    for own in words:
        for word in own:
            weights[word] += 1 / sqrt(len(own))
    scores = [round(sum(weights[word] for word in own) / sqrt(len(own) or 1), 6) for own in words]
    order = sorted(range(len(facts)), key=lambda at: (-scores[at], _rank(facts[at])))
    return [one_line(facts[at].content) for at in order]


def _rank(fact: Noted) -> tuple[float, float, str]:
    """Low is first: worth, then the latest."""
    return -fact.confidence * fact.importance, -moment_of(fact.said_at, fact.confirmed_at), fact.content


def _notes(facts: Sequence[Noted]) -> list[str]:
    """What stands in brackets, the fullest first; "" for a fact alone."""
    if len(facts) == 1:
        return [""]
    about, months = _about(facts), _months(facts)
    counted = f"one of {len(facts)} notes"
    full = f"{counted} on {about}" if about else counted
    return [f"{full}, {months}" if months else full, full, counted, ""]


def _about(facts: Sequence[Noted]) -> str:
    """The subject of most of them, else their category if all have one; "general" says nothing."""
    subject, count = Counter(one_line(fact.subject) for fact in facts).most_common(1)[0]
    if subject and count * 2 > len(facts):
        return subject
    categories = {fact.category for fact in facts}
    return categories.pop() if len(categories) == 1 and categories != {"general"} else ""


def _months(facts: Sequence[Noted]) -> str:
    moments = [moment for fact in facts if (moment := moment_of(fact.said_at or fact.confirmed_at))]
    if not moments:
        return ""
    first, last = (f"{datetime.fromtimestamp(moment, UTC):%Y-%m}" for moment in (min(moments), max(moments)))
    return first if first == last else f"{first} to {last}"


def _without_full_stop(text: str) -> str:
    return text[:-1] if text.endswith(".") and not text.endswith("..") else text
