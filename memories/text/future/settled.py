"""Verbs of what is settled or said: their time is over where it is theirs, not that of what was settled.

"We agreed in May" and "we agreed with Ann on Friday to meet" tell when; "we agreed to meet on Friday" tells of what.
"""

from __future__ import annotations

from memories.text.future.found import Speech
from memories.text.future.words import BOUNDARIES, HEARSAY, SETTLED
from memories.text.temporal.words import MONTHS, SEASONS

_OF_THE_VERB = frozenset({"in", "on"})
_WHOM = frozenset({"me", "us", "him", "her", "them", "you"})
_COMPLEMENTS = frozenset({"that", "to"})
_AHEAD = frozenset({"that", "for", "about"})
_AHEAD_BEFORE_WHAT = frozenset({"to", "on"})
"""With a name behind, or a thing that is known, they tell where or of what: "signed over to Acme", "on the terms"."""


def is_of_settling(speech: Speech, at: int, first: int, end: int) -> bool:
    """Whether the time from `first` to before `end` is that of the verb before it.

    It is where what was settled comes behind the time: "agreed on Friday that". A month or a season is also where
    nothing before it tells of what is to come: "decided with Ann in May".
    """
    if speech.said(at) not in SETTLED or speech.said(first) not in _OF_THE_VERB:
        return False
    if any(_looks_ahead(speech, place) for place in range(at + 1, first)):
        return False
    if speech.said(at) in HEARSAY and first - at == 2 and speech.said(at + 1) in _WHOM:
        return True  # "he told us on Monday"
    return speech.said(end) in _COMPLEMENTS or speech.word(first + 1) in MONTHS.keys() | SEASONS.keys()


def is_settled_behind(speech: Speech, at: int, end: int) -> bool:
    """Whether the clause that a time opens goes on with somebody who settled something: "on Friday we decided"."""
    return at > end and speech.said(at) in SETTLED and speech.said(at - 1) not in BOUNDARIES


def _looks_ahead(speech: Speech, place: int) -> bool:
    word, following = speech.said(place), speech.said(place + 1)
    if word in _AHEAD_BEFORE_WHAT:
        return not speech.is_capital(place + 1) and following not in {"the", "our", "their", "this"}
    return word in _AHEAD
