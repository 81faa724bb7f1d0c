"""A category's Markdown file, written from its facts alone.

The same facts give the same text, in whatever order they come; a fact more is a line more, wherever it fits.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import sqrt

from memories.language.similarity import (
    cut_words,
    denies,
    escape_markdown,
    find_alike,
    gist_of,
    moment_of,
    one_line,
    overlap,
    says_no_more,
)
from memories.providers.llm.provider import Noted, Written, outdoes

GENERAL = "general"
MARKED = {"lesson": "Lesson", "preference": "Preference", "decision": "Decision"}
DATED = frozenset({"decision", "lesson", "project", "conversation"})
"""Kinds of which one wants to know when."""
UNCERTAIN_BELOW = 0.5
MOST_COMPARED = 64
"""Pairs that are read closely, about a millisecond each."""
DEPTH = 0.9
"""Each further statement on one subject counts for this much of the one before: no subject crowds out the others."""
DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement and the worthiest of the facts that say it; `count` is how many do."""

    text: str
    subject: str
    fact: Noted
    count: int = 1

    @property
    def rank(self) -> tuple[float, float, int, str]:
        """Low is first: worth, then the latest day, then doublings of accesses."""
        return -_worth(self.fact), -_day(self.fact), -max(self.fact.access_count, 0).bit_length(), self.text


def summarise(category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
    """Return what is known in a category, by subject; "" without facts.

    `previous` is not needed: order is kept by rule.

    What does not fit is left out whole and counted in a last line. 2,000 facts take about 0.1 seconds.
    """
    groups = _group(_collapse(facts))
    name = one_line(category) or GENERAL
    title = f"# {escape_markdown(name[:1].upper() + name[1:])}"
    if sum(len(entry.text) for entries in groups.values() for entry in entries) > max_characters:
        return Written(_fit(title, groups, category, max_characters))
    text = _lay_out(title, groups, category) if groups else ""
    return Written(text if len(text) <= max_characters else _fit(title, groups, category, max_characters))


def _collapse(facts: Iterable[Noted]) -> list[Entry]:
    """One entry for the facts that say the same of a subject, in the words of the one that says most.

    Of two that say the contrary the newer or surer one is told.
    """
    entries = _collapse_equal(facts)
    gists = {entry.text: gist_of(entry.text) for entry in entries}
    entries.sort(key=lambda entry: (-gists[entry.text].size, -len(entry.text), entry.text, entry.subject))
    gone: set[int] = set()
    pairs = find_alike([gists[entry.text] for entry in entries], [entry.subject for entry in entries], MOST_COMPARED)
    for richer, poorer in pairs:
        better, other = entries[richer], entries[poorer]
        if not gone.isdisjoint((richer, poorer)):
            continue
        if says_no_more(other.text, better.text, better.subject):
            entries[richer] = _join(better, other)
            gone.add(poorer)
        elif overlap(gists[better.text], gists[other.text]) == 1.0 and denies(other.text, better.text, better.subject):
            gone.add(richer if outdoes(other.fact, better.fact) else poorer)
    return [entry for place, entry in enumerate(entries) if place not in gone]


def _collapse_equal(facts: Iterable[Noted]) -> list[Entry]:
    """Equal but for case, spacing and the full stop."""
    by_key: dict[tuple[str, str], Entry] = {}
    for fact in sorted(facts, key=_sort_key):
        text, subject = one_line(fact.content), one_line(fact.subject) or GENERAL
        key = subject.casefold(), text.casefold().rstrip(".")
        if key[1]:
            entry = Entry(text, key[0], fact)
            by_key[key] = _join(by_key[key], entry) if key in by_key else entry
    return list(by_key.values())


def _sort_key(fact: Noted) -> tuple[str | float, ...]:
    """Everything that shows, so that no order of arrival does."""
    key = (fact.content, fact.subject, fact.kind, -fact.confidence, -fact.importance)
    return *key, -moment_of(fact.said_at, fact.confirmed_at), -fact.access_count


def _join(better: Entry, other: Entry) -> Entry:
    fact = min(better, other, key=lambda entry: entry.rank).fact
    return Entry(better.text, better.subject, fact, better.count + other.count)


def _group(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """By subject in alphabetical order, general last; the worthiest first in each."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: (entry.subject == GENERAL, entry.subject, entry.rank)):
        groups[entry.subject].append(entry)
    return dict(groups)


def _lay_out(title: str, groups: dict[str, list[Entry]], category: str, last_line: str = "") -> str:
    parts = [title]
    for subject, entries in groups.items():
        heading = [_heading(subject, entries)] if groups.keys() != {GENERAL} else []
        parts.append("\n".join([*heading, *(_item(entry, category) for entry in entries)]))
    return "\n\n".join([*parts, last_line] if last_line else parts)


def _heading(subject: str, entries: Sequence[Entry]) -> str:
    name = subject if subject == GENERAL else min(one_line(entry.fact.subject) for entry in entries)
    return f"## {escape_markdown(name)}"


def _item(entry: Entry, category: str) -> str:
    """`- **Decision:** The text (2025-03-04)`; the mark is not repeated where the category says it."""
    kind = entry.fact.kind
    mark = f"**{MARKED[kind]}:** " if kind in MARKED and not category.startswith(kind) else ""
    is_uncertain = entry.fact.confidence < UNCERTAIN_BELOW
    moment = moment_of(entry.fact.said_at, entry.fact.confirmed_at)
    day = f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}" if moment else ""
    is_dated = day and day not in entry.text and (is_uncertain or entry.fact.kind in DATED)
    notes = ", ".join(["uncertain"] * is_uncertain + [day] * bool(is_dated))
    return f"- {mark}{escape_markdown(entry.text)}" + (f" ({notes})" if notes else "")


def _worth(fact: Noted) -> float:
    """Confidence × importance in steps of a half, so that slow decay does not change the order every night."""
    return round(fact.confidence * fact.importance * 2) / 2


def _day(fact: Noted) -> float:
    return moment_of(fact.said_at, fact.confirmed_at) // DAY_SECONDS


def _fit(title: str, groups: dict[str, list[Entry]], category: str, max_characters: int) -> str:
    """Return the worthiest that fit, and how many do not. With no room for even that, ""."""
    total = sum(entry.count for entries in groups.values() for entry in entries)
    capacity = max_characters - len(f"{title}\n\n{_left_out(total, total)}")
    chosen = _choose(groups, category, capacity)
    left_out = _left_out(total - sum(entry.count for entries in chosen.values() for entry in entries), total)
    texts = (_lay_out(title, chosen, category, left_out), left_out, "")
    return next(text for text in texts if len(text) <= max(max_characters, 0))


def _left_out(count: int, total: int) -> str:
    return f"*Left out for want of room: {count:,} of {total:,} facts.*"


def _choose(groups: dict[str, list[Entry]], category: str, capacity: int) -> dict[str, list[Entry]]:
    """Return as many characters as `capacity`, with each subject's heading; groups and entries keep their order."""
    places = [(subject, place) for subject, entries in groups.items() for place in range(len(entries))]
    places.sort(
        key=lambda index: (
            -_worth(groups[index[0]][index[1]].fact) * DEPTH ** index[1],
            groups[index[0]][index[1]].rank,
            index,
        )
    )
    chosen: dict[str, list[int]] = defaultdict(list)
    for subject, place in places:
        if len(groups[subject][place].text) >= capacity:
            continue
        heading = 0 if subject in chosen else 2 + len(_heading(subject, groups[subject]))
        cost = heading + 1 + len(_item(groups[subject][place], category))
        if cost <= capacity:
            capacity -= cost
            chosen[subject].append(place)
    return {
        subject: [entries[place] for place in sorted(chosen[subject])]
        for subject, entries in groups.items()
        if subject in chosen
    }


def insight(facts: Sequence[Noted], max_characters: int) -> Written:
    """`Statement (one of 5 notes on nginx, 2025-03 to 2025-06)`; a shorter note, or none, where that does not fit."""
    facts = [fact for fact in facts if one_line(fact.content)]
    if not facts:
        return Written("")
    # The statements, most central first: by the sum of their cosines with all, over shared telling words. cos(i,
    # j) = |common| / √(|i|·|j|), so that one pass over the words is enough.
    words = [sorted((gist := gist_of(fact.content)).words | gist.figures) for fact in facts]
    weights: dict[str, float] = defaultdict(float)
    for own in words:
        for word in own:
            weights[word] += 1 / sqrt(len(own))
    scores = [round(sum(weights[word] for word in own) / sqrt(len(own) or 1), 6) for own in words]
    order = sorted(range(len(facts)), key=lambda index: (-scores[index], _rank(facts[index])))
    ranked = [one_line(facts[index].content) for index in order]
    for note in _dates_of(facts):
        for text in ranked:
            whole = (
                f"{(text[:-1] if text.endswith('.') and not text.endswith('..') else text)} ({note})" if note else text
            )
            if len(whole) <= max_characters:
                return Written(whole)
    return Written(cut_words(ranked[0], max_characters))


def _rank(fact: Noted) -> tuple[float, float, str]:
    """Low is first: worth, then the latest."""
    return -fact.confidence * fact.importance, -moment_of(fact.said_at, fact.confirmed_at), fact.content


def _dates_of(facts: Sequence[Noted]) -> list[str]:
    """Return what stands in brackets, the fullest first; "" for a fact alone."""
    if len(facts) == 1:
        return [""]
    about, months = _about(facts), _months(facts)
    counted = f"one of {len(facts)} notes"
    full = f"{counted} on {about}" if about else counted
    return [f"{full}, {months}" if months else full, full, counted, ""]


def _about(facts: Sequence[Noted]) -> str:
    """Return the subject of most of them, else their category if all have one; "general" says nothing."""
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
