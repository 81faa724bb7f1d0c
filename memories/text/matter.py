"""What a plan is about, without its time: the same for "Dentist next Friday" and "my dentist appointment on Friday"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memories.text.relate.grammar import AUXILIARIES, PREPOSITIONS, STOP_WORDS
from memories.text.wordlist import words

WORD = re.compile(r"\d+|[^\W_]{2,}")
STEM = 6
"""Letters that the forms of a word have in common."""
SAYS_NOTHING = words("""
    appointment appointments date reminder remind remember forget don session visit have has got going
    go goes need needs user my our the there scheduled booked planned please also again
    """)
"""Words that many plans have and that tell none of them from another."""
LEFT_OUT = STOP_WORDS | AUXILIARIES | PREPOSITIONS | SAYS_NOTHING


def matter_of(text: str, times: Iterable[str] = ()) -> frozenset[str]:
    """Return the beginnings of the words that say what it is about; none where nothing but `times` is told."""
    for time in times:
        text = text.replace(time, " ")
    return frozenset(word[:STEM] for word in WORD.findall(text.casefold()) if word not in LEFT_OUT)
