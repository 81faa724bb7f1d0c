"""What a user's message says is called off. Reads; stores nothing.

Only what is said of one thing without any doubt counts: what is brought up needlessly costs a line, and what is not
brought up may cost a flight.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from memories.language.dates.future import find_coming
from memories.language.dates.windows import find_windows
from memories.language.extract.prose import read_sentences
from memories.language.messages import sentence_around, strip_fenced
from memories.language.relate.termination import NEUTRAL
from memories.language.secrets import strip_private
from memories.language.similarity import used_share
from memories.learn.future_events import READ_CHARACTERS
from memories.learn.non_commitments import first_break, is_asked, last_break
from memories.providers.judgement_model import is_there
from memories.providers.relation import judgements
from memories.retrieve.question import STOP_WORDS

MOST_OF_A_MESSAGE = 10
READ_AROUND = 300
_OFF = re.compile(
    r"(?:\b(?:is|are|was|were|been|got)|['’]s) (?:(?:now|just|already|also|sadly|unfortunately) )?"
    r"(?:cancell?ed|called off)\b"
    r"|(?:\b(?:is|are)|['’]s) (?:(?:now|sadly|unfortunately) )?off(?= ?[.,;:!)\n]| ?\Z| (?:because|due|since|so|as)\b)"
    r"|\bfell through\b"
    r"|\b(?:(?:I['’]m|I am|we['’]re|we are) (?:not|no longer)|we aren['’]t|(?:I|we) (?:won['’]t|will not) be) "
    r"(?P<going>going|travell?ing) to (?=(?-i:[A-Z]))"
    r"|(?:\b(?:is|are) not|\b(?:is|are)n['’]t) (?:happening|taking place)\b(?: (?:any ?more|after all))?"
    r"|\b(?:(?:I|we)|(?P<other>they|he|she))"
    r"(?:(?: have|['’]ve)? (?:just )?(?:cancell?ed|called off)| had to (?:cancel|call off))\b",
    re.IGNORECASE,
)
_MAY_BE_OFF = re.compile(
    r"called off|off\b|cancel|fell through|happening|taking place|going to|travell?ing to", re.IGNORECASE
)
"""Most messages are read for these alone, which is quick."""
_REASON = re.compile(
    r"\b(?:due to|owing to|on account of|thanks to|since|in view of|for lack of|"
    r"as (?=(?:the|my|our|his|her|their|I|we|he|she|it|they|there|nobody|no|everyone|nothing)\b|(?-i:[A-Z])))",
    re.IGNORECASE,
)
"""What is told behind it is why, and no more of what is called off."""
_NOT_OUR_OWN = re.compile(r"\b(?:he|she|they)(?:['’]|\b)", re.IGNORECASE)
_NEUTRAL = "|".join(sorted(NEUTRAL))
_LEAD = rf"(?:the|a|an|our|my|this|that) (?:(?:{_NEUTRAL}) )?"
_KIND = r"(?:trip|visit|holidays?|vacation|journey|tour|getaway)"
_TRIP = rf"{_LEAD}{_KIND} to "
_PLANNED = r"(?:planning|planned|plan|booked|booking|have|taking|making|going on)"
_GO = r"(?:going|go|travell?ing|travel|flying|fly|driving|drive|heading|head|off)"
_TRIP_OFF = re.compile(rf"\b(?i:{_TRIP})(?=[A-Z])")
_TRIP_BEFORE = re.compile(
    rf"\b(?P<lead>(?i:(?:{_PLANNED} )?{_LEAD}))(?P<place>[A-Z][\w-]{{1,30}}(?: [A-Z][\w-]{{1,30}}){{0,2}}) "
    rf"(?P<kind>(?i:(?:(?:{_NEUTRAL}) )?{_KIND}))\b"
)
"""The place before it: "our Rome holiday"."""
_GOING = re.compile(rf"\b(?i:(?:{_PLANNED} )?{_TRIP}|(?:(?:planning|about|due) to )?{_GO} to )(?=[A-Z])")
"""Whoever has called off the trip to Rome is not going there."""
_AT_LAST = re.compile(r" (?:after all|any ?more|any longer)\b", re.IGNORECASE)
_DOUBTFUL = re.compile(
    r"\b(?:not|never|no|hardly|(?-i:may)|might|could|would|should|will|if|unless|whether|when|until|almost|nearly|maybe|"
    r"perhaps|probably|once|yet|only|again|first|other|another|any|some|every|each|all)\b|n['’]t\b",
    re.IGNORECASE,
)
_REMINDER = re.compile(
    r"\b(?:please )?(?:remind me|(?:do not|don['’]t) forget|remember|note)(?: (?:of|about|that|to))?\b", re.IGNORECASE
)
_OWNERS = re.compile(r"\b(?:his|her|their|your|its)\b", re.IGNORECASE)


Stretch = tuple[date, date]
REPLACED_FROM = 0.5
"""A probability from which what was to come is taken to be over."""
CALLED_OFF_FROM = 0.3
"""And one where the sentence calls off what it names by words of that alone."""
PLAINLY_OFF = re.compile(
    r"\W*([^.,;:!?]{3,80}?)(?: (?:is|are|was|were|got|has been|have been)|['’]s) (?:now |just |already |sadly )?"
    r"(?:cancell?ed|called off|off)(?: (?:because|due|since|so|as)\b.*)?\W*",
    re.IGNORECASE | re.DOTALL,
)
"""Group 1 is what."""
MOST_SENTENCES = 20
MOST_PAIRS = 16
STEM = 5
WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w{3,}")
FEW = 4
CHANGE = re.compile(
    r"n['’]t\b|\b(?:not|no|never|cancel\w*|off|instead|quit|over|moved|postponed|broke|sold)\b", re.IGNORECASE
)
"""Of so few things to come, a sentence with one of these words may take back any: "the wedding isn't happening"."""
DAYS = {
    "MO": r"mon(?:day)?s?",
    "TU": r"tue(?:s|sday)?s?",
    "WE": r"wed(?:nesday)?s?",
    "TH": r"thu(?:rs|rsday)?s?",
    "FR": r"fri(?:day)?s?",
    "SA": r"sat(?:urday)?s?",
    "SU": r"sun(?:day)?s?",
}
ONLY = re.compile(r"\b(?:only|just|once a week)\b", re.IGNORECASE)
"""The days that are named with it are those that stay."""
BY_DAY = re.compile(r"(BYDAY=)([A-Z]{2}(?:,[A-Z]{2})+)")


@dataclass(frozen=True, slots=True)
class CalledOff:
    """`days` are the stretches that were named with it, None if none was."""

    matter: str
    days: tuple[Stretch, ...] | None
    said_on: date
    is_own: bool = True
    """Whether no other than the user is told to have called it off."""

    def is_said_of(self, message: str, time: str, on: date, until: date | None = None) -> bool:
        """Return whether a message about what is to come tells of the same, in whatever forms of its words."""
        end = until or on
        # "In July" is the whole of it or what is left, and every day in it.
        if self.days is not None and not any(
            first <= max(on, self.said_on) and first <= end <= last for first, last in self.days
        ):
            return False
        matter = _REMINDER.sub(" ", message.replace(time, " "))
        return _is_same(matter, self.matter) or self._is_of_trip(matter)

    def _is_of_trip(self, matter: str) -> bool:
        # "Our Rome holiday" is "our holiday to Rome".
        off, going = (_TRIP_BEFORE.sub(r"\g<lead>\g<kind> to \g<place>", text) for text in (self.matter, matter))
        if not self.is_own or _NOT_OUR_OWN.search(matter) or not _TRIP_OFF.search(off):
            return False
        return bool(_GOING.search(going)) and _is_same(_GOING.sub(" ", going), _TRIP_OFF.sub(" ", off))


def read_called_off(statement: str, said_at: datetime) -> list[CalledOff]:
    """Return what is called off, in order. Linear; of a long text the beginning is read."""
    if not _MAY_BE_OFF.search(statement):
        return []
    text = unicodedata.normalize("NFC", strip_private(strip_fenced(statement)))[:READ_CHARACTERS]
    places = list(_OFF.finditer(text))
    read = [_read(text, place, said_at) for place in places] if len(places) <= MOST_OF_A_MESSAGE else []
    return [item for item in read if item]


def _read(text: str, place: re.Match[str], said_at: datetime) -> CalledOff | None:
    """Return None where it is doubtful what is called off, or whether, or on which day."""
    start, end = place.span()
    before, behind = text[max(0, start - READ_AROUND) : start], text[end : end + READ_AROUND]
    before, behind = before[last_break(before) :], behind[: first_break(behind)]
    if reason := _REASON.search(behind):
        behind = behind[: reason.start()]
    matter = f"{before} | {behind}"
    if place["going"]:
        # Who is not going to Rome after all has called off the trip to Rome.
        matter = f"{before} the trip to {_AT_LAST.sub('', behind, count=1)}"
    sentence = sentence_around(text, start, end, 2 * READ_AROUND)
    if _DOUBTFUL.search(matter) or is_asked(sentence) or sentence.endswith("?"):
        return None
    comings, times = find_coming(matter, said_at), find_windows(matter, said_at)
    if any(coming.rule for coming in comings) or (times and not comings):
        return None
    for coming in reversed(comings):
        matter = f"{matter[: coming.start]} {matter[coming.end :]}"
    days = tuple((coming.on, coming.until or coming.on) for coming in comings)
    return CalledOff(matter, days or None, said_at.date(), not place["other"])


def _is_same(first: str, other: str) -> bool:
    owners, others = ({word.lower() for word in _OWNERS.findall(text)} for text in (first, other))
    return used_share(first, other) == used_share(other, first) == 1.0 and owners == others


def find_replaced(messages: Mapping[int, str], text: str) -> dict[int, str]:
    """Return the sentence that takes it back, by the key of what was told to come."""
    if not messages or not is_there():
        return {}
    sentences = [sentence.text for sentence in read_sentences(text) if not sentence.is_question][:MOST_SENTENCES]
    stems = {sentence: stems_of(sentence) for sentence in sentences}
    known = {key: stems_of(message) for key, message in messages.items()}
    pairs = [
        (key, sentence)
        for sentence in sentences
        for key in messages
        if stems[sentence] & known[key] or (len(messages) <= FEW and CHANGE.search(sentence))
    ][:MOST_PAIRS]
    judged = judgements([(messages[key], sentence, "") for key, sentence in pairs])
    return {
        key: sentence
        for (key, sentence), judgement in zip(pairs, judged, strict=True)
        if judgement.at_odds >= (CALLED_OFF_FROM if calls_off(sentence, known[key]) else REPLACED_FROM)
    }


def calls_off(sentence: str, stems: set[str]) -> bool:
    """Tell whether it says no more than that this is off; a day that it names is a word of this, too."""
    off = PLAINLY_OFF.fullmatch(sentence)
    named = stems_of(off[1]) if off and not _DOUBTFUL.search(off[1]) else set()
    return bool(named) and named <= stems


def stems_of(text: str) -> set[str]:
    return {word[:STEM] for word in WORD.findall(text.casefold()) if word not in STOP_WORDS}


def without_days_of(rule: str, sentence: str) -> str:
    """Return the rule (RFC 5545) without the weekdays that the sentence gives up; empty where none or all are."""
    by_day = BY_DAY.search(rule)
    if not by_day:
        return ""
    days = by_day[2].split(",")
    named = {day for day in days if re.search(rf"\b{DAYS[day]}\b", sentence, re.IGNORECASE)}
    is_all = bool(ONLY.search(sentence))
    left = [day for day in days if (day in named) == is_all]
    return BY_DAY.sub(lambda match: match[1] + ",".join(left), rule) if left and named else ""
