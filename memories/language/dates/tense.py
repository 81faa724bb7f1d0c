"""Whether a clause tells of what is over or of what is to come.

The verb nearest to the time decides; clauses are cut at marks, at question words and before a new subject. A clause
without a verb of a known form ("Dinner Friday?", "we meet Friday") tells of neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import takewhile

from memories.language.dates.speech import LANGUAGES, Proof, Speech
from memories.language.dates.words import (
    ARRANGED,
    BE,
    BOUNDARIES,
    DETERMINERS,
    FUTURE,
    FUTURE_BEFORE_TO,
    FUTURE_ENDINGS,
    HABITS,
    HAVE,
    HEARSAY,
    LEADS,
    MODALS,
    MONTHS,
    MOVED,
    NEEDED,
    NOT_A_PAST_FORM,
    OCCASIONS,
    OPENERS,
    PAST,
    PLANNED,
    PRESENT,
    PRESENT_ENDINGS,
    SEASONS,
    SETTLED,
    STARTERS,
    SUBJECTS,
    SWAPPED,
    TIMETABLED,
)
from memories.language.wordlists import words

_PAST = {language: words(entries["past"]) for language, entries in LANGUAGES.items()}
_FUTURE = {language: words(entries["future"]) for language, entries in LANGUAGES.items()}
_PARTICIPLE = re.compile(r"ge\w{3,}(?:t|en)")
_NO_PARTICIPLES = words(
    "gegen geben gehen gehört gesamt gestalten genießen gemeinsamen gewinnen gefallen gehören gelten genannten gesicht"
)
_PRETERITE = re.compile(r"\w{2,}(?:ó|aron|ieron|(?<!r)é|ré)")
_FUTURE_OF_ES = re.compile(r"\w+(?:ar|er|ir)(?:é|á|emos|án)")
_NO_PRETERITES = words("café bebé porqué qué esté olé")
_AUXILIARIES = words("ai as a avons avez ont suis est sommes êtes sont")
_PARTICIPLE_OF_FR = re.compile(r"\w+(?:é|ée|és|ées)|vu|vus|eu|pris|mis|fait|dit|venu|venue|venus|parti|partis|lu|reçu")

_PARTICIPLE_OF_IT = re.compile(r"\w{2,}(?:ato|ata|ati|ate|ito|ita|iti|uto|uta|uti)|fatto|visto|preso|detto|messo")
_AUXILIARIES_OF_IT = words("ho hai ha abbiamo hanno sono è siamo")
_PRETERITE_OF_PT = re.compile(r"\w{2,}(?:ei|ou|aram|eram|iram)(?<!estou)(?<!vou)(?<!sou)")


def _foreign_tense(speech: Speech, index: int) -> Tense | None:
    word, language = speech.surface(index), speech.language
    before = [speech.surface(index - 1), speech.surface(index - 2)]
    if language == "de":
        is_past = bool(_PARTICIPLE.fullmatch(word)) and word not in _NO_PARTICIPLES
    elif language == "es":
        is_form = bool(_PRETERITE.fullmatch(word)) and not _FUTURE_OF_ES.fullmatch(word)
        is_past = is_form and word not in _NO_PRETERITES
    elif language == "it":
        is_past = bool(_PARTICIPLE_OF_IT.fullmatch(word)) and not _AUXILIARIES_OF_IT.isdisjoint(before)
    elif language == "pt":
        is_past = bool(_PRETERITE_OF_PT.fullmatch(word))
    else:
        helpers = {word.split("'")[-1] for word in before}
        is_past = bool(_PARTICIPLE_OF_FR.fullmatch(word)) and not _AUXILIARIES.isdisjoint(helpers)
    if is_past or word in _PAST[language]:
        return Tense.PAST
    is_future = word in _FUTURE[language] or (language == "es" and _FUTURE_OF_ES.fullmatch(word))
    return Tense.FUTURE if is_future else None


_OF_THE_VERB = frozenset({"in", "on"})
_WHOM = frozenset({"me", "us", "him", "her", "them", "you"})
_COMPLEMENTS = frozenset({"that", "to"})
_AHEAD = frozenset({"that", "for", "about"})
_AHEAD_BEFORE_WHAT = frozenset({"to", "on"})
"""With a name behind, or a thing that is known, they tell where or of what: "signed over to Acme", "on the terms"."""


def _is_of_settling(speech: Speech, index: int, first: int, end: int) -> bool:
    """Tell whether the time from `first` to before `end` is that of the verb before it.

    It is where what was settled comes behind the time: "agreed on Friday that". A month or a season is also where
    nothing before it tells of what is to come: "decided with Ann in May".
    """
    if (
        speech.surface(index) not in SETTLED
        or speech.surface(first) not in _OF_THE_VERB
        or speech.surface(index - 1) in _DONE_TO
    ):
        return False
    for place in range(index + 1, first):
        word, following = speech.surface(place), speech.surface(place + 1)
        is_of_what = not speech.is_capital(place + 1) and following not in {"the", "our", "their", "this"}
        if word in _AHEAD or (word in _AHEAD_BEFORE_WHAT and is_of_what):
            return False
    if speech.surface(index) in HEARSAY and first - index == 2 and speech.surface(index + 1) in _WHOM:
        return True  # "he told us on Monday"
    return speech.surface(end) in _COMPLEMENTS or speech.word(first + 1) in MONTHS.keys() | SEASONS.keys()


MOST_OBJECT = 6
"""Words between what is moved and its new day: "I moved the call with Ann to Friday"."""
MOST_WORDS = 25
"""How far from a time its verb is looked for."""
_ARTICLES = frozenset({"a", "an", "the", "my", "your", "our", "their", "his", "her", "this", "that", "these", "those"})
_PAST_FRAMES = frozenset({"was", "were", "wasn't", "weren't", "had"})
_ADVERBS = frozenset({"not", "so", "really", "very", "just", "already", "all", "also", "super", "too", "it", "never"})
_INTENDED = words("supposed meant due going expected scheduled planned about")
_PRONOUN_IS = words("it's that's he's she's there's what's when's who's where's here's")


_UNCHANGED = frozenset({"quit", "cut", "hit", "read", "split", "bet", "cast"})
"""The same in the present and the past: with somebody before them they tell of the past, if nothing says otherwise.
What is put or set on a day may be to come.
"""
_PUT, _BY_WHOM = frozenset({"put", "set", "let", "shut"}), SUBJECTS | {"you"}
_RECENTLY = _ADVERBS | {"finally", "recently", "suddenly", "only", "actually", "even"}
_NO_SUBJECTS = (
    MODALS
    | FUTURE
    | words("""
    to do does did don't doesn't didn't please let's let help make always usually often sometimes mostly me him us them
    """)
)
_CONDITIONS = frozenset({"if", "when", "whenever", "once", "unless", "until", "till", "before", "after", "would"})
_DONE_TO = BE | {"was", "were", "wasn't", "weren't", "been", "got", "be"}
_IS = frozenset({"am", "is", "are", "be", "isn't", "aren't", "get", "gets", "i'm", "we're", "you're", "they're"})
_PARTICIPLES = words("""
    taken paid held sent sold built kept shut spoken taught chosen done caught brought bought frozen lent spent
    """)
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
    """Tell whether the clause around the tokens from `first` to before `end` gives the proof a time needs."""
    if proof is Proof.NONE:
        return True
    tense = tense_around(speech, first, end)
    return tense not in _REFUSED[proof] and (proof is not Proof.FUTURE or tense is Tense.FUTURE)


def tense_around(speech: Speech, first: int, end: int) -> Tense | None:
    """Return the tense of the verb before the time, else of the verb behind it; None if no form of it is known."""
    if _is_arranged(speech, first) or (
        speech.surface(first - 1) in SWAPPED and speech.surface(first - 2) not in _DONE_TO
    ):
        return Tense.PLANNED
    if speech.surface(first) in {"for", "from"} and speech.surface(end) in PAST - _DONE_TO:
        return Tense.PAST  # "the invoices for October went out"
    before = _look_left(speech, first, end)
    if before:
        return before
    is_fronted = first == 0 or speech.surface(first - 1) in BOUNDARIES
    if is_fronted and speech.word(end) == ",":
        end += 1
    for index in range(end, min(len(speech.tokens), end + MOST_WORDS)):
        if _is_boundary(speech, index) or speech.word(index) == ",":
            return None
        is_settled = (
            index > end and speech.surface(index) in SETTLED and speech.surface(index - 1) not in BOUNDARIES | _DONE_TO
        )
        tense = Tense.PAST if is_settled else _tense_of(speech, index)
        if tense:
            return tense
    return None


def _is_arranged(speech: Speech, first: int) -> bool:
    """Read "was moved to Friday", "I have changed it to Friday", "is scheduled for May 3"."""
    link = first - 1 if speech.surface(first - 1) == "to" else first
    before = range(link - 1, max(-1, link - 1 - MOST_OBJECT), -1)
    clause = takewhile(lambda place: not _is_boundary(speech, place), before)
    if speech.surface(link) == "to" and any(speech.surface(index) in MOVED for index in clause):
        return True
    return speech.surface(link) in {"to", "for", "until"} and speech.surface(link - 1) in ARRANGED


def _look_left(speech: Speech, first: int, end: int) -> Tense | None:
    """Return the tense of the nearest verb up to where the clause begins, at the latest with its subject."""
    for index in range(first - 1, max(-1, first - 1 - MOST_WORDS), -1):
        word = speech.surface(index)
        if _is_boundary(speech, index):
            return None
        tense = Tense.PAST if _is_of_settling(speech, index, first, end) else _tense_of(speech, index)
        if tense:
            return tense
        if word in SUBJECTS:
            return _tense_of(speech, index - 1) or Tense.PLAIN
        if word in OPENERS and speech.word(index - 1) in {",", "and"}:
            return Tense.PLANNED
    return None


def _is_boundary(speech: Speech, index: int) -> bool:
    """Tell whether a clause ends here: not at a mark inside of "4.1", "9:30" or "api.v2"."""
    return speech.surface(index) in BOUNDARIES and not (speech.is_glued(index) and speech.is_glued(index + 1))


def _tense_of(speech: Speech, index: int) -> Tense | None:
    """Return what the word at a place tells by its form."""
    word = speech.surface(index)
    foreign = _foreign_tense(speech, index) if speech.language != "en" else None
    if foreign:
        return foreign
    if word in MODALS and speech.word(index + 1) == "have":
        return Tense.PAST
    if word in HABITS:
        return Tense.HABIT
    if word in _INTENDED and {speech.surface(index - 1), speech.surface(index - 2)} & _PAST_FRAMES:
        return Tense.PAST
    if speech.surface(index - 1) == "to" and speech.surface(index - 2) in _INTENDED:
        return _tense_of(speech, index - 2)  # "was supposed to come"
    if _is_future(speech, index, word):
        return Tense.FUTURE
    if _is_past(speech, index, word):
        return Tense.PAST
    if word in PLANNED or word in NEEDED:
        return Tense.PLANNED
    is_present = word in PRESENT or word in _PRONOUN_IS or word.endswith(PRESENT_ENDINGS)
    if not is_present:
        return None
    return Tense.PLANNED if _is_progressive(speech, index) else Tense.PRESENT


def _is_future(speech: Speech, index: int, word: str) -> bool:
    if any(speech.surface(place) in _PAST_FRAMES for place in (index - 1, index - 2)):
        return False
    if word in FUTURE_BEFORE_TO:
        # "Going to the gym" tells where, "going to be" tells when.
        return speech.word(index + 1) == "to" and speech.word(index + 2) not in _ARTICLES
    return word in FUTURE or word.endswith(FUTURE_ENDINGS)


def _is_past(speech: Speech, index: int, word: str) -> bool:
    if word in ARRANGED or word in HEARSAY:
        # Somebody did it then, and it is not to happen then: "we decided in May", "I moved to Graz in May".
        if speech.surface(index - 1) in _DONE_TO:
            return False
        following, behind = speech.surface(index + 1), speech.word(index + 2)
        if following == "in" and (behind in MONTHS or behind in SEASONS):
            return True
        return speech.surface(index) == "moved" and (following in _AWAY or _is_taken_to_a_place(speech, index))
    if word in PAST:
        # Neither "we've got a meeting" nor "the room is taken until Friday".
        is_had = word == "got" and speech.surface(index - 1) in HAVE
        is_done_to = word in _PARTICIPLES and speech.surface(index - 1) in _IS
        return not (is_had or is_done_to)
    if word in _PUT and speech.surface(index - 1) in _BY_WHOM and speech.surface(index - 3) in DETERMINERS:
        return True  # "the crown you put in"
    if word in _UNCHANGED:
        # Somebody stands before the verb, and no condition before them: "I quit", "User finally quit".
        place = index - 1
        while place >= 0 and speech.surface(place) in _RECENTLY - {"not", "never"}:
            place -= 1
        before = speech.surface(place) if place >= 0 else ""
        is_somebody = before.isalpha() and before not in _NO_SUBJECTS and not _is_boundary(speech, place)
        return is_somebody and speech.surface(place - 1) not in _CONDITIONS | MODALS | FUTURE
    is_form = len(word) > 3 and word.endswith("ed") and word.isalpha() and word not in NOT_A_PAST_FORM
    return is_form and not _is_participle(speech, index)


def _is_taken_to_a_place(speech: Speech, index: int) -> bool:
    """Read "moved to Graz", "moved the database to Hetzner": behind "to" is no time."""
    places = takewhile(lambda place: not _is_boundary(speech, place), range(index + 1, index + 1 + MOST_OBJECT))
    to = next((place for place in places if speech.surface(place) == "to"), None)
    return to is not None and speech.word(to + 1).isalpha() and speech.word(to + 1) not in STARTERS


def _is_participle(speech: Speech, index: int) -> bool:
    """Tell whether "be" or "get" stands before a form in -ed, or an article makes an adjective of it."""
    place = index - 1
    while place > index - 4 and speech.word(place) in _ADVERBS and speech.surface(place) not in BE:
        place -= 1
    before = speech.surface(place)
    if before in HAVE:
        return False
    return before in BE or before in _ARTICLES or before == "to" or before.endswith(PRESENT_ENDINGS)


def _is_progressive(speech: Speech, index: int) -> bool:
    """Read "am meeting", "are we going": an arrangement."""
    if speech.surface(index) not in BE and not speech.surface(index).endswith(PRESENT_ENDINGS):
        return False
    following = (speech.word(index + offset) for offset in (1, 2, 3))
    return any(len(word) > 4 and word.endswith("ing") and word not in {"thing", "being"} for word in following)


_OF_THE_TIME = LEADS | frozenset({"the", "of", "early", "late", "mid", "-", "beginning", "start", "middle", "end"})
_IS_ON = frozenset({"is", "are", "isn't", "aren't"})
_BETWEEN = frozenset({"now", "still", "not", "only", "probably", "also", "just", "already", "then", "back", "again"})
_BEHIND_A_NOUN = frozenset({"of", "for", "with", "to", "at", "date", "day"})
_MOST_WORDS = 8


def is_told_beforehand(speech: Speech, index: int) -> bool:
    """Tell whether the time at a place is that of an occasion, or of what goes by a timetable."""
    last = index - 1
    while speech.word(last) in _OF_THE_TIME | _BETWEEN:
        last -= 1
    if speech.surface(last) in _IS_ON:
        # "The launch is", "the launch date is", "the launch of the app is"; not "errors at launch are".
        return any(
            speech.word(place) in OCCASIONS
            and (place == last - 1 or speech.word(place + 1) in _BEHIND_A_NOUN)
            and speech.word(place - 1) not in LEADS | {"of"}
            for place in _clause(speech, last - 1)
        )
    return any(_is_verb(speech, place) for place in _clause(speech, last))


def _clause(speech: Speech, last: int) -> Iterator[int]:
    """Yield the places of its last words, the nearest first."""
    places = range(last, max(-1, last - _MOST_WORDS), -1)
    return takewhile(lambda place: speech.surface(place) not in BOUNDARIES | {","}, places)


def _is_verb(speech: Speech, place: int) -> bool:
    """Tell whether a token is a verb: "The course starts", "we launch"; not "our launch", nor "starts to drop"."""
    word, before = speech.surface(place), speech.surface(place - 1)
    if word not in TIMETABLED or speech.word(place + 1) == "to" or before in DETERMINERS | LEADS:
        return False
    return word.endswith("s") or before in SUBJECTS or before.endswith("s")
