"""Guard prompts against instructions in memories: leave out what looks like some, and neutralise the rest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import structlog

from memories.language.injection_guard import find_instructions, own_words
from memories.language.injection_guard.plain import read_plain
from memories.models import Memory
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import AppPolicy

log = structlog.get_logger("memories.retrieve")
TEXTS_KEPT = 2_048
VOUCHED = ("origin", "reviewed_at")
"""What tells of a memory that a person vouches for it."""


def safe_memories(memories: Iterable[Memory], policy: AppPolicy) -> list[Memory]:
    """Return the memories that an agent may read: without suspicious ones, unless a person vouches for them."""
    screened, safe = policy.screened_origins, []
    for memory in memories:
        if memory.origin != Origin.OPERATOR and memory.reviewed_at is None:
            from_outside = memory.origin in screened
            content = own_words(memory.content, memory.subject, from_outside=from_outside)
            if is_suspicious(content, from_outside) or is_suspicious(memory.subject or "", from_outside):
                log.warning("kept_from_the_agent", memory=str(memory.uid))
                continue
        safe.append(memory)
    return safe


@lru_cache(TEXTS_KEPT)
def is_suspicious(text: str, from_outside: bool = False) -> bool:
    """Tell whether a text would be quarantined. Cached: the same few are shown again and again."""
    return bool(find_instructions(text, from_outside=from_outside))


# Controls, format characters (zero-width, bidirectional), private use, surrogates, unassigned.
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
# Letters and marks that are drawn as nothing: the rest of Unicode's Default_Ignorable_Code_Point.
INVISIBLE_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
FENCE_LIKE = re.compile(r"<\s{0,4}/?\s{0,4}memory[-_ ]?context")
# What NFKC makes a "<" of, itself included.
BRACKET = re.compile("[<\ufe64\uff1c]")
SPACES = re.compile(r"\s+")


@lru_cache(TEXTS_KEPT)
def neutralise(text: str) -> str:
    """Return one line of visible text that cannot open or close the fence, begin a heading or hide anything. Cached."""
    flat = INVISIBLE_LETTERS.sub("", SPACES.sub(" ", text))
    # Most texts have none of them, and say so in a tenth of the time.
    if not flat.isprintable():
        flat = "".join(char for char in flat if unicodedata.category(char) not in INVISIBLE_CATEGORIES)
    if BRACKET.search(flat):
        # Whatever looks like our fence, in whatever letters, loses its first bracket.
        plain, chars = read_plain(flat), list(flat)
        for match in FENCE_LIKE.finditer(plain.text):
            start, _ = plain.span(match.start(), match.start() + 1)
            chars[start] = "‹"
        flat = "".join(chars)
    return SPACES.sub(" ", flat).strip()
