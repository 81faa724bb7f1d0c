"""The labels of a fact as they are stored, whatever a model calls them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches

from memories.providers.llm.asking.texts import one_line
from memories.providers.llm.provider import Setting
from memories.text.entities import MAX_ENTITIES, entity_key
from memories.text.temporal import find_windows

GENERAL = "general"
MAX_CATEGORY_CHARACTERS, MAX_SUBJECT_CHARACTERS, MAX_ENTITY_CHARACTERS = 64, 200, 200
MAX_LABEL_CHARACTERS = 1_000
MOST_TAGS, MAX_TAG_CHARACTERS = 10, 40
MOST_LOOKED_ALIKE, LEAST_LIKENESS = 100, 0.6
_NOT_IN_CATEGORY = re.compile(r"[^a-z0-9_]+")
_ISO_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?![\d-])")


def category_name(label: str) -> str:
    """Lower-case letters, digits, - and _, 64 at most: "Work Stuff" → "work-stuff", "Café" → "cafe"; else ""."""
    plain = unicodedata.normalize("NFKD", label[:MAX_LABEL_CHARACTERS].casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return _NOT_IN_CATEGORY.sub("-", bare).strip("-_")[:MAX_CATEGORY_CHARACTERS].rstrip("-_")


@dataclass(frozen=True, slots=True)
class Drawers:
    """The categories that are allowed, by their names (any if there are none), and the known subjects by their keys."""

    categories: Mapping[str, str]
    subjects: Mapping[str, str]

    @classmethod
    def of(cls, setting: Setting) -> Drawers:
        categories = {category_name(category): category for category in setting.categories}
        return cls(categories, {entity_key(subject): subject for subject in reversed(setting.subjects)})

    def category(self, label: str) -> str:
        """The category that is meant; "general" if none is like it."""
        name = category_name(label)
        if not self.categories:
            return name or GENERAL
        if name not in self.categories:
            near = get_close_matches(name, list(self.categories)[:MOST_LOOKED_ALIKE], n=1, cutoff=LEAST_LIKENESS)
            return self.categories[near[0]] if near else GENERAL
        return self.categories[name]

    def subject(self, label: str) -> str:
        """A known subject in its own spelling, or the label; "" for general and for what is too long for a name."""
        name = one_line(label)
        key = entity_key(name)
        if not key or len(name) > MAX_SUBJECT_CHARACTERS or name.casefold() == GENERAL:
            return ""
        return self.subjects.get(key, name)


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    named = (one_line(tag).lstrip("#").casefold() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in named if 0 < len(tag) <= MAX_TAG_CHARACTERS))[:MOST_TAGS]


def clean_entities(names: Iterable[str]) -> tuple[str, ...]:
    """Each once in its first spelling."""
    kept: dict[str, str] = {}
    for name in map(one_line, names):
        if len(kept) < MAX_ENTITIES and len(name) <= MAX_ENTITY_CHARACTERS and (key := entity_key(name)):
            kept.setdefault(key, name)
    return tuple(kept.values())


def clamp_importance(value: int) -> int:
    return min(max(value, 1), 5)


def one_of(choices: Sequence[str], word: str, otherwise: str) -> str:
    lowered = word.strip().casefold()
    return lowered if lowered in choices else otherwise


def read_days(first: str, last: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """From the start of the first day to the end of the last, in the time zone of `now`; None for what is no date.

    An end before the start is no end.
    """
    start, end = _limits(first, now)[0], _limits(last, now)[1]
    return start, None if start and end and end <= start else end


def _limits(day: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    iso = _ISO_DAY.match(day.strip())
    windows = find_windows(iso.group(), now) if iso else []
    return (windows[0].start, windows[0].end) if windows else (None, None)
