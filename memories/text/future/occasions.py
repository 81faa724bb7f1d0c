"""Whether a clause in the plain present tells when something is that is told of beforehand.

"The launch is in Q1" and "we ship in Q1" look ahead; "sales are up in Q1" and "we lose customers in Q1" tell of any
such quarter, or of the last one.
"""

from __future__ import annotations

from memories.text.future.found import Speech
from memories.text.future.words import BOUNDARIES, LEADS, OCCASIONS, SUBJECTS, TIMETABLED
from memories.text.temporal.words import DETERMINERS

_OF_THE_TIME = LEADS | frozenset({"the", "of", "early", "late", "mid", "-", "beginning", "start", "middle", "end"})
_IS = frozenset({"is", "are", "isn't", "aren't"})
_BETWEEN = frozenset({"now", "still", "not", "only", "probably", "also", "just", "already", "then", "back", "again"})
_BEHIND_A_NOUN = frozenset({"of", "for", "with", "to", "at", "date", "day"})
_MOST_WORDS = 8


def is_told_beforehand(speech: Speech, at: int) -> bool:
    """Whether the time at a place is that of an occasion, or of what goes by a timetable."""
    last = at - 1
    while speech.word(last) in _OF_THE_TIME | _BETWEEN:
        last -= 1
    if speech.said(last) in _IS:
        return _is_of_occasion(speech, last)
    return any(_is_verb(speech, place) for place in _clause(speech, last))


def _clause(speech: Speech, last: int) -> list[int]:
    """The places of its last words, the nearest first."""
    places = []
    for place in range(last, max(-1, last - _MOST_WORDS), -1):
        if speech.said(place) in BOUNDARIES | {","}:
            break
        places.append(place)
    return places


def _is_of_occasion(speech: Speech, verb: int) -> bool:
    """ "The launch is", "the launch date is", "the launch of the app is"; not "errors at launch are"."""
    return any(
        speech.word(place) in OCCASIONS
        and (place == verb - 1 or speech.word(place + 1) in _BEHIND_A_NOUN)
        and speech.word(place - 1) not in LEADS | {"of"}
        for place in _clause(speech, verb - 1)
    )


def _is_verb(speech: Speech, place: int) -> bool:
    """ "The course starts", "we launch", "the shops open"; not "our launch", "year end" nor "starts to drop"."""
    word, before = speech.said(place), speech.said(place - 1)
    if word not in TIMETABLED or speech.word(place + 1) == "to" or before in DETERMINERS | LEADS:
        return False
    return word.endswith("s") or before in SUBJECTS or before.endswith("s")
