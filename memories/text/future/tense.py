"""Whether a clause tells of what is over or of what is to come.

The verb nearest to the time decides; clauses are cut at marks, at question words and before a new subject. A clause
without a verb of a known form ("Dinner Friday?", "we meet Friday") tells of neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import takewhile

from memories.text.future import foreign_tense
from memories.text.future.found import Proof, Speech
from memories.text.future.settled import is_of_settling, is_settled_behind
from memories.text.future.words import (
    ARRANGED,
    BE,
    BOUNDARIES,
    FUTURE,
    FUTURE_BEFORE_TO,
    FUTURE_ENDINGS,
    HABITS,
    HAVE,
    HEARSAY,
    MODALS,
    MOVED,
    NEEDED,
    NOT_A_PAST_FORM,
    OPENERS,
    PAST,
    PLANNED,
    PRESENT,
    PRESENT_ENDINGS,
    STARTERS,
    SUBJECTS,
    SWAPPED,
)
from memories.text.temporal.words import MONTHS, SEASONS

MOST_OBJECT = 6
"""Words between what is moved and its new day: "I moved the call with Ann to Friday"."""
MOST_WORDS = 25
"""How far from a time its verb is looked for."""
_ARTICLES = frozenset({"a", "an", "the", "my", "your", "our", "their", "his", "her", "this", "that", "these", "those"})
_PAST_FRAMES = frozenset({"was", "were", "wasn't", "weren't", "had"})
_ADVERBS = frozenset({"not", "so", "really", "very", "just", "already", "all", "also", "super", "too", "it", "never"})
_PRONOUN_IS = frozenset(
    {"it's", "that's", "he's", "she's", "there's", "what's", "when's", "who's", "where's", "here's"}
)


_UNCHANGED = frozenset({"quit", "cut", "hit", "read", "split", "bet", "cast"})
"""The same in the present and the past: with somebody before them they tell of the past, if nothing says otherwise.
What is put or set on a day may be to come.
"""
_RECENTLY = _ADVERBS | {"finally", "recently", "suddenly", "only", "actually", "even"}
_NO_SUBJECTS = MODALS | FUTURE | {
    "to", "do", "does", "did", "don't", "doesn't", "didn't", "please", "let's", "let", "help", "make", "always",
    "usually", "often", "sometimes", "mostly", "me", "him", "us", "them",
}  # fmt: skip
_CONDITIONS = frozenset({"if", "when", "whenever", "once", "unless", "until", "till", "before", "after", "would"})
_DONE_TO = BE | {"was", "were", "wasn't", "weren't", "been", "got", "be"}
_IS = frozenset({"am", "is", "are", "be", "isn't", "aren't", "get", "gets", "i'm", "we're", "you're", "they're"})
_PARTICIPLES = frozenset({
    "taken", "paid", "held", "sent", "sold", "built", "kept", "shut", "spoken", "taught", "chosen", "done", "caught",
    "brought", "bought", "frozen", "lent", "spent",
})  # fmt: skip
_AWAY = frozenset({"here", "there", "house", "home", "out", "away", "into", "in"})


class Tense(Enum):
    PAST = "past"
    PRESENT = "present"
    PLAIN = "a verb of a form we do not know, mostly the present"
    HABIT = "habit"
    PLANNED = "planned"
    FUTURE = "future"


_REFUSED = {
    Proof.NOT_OVER: {Tense.PAST},
    Proof.NOT_PAST: {Tense.PAST, Tense.HABIT},
    Proof.NO_HABIT: {Tense.PAST, Tense.HABIT, Tense.PRESENT, Tense.PLAIN},
    Proof.FUTURE: {Tense.PAST},
}


def fits(speech: Speech, first: int, end: int, proof: Proof) -> bool:
    """Whether the clause around the tokens from `first` to before `end` gives the proof a time needs."""
    if proof is Proof.NONE:
        return True
    tense = tense_around(speech, first, end)
    return tense not in _REFUSED[proof] and (proof is not Proof.FUTURE or tense is Tense.FUTURE)


def tense_around(speech: Speech, first: int, end: int) -> Tense | None:
    """The tense of the verb before the time, else of the verb behind it; None if there is none of a known form."""
    if _is_arranged(speech, first) or _is_swapped(speech, first):
        return Tense.PLANNED
    if speech.said(first) in {"for", "from"} and speech.said(end) in PAST - _DONE_TO:
        return Tense.PAST  # "the invoices for October went out"
    before = _look_left(speech, first, end)
    if before:
        return before
    is_fronted = first == 0 or speech.said(first - 1) in BOUNDARIES
    if is_fronted and speech.word(end) == ",":
        end += 1
    return _look_right(speech, end)


def _is_arranged(speech: Speech, first: int) -> bool:
    """Read "was moved to Friday", "I have changed it to Friday", "is scheduled for May 3"."""
    link = first - 1 if speech.said(first - 1) == "to" else first
    if speech.said(link) == "to" and any(speech.said(at) in MOVED for at in _clause_before(speech, link)):
        return True
    return speech.said(link) in {"to", "for", "until"} and speech.said(link - 1) in ARRANGED


def _is_swapped(speech: Speech, first: int) -> bool:
    """Read "I swapped Friday with Ann", not "it was swapped Friday"."""
    return speech.said(first - 1) in SWAPPED and speech.said(first - 2) not in _DONE_TO


def _clause_before(speech: Speech, at: int) -> Iterator[int]:
    """The places of the words before it, as far as its clause and its object reach."""
    return takewhile(lambda place: not _is_boundary(speech, place), range(at - 1, max(-1, at - 1 - MOST_OBJECT), -1))


def _look_left(speech: Speech, first: int, end: int) -> Tense | None:
    """The tense of the nearest verb up to where the clause begins, at the latest with its subject."""
    for at in range(first - 1, max(-1, first - 1 - MOST_WORDS), -1):
        word = speech.said(at)
        if _is_boundary(speech, at):
            return None
        tense = Tense.PAST if _did_then(speech, at, first, end) else tense_of(speech, at)
        if tense:
            return tense
        if word in SUBJECTS:
            return tense_of(speech, at - 1) or Tense.PLAIN
        if word in OPENERS and speech.word(at - 1) in {",", "and"}:
            return Tense.PLANNED
    return None


def _look_right(speech: Speech, end: int) -> Tense | None:
    for at in range(end, min(len(speech.tokens), end + MOST_WORDS)):
        if _is_boundary(speech, at) or speech.word(at) == ",":
            return None
        tense = Tense.PAST if _did_first(speech, at, end) else tense_of(speech, at)
        if tense:
            return tense
    return None


def _did_then(speech: Speech, at: int, first: int, end: int) -> bool:
    return speech.said(at - 1) not in _DONE_TO and is_of_settling(speech, at, first, end)


def _did_first(speech: Speech, at: int, end: int) -> bool:
    return speech.said(at - 1) not in _DONE_TO and is_settled_behind(speech, at, end)


def _is_boundary(speech: Speech, at: int) -> bool:
    """A mark inside of "4.1", "9:30" or "api.v2" is none."""
    return speech.said(at) in BOUNDARIES and not (speech.is_glued(at) and speech.is_glued(at + 1))


def tense_of(speech: Speech, at: int) -> Tense | None:
    """What the word at a place tells by its form."""
    word = speech.said(at)
    if speech.language != "en":
        foreign = foreign_tense.tense_name(speech, at)
        if foreign:
            return Tense(foreign)
    if word in MODALS and speech.word(at + 1) == "have":
        return Tense.PAST
    if word in HABITS:
        return Tense.HABIT
    if _is_future(speech, at, word):
        return Tense.FUTURE
    if _is_past(speech, at, word):
        return Tense.PAST
    if word in PLANNED or word in NEEDED:
        return Tense.PLANNED
    is_present = word in PRESENT or word in _PRONOUN_IS or word.endswith(PRESENT_ENDINGS)
    if not is_present:
        return None
    return Tense.PLANNED if _is_progressive(speech, at) else Tense.PRESENT


def _is_future(speech: Speech, at: int, word: str) -> bool:
    if any(speech.said(place) in _PAST_FRAMES for place in (at - 1, at - 2)):
        return False
    if word in FUTURE_BEFORE_TO:
        # "Going to the gym" tells where, "going to be" tells when.
        return speech.word(at + 1) == "to" and speech.word(at + 2) not in _ARTICLES
    return word in FUTURE or word.endswith(FUTURE_ENDINGS)


def _is_past(speech: Speech, at: int, word: str) -> bool:
    if word in ARRANGED or word in HEARSAY:
        return _is_done(speech, at)
    if word in PAST:
        # Neither "we've got a meeting" nor "the room is taken until Friday".
        is_had = word == "got" and speech.said(at - 1) in HAVE
        is_done_to = word in _PARTICIPLES and speech.said(at - 1) in _IS
        return not (is_had or is_done_to)
    if word in _UNCHANGED:
        return _is_said_of_somebody(speech, at)
    is_form = len(word) > 3 and word.endswith("ed") and word.isalpha() and word not in NOT_A_PAST_FORM
    return is_form and not _is_participle(speech, at)


def _is_said_of_somebody(speech: Speech, at: int) -> bool:
    """Whether somebody stands before the verb, and no condition before them: "I quit", "User finally quit"."""
    place = at - 1
    while place >= 0 and speech.said(place) in _RECENTLY - {"not", "never"}:
        place -= 1
    before = speech.said(place) if place >= 0 else ""
    is_somebody = before.isalpha() and before not in _NO_SUBJECTS and not _is_boundary(speech, place)
    return is_somebody and speech.said(place - 1) not in _CONDITIONS | MODALS | FUTURE


def _is_done(speech: Speech, at: int) -> bool:
    """Whether somebody did it then, and it is not to happen then: "we decided in May", "I moved to Graz in May"."""
    if speech.said(at - 1) in _DONE_TO:
        return False
    following, behind = speech.said(at + 1), speech.word(at + 2)
    if following == "in" and (behind in MONTHS or behind in SEASONS):
        return True
    return speech.said(at) == "moved" and (following in _AWAY or _is_taken_to_a_place(speech, at))


def _is_taken_to_a_place(speech: Speech, at: int) -> bool:
    """Read "moved to Graz", "moved the database to Hetzner": behind "to" is no time."""
    places = takewhile(lambda place: not _is_boundary(speech, place), range(at + 1, at + 1 + MOST_OBJECT))
    to = next((place for place in places if speech.said(place) == "to"), None)
    return to is not None and speech.word(to + 1).isalpha() and speech.word(to + 1) not in STARTERS


def _is_participle(speech: Speech, at: int) -> bool:
    """Whether "be" or "get" stands before a form in -ed, or an article makes an adjective of it."""
    place = at - 1
    while place > at - 4 and speech.word(place) in _ADVERBS and speech.said(place) not in BE:
        place -= 1
    before = speech.said(place)
    if before in HAVE:
        return False
    return before in BE or before in _ARTICLES or before == "to" or before.endswith(PRESENT_ENDINGS)


def _is_progressive(speech: Speech, at: int) -> bool:
    """Read "am meeting", "are we going": an arrangement."""
    if speech.said(at) not in BE and not speech.said(at).endswith(PRESENT_ENDINGS):
        return False
    following = (speech.word(at + offset) for offset in (1, 2, 3))
    return any(len(word) > 4 and word.endswith("ing") and word not in {"thing", "being"} for word in following)
